// Nonblocking and neighbourhood collectives.

#include "Collectives.h"

EXPORT int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request) {
  OPEN(MPI_Ibarrier);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Ibarrier(comm, request);
  addMade(&R, request, Collects, false, false);
  return closeRecord(&R);
}

EXPORT int MPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root,
                      MPI_Comm comm, MPI_Request *request) {
  OPEN(MPI_Ibcast);
  addBroadcast(&R, buffer, count, datatype, root, comm);
  R.Code = PMPI_Ibcast(buffer, count, datatype, root, comm, request);
  addMade(&R, request, Collects, false, false);
  return closeRecord(&R);
}

EXPORT int MPI_Iallreduce(const void *sendbuf, void *recvbuf, int count,
                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                          MPI_Request *request) {
  OPEN(MPI_Iallreduce);
  addReduction(&R, sendbuf, true, recvbuf, count, datatype, op);
  addComm(&R, "comm", comm);
  R.Code =
      PMPI_Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request);
  addMade(&R, request, Collects, false, false);
  return closeRecord(&R);
}

// The arrays may be changed only after completion: they are read here.
EXPORT int MPI_Ialltoallv(const void *sendbuf, const int sendcounts[],
                          const int sdispls[], MPI_Datatype sendtype,
                          void *recvbuf, const int recvcounts[],
                          const int rdispls[], MPI_Datatype recvtype,
                          MPI_Comm comm, MPI_Request *request) {
  OPEN(MPI_Ialltoallv);
  int Size = peers(comm);
  addVectorSide(&R, Sending, "sdispls", true, sendbuf, sendbuf, sendcounts,
                sdispls, sendtype, Size);
  addVectorSide(&R, Receiving, "rdispls", true, recvbuf, NULL, recvcounts,
                rdispls, recvtype, Size);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                           recvcounts, rdispls, recvtype, comm, request);
  addMade(&R, request, Collects, false, false);
  return closeRecord(&R);
}

#define NEIGHBOR(Name)                                                         \
  EXPORT int MPI_##Name(const void *sendbuf, int sendcount,                    \
                        MPI_Datatype sendtype, void *recvbuf, int recvcount,   \
                        MPI_Datatype recvtype, MPI_Comm comm) {                \
    OPEN(MPI_##Name);                                                          \
    addSide(&R, Sending, true, sendbuf, NULL, sendcount, sendtype);            \
    addSide(&R, Receiving, true, recvbuf, NULL, recvcount, recvtype);          \
    addComm(&R, "comm", comm);                                                 \
    R.Code = PMPI_##Name(sendbuf, sendcount, sendtype, recvbuf, recvcount,     \
                         recvtype, comm);                                      \
    return closeRecord(&R);                                                    \
  }

NEIGHBOR(Neighbor_alltoall)
NEIGHBOR(Neighbor_allgather)

EXPORT int MPI_Neighbor_alltoallv(const void *sendbuf, const int sendcounts[],
                                  const int sdispls[], MPI_Datatype sendtype,
                                  void *recvbuf, const int recvcounts[],
                                  const int rdispls[], MPI_Datatype recvtype,
                                  MPI_Comm comm) {
  OPEN(MPI_Neighbor_alltoallv);
  int In, Out;
  degrees(comm, &In, &Out);
  addVectorSide(&R, Sending, "sdispls", true, sendbuf, NULL, sendcounts,
                sdispls, sendtype, Out);
  addVectorSide(&R, Receiving, "rdispls", true, recvbuf, NULL, recvcounts,
                rdispls, recvtype, In);
  addComm(&R, "comm", comm);
  R.Code =
      PMPI_Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                              recvcounts, rdispls, recvtype, comm);
  return closeRecord(&R);
}
