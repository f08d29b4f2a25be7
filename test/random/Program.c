// Makes random calls, as its arguments say: SEED STEPS FLAGS. All ranks draw the same numbers, so that what belongs
// together is called by all that have to, and others of their own. Nothing is computed.
//
// Flags: a  requests are also completed by calls that choose one: the order of calls may differ from run to run
//        f  with files
//        r  the calls depend on the number of ranks as those of a regular program do
//        t  two threads make calls, too
//        w  with windows
#include "RandomCalls.h"

#include <pthread.h>
#include <stdint.h>

_Thread_local Comm Comms[MaxComms];
_Thread_local MPI_Datatype Types[MaxTypes];
_Thread_local Pending Waiting[MaxPending], Kept[MaxKept];
_Thread_local int NumComms, NumTypes, NumPending, NumKept, IsThread;
int WorldRank, Seed;
MPI_Op Sum;
char Data[1 << 16];
static _Thread_local uint64_t Shared, Own;
static _Thread_local void *Heap[4];
static const char *Flags = "";

static uint32_t next(uint64_t *S) {
  *S += 0x9e3779b97f4a7c15u;
  uint64_t Z = *S;
  Z = (Z ^ (Z >> 30)) * 0xbf58476d1ce4e5b9u;
  Z = (Z ^ (Z >> 27)) * 0x94d049bb133111ebu;
  return (uint32_t)(Z >> 33);
}
int draw(int N) { return (int)(next(&Shared) % (uint32_t)N); }
int mine(int N) { return (int)(next(&Own) % (uint32_t)N); }
int has(char Flag) { return strchr(Flags, Flag) != NULL; }

static void addNothing(void *In, void *InOut, int *N, MPI_Datatype *T) { (void)In, (void)InOut, (void)N, (void)T; }

Comm *anyComm(void) { return &Comms[draw(NumComms)]; }
int anyRoot(const Comm *C) {
  const int Any = draw(1 << 20);
  const int Regular[] = {0, C->Size - 1, C->Size / 2, C->Size > 1};
  return has('r') ? Regular[Any % 4] : Any % C->Size;
}
int anyParts(void) { return 1 + draw(has('r') ? 2 : 3); }
MPI_Datatype basic(void) {
  static const MPI_Datatype All[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR, MPI_LONG_LONG, MPI_BYTE, MPI_FLOAT};
  return All[draw(6)];
}
MPI_Datatype anyType(void) { return NumTypes && draw(2) ? Types[draw(NumTypes)] : basic(); }
MPI_Aint bytesOf(int Count, MPI_Datatype T) {
  MPI_Aint Lower, Extent, TrueLower, TrueExtent;
  MPI_Type_get_extent(T, &Lower, &Extent);
  MPI_Type_get_true_extent(T, &TrueLower, &TrueExtent);
  return Count * Extent + TrueExtent + TrueLower + 64;
}

void *buffer(MPI_Aint Bytes, void **Own) {
  *Own = NULL;
  int Kind = draw(4);
  if (IsThread && Kind == 1)
    Kind = 0;
  if (Kind == 1 && Bytes < (MPI_Aint)sizeof Data / 2)
    return Data + 8 * draw(100);
  if (Kind == 2) {
    void **H = &Heap[draw(4)];
    *H = realloc(*H, 1 << 15); // moves seldom
    if (Bytes < 1 << 14)
      return (char *)*H + 16 * draw(16);
  }
  return *Own = calloc(1, (size_t)Bytes);
}

void completeAll(void) {
  if (!NumPending)
    return;
  MPI_Request R[MaxPending];
  MPI_Status S[MaxPending];
  for (int I = 0; I < NumPending; ++I)
    R[I] = Waiting[I].R;
  int Kind = draw(has('a') ? 7 : 4);
  if (Kind == 0)
    MPI_Waitall(NumPending, R, MPI_STATUSES_IGNORE);
  else if (Kind == 1)
    MPI_Waitall(NumPending, R, S);
  else if (Kind == 2)
    for (int I = NumPending; I-- > 0;)
      MPI_Wait(&R[I], I % 2 ? &S[I] : MPI_STATUS_IGNORE);
  else if (Kind == 3)
    for (int I = 0; I < NumPending; ++I)
      MPI_Wait(&R[(I + NumPending / 2) % NumPending], MPI_STATUS_IGNORE);
  else if (Kind == 4)
    for (int I = 0, Which; I < NumPending; ++I)
      MPI_Waitany(NumPending, R, &Which, &S[0]);
  else if (Kind == 5) {
    for (int N, Done = 0, Which[MaxPending]; Done < NumPending; Done += N == MPI_UNDEFINED ? NumPending : N)
      MPI_Waitsome(NumPending, R, &N, Which, S);
  } else {
    for (int Flag = 0; !Flag;)
      MPI_Testall(NumPending, R, &Flag, S);
  }
  for (int I = 0; I < NumPending; ++I) {
    for (int B = 0; B < 3; ++B)
      free(Waiting[I].Blocks[B]);
    free(Waiting[I].Types);
  }
  NumPending = 0;
}

