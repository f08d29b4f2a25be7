// Point-to-point communication: sends, receives, probes, and the persistent
// requests for them.

#include "Recorder.h"

static bool wild(int Source, int Tag) {
  return Source == MPI_ANY_SOURCE || Tag == MPI_ANY_TAG;
}

static void addMessage(Record *R, const void *Buffer, int Count,
                       MPI_Datatype Type) {
  addBuffer(R, "buf", Buffer);
  addInt(R, "count", Count);
  addType(R, "datatype", Type);
}

static void addEnvelope(Record *R, const char *RankName, int Rank, int Tag,
                        MPI_Comm C) {
  addRank(R, RankName, Rank);
  addTag(R, "tag", Tag);
  addComm(R, "comm", C);
}

#define SEND(Name)                                                             \
  EXPORT int MPI_##Name(const void *buf, int count, MPI_Datatype datatype,     \
                        int dest, int tag, MPI_Comm comm) {                    \
    OPEN(MPI_##Name);                                                          \
    addMessage(&R, buf, count, datatype);                                      \
    addEnvelope(&R, "dest", dest, tag, comm);                                  \
    R.Code = PMPI_##Name(buf, count, datatype, dest, tag, comm);               \
    return closeRecord(&R);                                                    \
  }

SEND(Send)
SEND(Ssend)
SEND(Bsend)
SEND(Rsend)

#define SEND_REQUEST(Name, Persistent)                                         \
  EXPORT int MPI_##Name(const void *buf, int count, MPI_Datatype datatype,     \
                        int dest, int tag, MPI_Comm comm,                      \
                        MPI_Request *request) {                                \
    OPEN(MPI_##Name);                                                          \
    addMessage(&R, buf, count, datatype);                                      \
    addEnvelope(&R, "dest", dest, tag, comm);                                  \
    R.Code = PMPI_##Name(buf, count, datatype, dest, tag, comm, request);      \
    addMade(&R, request, Sends, false, Persistent);                            \
    return closeRecord(&R);                                                    \
  }

SEND_REQUEST(Isend, false)
SEND_REQUEST(Issend, false)
SEND_REQUEST(Ibsend, false)
SEND_REQUEST(Irsend, false)
SEND_REQUEST(Send_init, true)
SEND_REQUEST(Ssend_init, true)

#define RECEIVE_REQUEST(Name, Persistent)                                      \
  EXPORT int MPI_##Name(void *buf, int count, MPI_Datatype datatype,           \
                        int source, int tag, MPI_Comm comm,                    \
                        MPI_Request *request) {                                \
    OPEN(MPI_##Name);                                                          \
    addMessage(&R, buf, count, datatype);                                      \
    addEnvelope(&R, "source", source, tag, comm);                              \
    R.Code = PMPI_##Name(buf, count, datatype, source, tag, comm, request);    \
    addMade(&R, request, Receives, wild(source, tag), Persistent);             \
    return closeRecord(&R);                                                    \
  }

RECEIVE_REQUEST(Irecv, false)
RECEIVE_REQUEST(Recv_init, true)

EXPORT int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source,
                    int tag, MPI_Comm comm, MPI_Status *status) {
  OPEN(MPI_Recv);
  addMessage(&R, buf, count, datatype);
  addEnvelope(&R, "source", source, tag, comm);
  R.Code = PMPI_Recv(buf, count, datatype, source, tag, comm, status);
  addStatus(&R, "status", status, true, wild(source, tag));
  return closeRecord(&R);
}

EXPORT int MPI_Sendrecv(const void *sendbuf, int sendcount,
                        MPI_Datatype sendtype, int dest, int sendtag,
                        void *recvbuf, int recvcount, MPI_Datatype recvtype,
                        int source, int recvtag, MPI_Comm comm,
                        MPI_Status *status) {
  OPEN(MPI_Sendrecv);
  addBuffer(&R, "sendbuf", sendbuf);
  addInt(&R, "sendcount", sendcount);
  addType(&R, "sendtype", sendtype);
  addRank(&R, "dest", dest);
  addTag(&R, "sendtag", sendtag);
  addBuffer(&R, "recvbuf", recvbuf);
  addInt(&R, "recvcount", recvcount);
  addType(&R, "recvtype", recvtype);
  addRank(&R, "source", source);
  addTag(&R, "recvtag", recvtag);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,
                         recvcount, recvtype, source, recvtag, comm, status);
  addStatus(&R, "status", status, true, wild(source, recvtag));
  return closeRecord(&R);
}

