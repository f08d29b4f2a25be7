// Blocking collectives. What only the root's call means, and what MPI_IN_PLACE
// makes meaningless, is null elsewhere.

#include "Collectives.h"

EXPORT int MPI_Barrier(MPI_Comm comm) {
  OPEN(MPI_Barrier);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Barrier(comm);
  return closeRecord(&R);
}

EXPORT int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root,
                     MPI_Comm comm) {
  OPEN(MPI_Bcast);
  addBroadcast(&R, buffer, count, datatype, root, comm);
  R.Code = PMPI_Bcast(buffer, count, datatype, root, comm);
  return closeRecord(&R);
}

EXPORT int MPI_Reduce(const void *sendbuf, void *recvbuf, int count,
                      MPI_Datatype datatype, MPI_Op op, int root,
                      MPI_Comm comm) {
  OPEN(MPI_Reduce);
  addReduction(&R, sendbuf, isRoot(comm, root), recvbuf, count, datatype, op);
  addRank(&R, "root", root);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm);
  return closeRecord(&R);
}

#define REDUCTION(Name)                                                        \
  EXPORT int MPI_##Name(const void *sendbuf, void *recvbuf, int count,         \
                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {     \
    OPEN(MPI_##Name);                                                          \
    addReduction(&R, sendbuf, true, recvbuf, count, datatype, op);             \
    addComm(&R, "comm", comm);                                                 \
    R.Code = PMPI_##Name(sendbuf, recvbuf, count, datatype, op, comm);         \
    return closeRecord(&R);                                                    \
  }

REDUCTION(Allreduce)
REDUCTION(Scan)
REDUCTION(Exscan)

EXPORT int MPI_Reduce_scatter(const void *sendbuf, void *recvbuf,
                              const int recvcounts[], MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm) {
  OPEN(MPI_Reduce_scatter);
  addBuffer(&R, "sendbuf", sendbuf);
  addBuffer(&R, "recvbuf", recvbuf);
  addInts(&R, "recvcounts", recvcounts, localSize(comm));
  addType(&R, "datatype", datatype);
  addOp(&R, "op", op);
  addComm(&R, "comm", comm);
  R.Code =
      PMPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm);
  return closeRecord(&R);
}

EXPORT int MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf,
                                    int recvcount, MPI_Datatype datatype,
                                    MPI_Op op, MPI_Comm comm) {
  OPEN(MPI_Reduce_scatter_block);
  addBuffer(&R, "sendbuf", sendbuf);
  addBuffer(&R, "recvbuf", recvbuf);
  addInt(&R, "recvcount", recvcount);
  addType(&R, "datatype", datatype);
  addOp(&R, "op", op);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op,
                                     comm);
  return closeRecord(&R);
}

EXPORT int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                      void *recvbuf, int recvcount, MPI_Datatype recvtype,
                      int root, MPI_Comm comm) {
  OPEN(MPI_Gather);
  bool Root = isRoot(comm, root);
  addSide(&R, Sending, true, sendbuf, sendbuf, sendcount, sendtype);
  addSide(&R, Receiving, Root, recvbuf, NULL, recvcount, recvtype);
  addRank(&R, "root", root);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                       recvtype, root, comm);
  return closeRecord(&R);
}

EXPORT int MPI_Gatherv(const void *sendbuf, int sendcount,
                       MPI_Datatype sendtype, void *recvbuf,
                       const int recvcounts[], const int displs[],
                       MPI_Datatype recvtype, int root, MPI_Comm comm) {
  OPEN(MPI_Gatherv);
  bool Root = isRoot(comm, root);
  addSide(&R, Sending, true, sendbuf, sendbuf, sendcount, sendtype);
  addVectorSide(&R, Receiving, "displs", Root, recvbuf, NULL, recvcounts,
                displs, recvtype, Root ? peers(comm) : 0);
  addRank(&R, "root", root);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                        displs, recvtype, root, comm);
  return closeRecord(&R);
}

EXPORT int MPI_Scatter(const void *sendbuf, int sendcount,
                       MPI_Datatype sendtype, void *recvbuf, int recvcount,
                       MPI_Datatype recvtype, int root, MPI_Comm comm) {
  OPEN(MPI_Scatter);
  bool Root = isRoot(comm, root);
  addSide(&R, Sending, Root, sendbuf, NULL, sendcount, sendtype);
  addSide(&R, Receiving, true, recvbuf, recvbuf, recvcount, recvtype);
  addRank(&R, "root", root);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                        recvtype, root, comm);
  return closeRecord(&R);
}