Pending *pend(void *A, void *B, void *C) {
  if (NumPending == MaxPending)
    completeAll();
  Pending *P = &Waiting[NumPending++];
  *P = (Pending){MPI_REQUEST_NULL, {A, B, C}, NULL};
  return P;
}

void room(int N) {
  if (NumPending + N > MaxPending)
    completeAll();
}

void setComm(int At, MPI_Comm C) {
  Comms[At].C = C;
  MPI_Comm_rank(C, &Comms[At].Rank);
  MPI_Comm_size(C, &Comms[At].Size);
}

/// The more often, the likelier.
static Calls *const All[] = {ring,
                             ring,
                             begun,
                             begun,
                             borders,
                             ownCount,
                             buffered,
                             cancelled,
                             persistent,
                             partitioned,
                             otherMessages,
                             otherMessages,
                             collective,
                             collective,
                             begunCollective,
                             begunCollective,
                             otherCollectives,
                             otherCollectives,
                             packed,
                             makeComm,
                             freeComm,
                             neighbours,
                             between,
                             groups,
                             attributes,
                             errors,
                             otherTopologies,
                             makeType,
                             makeType,
                             otherTypes,
                             lookAt,
                             infos,
                             window,
                             otherWindows,
                             file,
                             otherFiles,
                             others,
                             others,
                             completeAll};
enum { NumAll = sizeof All / sizeof *All };

static void steps(int Steps) {
  while (Steps > 0) {
    int Length = 1 + draw(4), Times = draw(3) ? 1 : 1 + draw(12), Same = draw(2);
    uint64_t Here = Shared;
    for (int T = 0; T < Times; ++T) {
      if (Same)
        Shared = Here;
      for (int I = 0; I < Length; ++I)
        All[draw(NumAll)]();
    }
    next(&Shared);
    Steps -= Length;
  }
  completeAll();
  while (NumKept) {
    MPI_Request_free(&Kept[--NumKept].R);
    free(Kept[NumKept].Blocks[0]);
  }
  while (NumTypes)
    MPI_Type_free(&Types[--NumTypes]);
  while (NumComms > 1)
    MPI_Comm_free(&Comms[--NumComms].C);
  for (int I = 0; I < 4; ++I)
    free(Heap[I]);
  memset(Heap, 0, sizeof Heap);
}

typedef struct {
  MPI_Comm C;
  int Number, Steps;
} Work;

static void *thread(void *Arg) {
  Work *W = Arg;
  IsThread = 1;
  Shared = (uint64_t)Seed * 1000 + (uint64_t)W->Number;
  Own = Shared * 1000 + (uint64_t)WorldRank;
  setComm(0, W->C);
  NumComms = 1;
  steps(W->Steps);
  return NULL;
}

int main(int Count, char **Arguments) {
  int Provided;
  Seed = Count > 1 ? atoi(Arguments[1]) : 1;
  int Steps = Count > 2 ? atoi(Arguments[2]) : 20;
  Flags = Count > 3 ? Arguments[3] : "";
  const int Threads = has('t') ? 2 : 0;
  if (Threads)
    MPI_Init_thread(&Count, &Arguments, MPI_THREAD_MULTIPLE, &Provided);
  else
    MPI_Init(&Count, &Arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &WorldRank);
  MPI_Op_create(addNothing, 1, &Sum);
  Shared = (uint64_t)Seed;
  Own = Shared * 1000 + (uint64_t)WorldRank;
  setComm(0, MPI_COMM_WORLD);
  NumComms = 1;
  steps(Threads ? Steps / 2 : Steps);
  if (Threads) {
    pthread_t T[4];
    Work W[4];
    for (int I = 0; I < Threads; ++I) {
      W[I] = (Work){MPI_COMM_NULL, I + 1, Steps};
      MPI_Comm_dup(MPI_COMM_WORLD, &W[I].C);
      pthread_create(&T[I], NULL, thread, &W[I]);
    }
    for (int I = 0; I < Threads; ++I) {
      pthread_join(T[I], NULL);
      MPI_Comm_free(&W[I].C);
    }
    steps(Steps / 2);
  }
  MPI_Op_free(&Sum);
  MPI_Finalize();
  return 0;
}