EXPORT int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype,
                                int dest, int sendtag, int source, int recvtag,
                                MPI_Comm comm, MPI_Status *status) {
  OPEN(MPI_Sendrecv_replace);
  addMessage(&R, buf, count, datatype);
  addRank(&R, "dest", dest);
  addTag(&R, "sendtag", sendtag);
  addRank(&R, "source", source);
  addTag(&R, "recvtag", recvtag);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source,
                                 recvtag, comm, status);
  addStatus(&R, "status", status, true, wild(source, recvtag));
  return closeRecord(&R);
}

EXPORT int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
  OPEN(MPI_Probe);
  addEnvelope(&R, "source", source, tag, comm);
  R.Code = PMPI_Probe(source, tag, comm, status);
  addStatus(&R, "status", status, true, wild(source, tag));
  return closeRecord(&R);
}

static void addOutFlag(Record *R, const int *Flag) {
  if (R->Code == MPI_SUCCESS)
    addFlag(R, "flag", *Flag);
  else
    addNull(R, "flag");
}

EXPORT int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag,
                      MPI_Status *status) {
  OPEN(MPI_Iprobe);
  addEnvelope(&R, "source", source, tag, comm);
  R.Code = PMPI_Iprobe(source, tag, comm, flag, status);
  addOutFlag(&R, flag);
  addStatus(&R, "status", status, R.Code == MPI_SUCCESS && *flag,
            wild(source, tag));
  return closeRecord(&R);
}

EXPORT int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message,
                      MPI_Status *status) {
  OPEN(MPI_Mprobe);
  addEnvelope(&R, "source", source, tag, comm);
  R.Code = PMPI_Mprobe(source, tag, comm, message, status);
  addCreated(&R, "message", Message, HANDLE(*message));
  addStatus(&R, "status", status, true, wild(source, tag));
  return closeRecord(&R);
}

EXPORT int MPI_Mrecv(void *buf, int count, MPI_Datatype datatype,
                     MPI_Message *message, MPI_Status *status) {
  OPEN(MPI_Mrecv);
  uint64_t Handle = HANDLE(*message);
  addMessage(&R, buf, count, datatype);
  addObject(&R, "message", Message, Handle);
  R.Code = PMPI_Mrecv(buf, count, datatype, message, status);
  forget(&R, Message, Handle);
  addStatus(&R, "status", status, true, false);
  return closeRecord(&R);
}

EXPORT int MPI_Start(MPI_Request *request) {
  OPEN(MPI_Start);
  Request **Known = addRequests(&R, "request", request, 1, false);
  R.Code = PMPI_Start(request);
  startRequests(Known, 1);
  endRequests(Known);
  return closeRecord(&R);
}

EXPORT int MPI_Startall(int count, MPI_Request array_of_requests[]) {
  OPEN(MPI_Startall);
  addInt(&R, "count", count);
  Request **Known =
      addRequests(&R, "array_of_requests", array_of_requests, count, true);
  R.Code = PMPI_Startall(count, array_of_requests);
  startRequests(Known, count);
  endRequests(Known);
  return closeRecord(&R);
}

EXPORT int MPI_Request_free(MPI_Request *request) {
  OPEN(MPI_Request_free);
  Request **Known = addRequests(&R, "request", request, 1, false);
  R.Code = PMPI_Request_free(request);
  freeRequest(Known[0]);
  endRequests(Known);
  return closeRecord(&R);
}

EXPORT int MPI_Get_count(const MPI_Status *status, MPI_Datatype datatype,
                         int *count) {
  OPEN(MPI_Get_count);
  addInStatus(&R, "status", status);
  addType(&R, "datatype", datatype);
  R.Code = PMPI_Get_count(status, datatype, count);
  if (R.Code == MPI_SUCCESS)
    addIndex(&R, "count", *count);
  else
    addNull(&R, "count");
  return closeRecord(&R);
}
