// What the parts of the program share. All of it is of the calling thread, but for what main() sets.
#ifndef PILGRIM_TEST_RANDOM_RANDOMCALLS_H
#define PILGRIM_TEST_RANDOM_RANDOMCALLS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MaxComms = 6, MaxTypes = 6, MaxPending = 24, MaxKept = 4, Largest = 96 };

typedef struct {
  MPI_Comm C;
  int Rank, Size;
} Comm;

/// A request, and what its call needs until it is complete.
typedef struct {
  MPI_Request R;
  void *Blocks[3];
  MPI_Datatype *Types;
} Pending;

extern _Thread_local Comm Comms[MaxComms];
extern _Thread_local MPI_Datatype Types[MaxTypes];
extern _Thread_local Pending Waiting[MaxPending], Kept[MaxKept]; ///< Kept: persistent ones
extern _Thread_local int NumComms, NumTypes, NumPending, NumKept, IsThread;
extern int WorldRank, Seed;
extern MPI_Op Sum;
extern char Data[1 << 16];

/// One of 0 to N - 1: the same on all ranks, or each rank's own.
int draw(int N);
int mine(int N);
int has(char Flag);

Comm *anyComm(void);
int anyRoot(const Comm *C);
/// Into how many parts something is divided.
int anyParts(void);
MPI_Datatype basic(void);
MPI_Datatype anyType(void);
MPI_Aint bytesOf(int Count, MPI_Datatype T);
/// A buffer of its own, in *Own, to be freed; or a part of a variable or of a block that is kept.
void *buffer(MPI_Aint Bytes, void **Own);
void setComm(int At, MPI_Comm C);
/// Completes the requests that wait, in one of several ways.
void completeAll(void);
/// Makes room for N requests.
void room(int N);
/// A place for a request, and what is freed when it is complete.
Pending *pend(void *A, void *B, void *C);

/// Calls that belong together.
typedef void Calls(void);
Calls ring, begun, borders, ownCount, buffered, cancelled, persistent, partitioned, otherMessages, collective,
    begunCollective, otherCollectives, packed, makeComm, freeComm, neighbours, between, groups, attributes, errors,
    otherTopologies, makeType, otherTypes, lookAt, infos, window, otherWindows, file, otherFiles, others;

#endif