EXPORT int MPI_Scatterv(const void *sendbuf, const int sendcounts[],
                        const int displs[], MPI_Datatype sendtype,
                        void *recvbuf, int recvcount, MPI_Datatype recvtype,
                        int root, MPI_Comm comm) {
  OPEN(MPI_Scatterv);
  bool Root = isRoot(comm, root);
  addVectorSide(&R, Sending, "displs", Root, sendbuf, NULL, sendcounts, displs,
                sendtype, Root ? peers(comm) : 0);
  addSide(&R, Receiving, true, recvbuf, recvbuf, recvcount, recvtype);
  addRank(&R, "root", root);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf,
                         recvcount, recvtype, root, comm);
  return closeRecord(&R);
}

EXPORT int MPI_Allgather(const void *sendbuf, int sendcount,
                         MPI_Datatype sendtype, void *recvbuf, int recvcount,
                         MPI_Datatype recvtype, MPI_Comm comm) {
  OPEN(MPI_Allgather);
  addSide(&R, Sending, true, sendbuf, sendbuf, sendcount, sendtype);
  addSide(&R, Receiving, true, recvbuf, NULL, recvcount, recvtype);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                          recvtype, comm);
  return closeRecord(&R);
}

EXPORT int MPI_Allgatherv(const void *sendbuf, int sendcount,
                          MPI_Datatype sendtype, void *recvbuf,
                          const int recvcounts[], const int displs[],
                          MPI_Datatype recvtype, MPI_Comm comm) {
  OPEN(MPI_Allgatherv);
  addSide(&R, Sending, true, sendbuf, sendbuf, sendcount, sendtype);
  addVectorSide(&R, Receiving, "displs", true, recvbuf, NULL, recvcounts,
                displs, recvtype, peers(comm));
  addComm(&R, "comm", comm);
  R.Code = PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                           displs, recvtype, comm);
  return closeRecord(&R);
}

EXPORT int MPI_Alltoall(const void *sendbuf, int sendcount,
                        MPI_Datatype sendtype, void *recvbuf, int recvcount,
                        MPI_Datatype recvtype, MPI_Comm comm) {
  OPEN(MPI_Alltoall);
  addSide(&R, Sending, true, sendbuf, sendbuf, sendcount, sendtype);
  addSide(&R, Receiving, true, recvbuf, NULL, recvcount, recvtype);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                         recvtype, comm);
  return closeRecord(&R);
}

EXPORT int MPI_Alltoallv(const void *sendbuf, const int sendcounts[],
                         const int sdispls[], MPI_Datatype sendtype,
                         void *recvbuf, const int recvcounts[],
                         const int rdispls[], MPI_Datatype recvtype,
                         MPI_Comm comm) {
  OPEN(MPI_Alltoallv);
  int Size = peers(comm);
  addVectorSide(&R, Sending, "sdispls", true, sendbuf, sendbuf, sendcounts,
                sdispls, sendtype, Size);
  addVectorSide(&R, Receiving, "rdispls", true, recvbuf, NULL, recvcounts,
                rdispls, recvtype, Size);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                          recvcounts, rdispls, recvtype, comm);
  return closeRecord(&R);
}

EXPORT int MPI_Alltoallw(const void *sendbuf, const int sendcounts[],
                         const int sdispls[], const MPI_Datatype sendtypes[],
                         void *recvbuf, const int recvcounts[],
                         const int rdispls[], const MPI_Datatype recvtypes[],
                         MPI_Comm comm) {
  OPEN(MPI_Alltoallw);
  int Size = peers(comm);
  addBuffer(&R, "sendbuf", sendbuf);
  if (sendbuf == MPI_IN_PLACE) {
    addNull(&R, "sendcounts");
    addNull(&R, "sdispls");
    addNull(&R, "sendtypes");
  } else {
    addInts(&R, "sendcounts", sendcounts, Size);
    addInts(&R, "sdispls", sdispls, Size);
    addTypes(&R, "sendtypes", sendtypes, Size);
  }
  addBuffer(&R, "recvbuf", recvbuf);
  addInts(&R, "recvcounts", recvcounts, Size);
  addInts(&R, "rdispls", rdispls, Size);
  addTypes(&R, "recvtypes", recvtypes, Size);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                          recvcounts, rdispls, recvtypes, comm);
  return closeRecord(&R);
}
