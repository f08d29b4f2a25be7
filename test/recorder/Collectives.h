// Groups of parameters that blocking, nonblocking and neighbourhood collectives
// have in common.

#ifndef PILGRIM_TEST_RECORDER_COLLECTIVES_H
#define PILGRIM_TEST_RECORDER_COLLECTIVES_H

#include "Recorder.h"

typedef struct {
  const char *Buffer, *Count, *Counts, *Type;
} Side;

static const Side Sending = {"sendbuf", "sendcount", "sendcounts", "sendtype"};
static const Side Receiving = {"recvbuf", "recvcount", "recvcounts", "recvtype"};

// Significant: for this rank. InPlace: the buffer that makes count and type
// meaningless where it is MPI_IN_PLACE, if there is one.
static inline void addSide(Record *R, Side S, bool Significant, const void *Buffer, const void *InPlace, int Count,
                           MPI_Datatype Type) {
  if (Significant)
    addBuffer(R, S.Buffer, Buffer);
  else
    addNull(R, S.Buffer);
  if (Significant && (!InPlace || InPlace != MPI_IN_PLACE)) {
    addInt(R, S.Count, Count);
    addType(R, S.Type, Type);
  } else {
    addNull(R, S.Count);
    addNull(R, S.Type);
  }
}

static inline void addVectorSide(Record *R, Side S, const char *Displacements, bool Significant, const void *Buffer,
                                 const void *InPlace, const int *Counts, const int *Displs, MPI_Datatype Type,
                                 int Size) {
  if (Significant)
    addBuffer(R, S.Buffer, Buffer);
  else
    addNull(R, S.Buffer);
  if (Significant && (!InPlace || InPlace != MPI_IN_PLACE)) {
    addInts(R, S.Counts, Counts, Size);
    addInts(R, Displacements, Displs, Size);
    addType(R, S.Type, Type);
  } else {
    addNull(R, S.Counts);
    addNull(R, Displacements);
    addNull(R, S.Type);
  }
}

static inline void addBroadcast(Record *R, const void *Buffer, int Count, MPI_Datatype Type, int Root, MPI_Comm C) {
  addBuffer(R, "buffer", Buffer);
  addInt(R, "count", Count);
  addType(R, "datatype", Type);
  addRank(R, "root", Root);
  addComm(R, "comm", C);
}

static inline void addReduction(Record *R, const void *Send, bool Receives, const void *Receive, int Count,
                                MPI_Datatype Type, MPI_Op O) {
  addBuffer(R, "sendbuf", Send);
  if (Receives)
    addBuffer(R, "recvbuf", Receive);
  else
    addNull(R, "recvbuf");
  addInt(R, "count", Count);
  addType(R, "datatype", Type);
  addOp(R, "op", O);
}

#endif
