// Each thread of each rank makes calls without end, with memory that comes and goes, and counts in a
// file those that have returned, and how many had when the end began. Ends by a signal from outside, or as the
// arguments say.
//   ends COUNTS THREADS [HOW MICROSECONDS]
// ENDS_IRREGULAR: calls differ, so that recording them takes memory, and the program takes memory more often.
// ENDS_ONE: only rank 1 ends by itself. ENDS_SIGNAL: the number of the signal that it raises, where HOW is raise (by
// another thread), callback (in one that MPI calls) or allocator (in RaisingMalloc.c: at that number of calls of the
// allocator, not microseconds).
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MaxThreads = 8 };
struct Counts {
  volatile int Pid;
  volatile int Ready;
  volatile long Returned[MaxThreads], Before[MaxThreads];
};
static char *All; // those of rank I at 4096 * I
static struct Counts *Mine;
static pthread_t Main;
static int IsIrregular, IsOne, NumRanks, Signal;
static volatile int IsInCallback; // the next one raises the signal
static MPI_Op Op;
void holdLock(void) __attribute__((weak));                                           // of HeldMalloc.c
void raiseLater(long Calls, int Signal, void (*Before)(void)) __attribute__((weak)); // of RaisingMalloc.c

static void note(void) {
  for (int R = 0; R < NumRanks; ++R) {
    struct Counts *C = (struct Counts *)(All + 4096 * R);
    for (int I = 0; (IsOne || C == Mine) && I < MaxThreads; ++I)
      C->Before[I] = C->Returned[I];
  }
}

static void reduce(void *In, void *InOut, int *Count, MPI_Datatype *Type) {
  for (int I = 0; I < *Count; ++I)
    ((int *)InOut)[I] += ((int *)In)[I];
  if (IsInCallback && Type) {
    note();
    raise(Signal);
  }
}

static void *work(void *Thread) {
  volatile long *Returned = &Mine->Returned[(long)Thread];
  unsigned Seed = (unsigned)(long)Thread + (unsigned)getpid();
  for (long I = 0;; ++I) {
    const unsigned Number = rand_r(&Seed) % 1000, Count = 4 + IsIrregular * Number * 16;
    int *Data = malloc(sizeof(int) * (16 + IsIrregular * 16000 + Number)), Sum[4] = {0}, Rank;
    MPI_Request R[2];
    MPI_Status S[2];
    MPI_Irecv(Data, (int)Count, MPI_INT, 0, (int)(long)Thread, MPI_COMM_SELF, &R[0]);
    ++*Returned;
    MPI_Isend(Sum, 4, MPI_INT, 0, (int)(long)Thread, MPI_COMM_SELF, &R[1]);
    ++*Returned;
    MPI_Waitall(2, R, S);
    ++*Returned;
    for (unsigned K = rand_r(&Seed) % 3; K; --K) {
      MPI_Comm_rank(MPI_COMM_SELF, &Rank);
      ++*Returned;
    }
    MPI_Reduce_local(Sum, S, 2, MPI_INT, Op);
    ++*Returned;
    free(Data);
    for (int K = 0; K < 8 * IsIrregular; ++K) {
      void *volatile More = malloc(2000 + rand_r(&Seed) % 1000);
      free(More);
    }
  }
  return Thread;
}

static void *endLater(void *Arguments) {
  char **Argv = Arguments;
  const char *How = Argv[0];
  const long Micro = atol(Argv[1]);
  struct timespec Time = {Micro / 1000000, Micro % 1000000 * 1000};
  if (strcmp(How, "allocator") == 0) {
    raiseLater(Micro, Signal, note);
    return NULL;
  }
  nanosleep(&Time, NULL);
  IsInCallback = strcmp(How, "callback") == 0;
  if (IsInCallback)
    return NULL;
  note();
  if (strcmp(How, "raise") == 0)
    pthread_kill(Main, Signal);
  if (strcmp(How, "exit") == 0)
    exit(3);
  if (strcmp(How, "_exit") == 0)
    _exit(4);
  if (strcmp(How, "abort") == 0)
    abort();
  if (strcmp(How, "MPI_Abort") == 0)
    MPI_Abort(MPI_COMM_WORLD, 5);
  if (strcmp(How, "pthread_kill") == 0)
    pthread_kill(Main, SIGABRT);
  if (strcmp(How, "kill") == 0)
    kill(getpid(), SIGTERM);
  if (strcmp(How, "segv") == 0)
    *(volatile int *)8 = 1;
  return NULL;
}

int main(int Argc, char **Argv) {
  int Rank, Got;
  const int Threads = atoi(Argv[2]);
  IsIrregular = getenv("ENDS_IRREGULAR") != NULL;
  IsOne = getenv("ENDS_ONE") != NULL;
  Signal = getenv("ENDS_SIGNAL") ? atoi(getenv("ENDS_SIGNAL")) : SIGTERM;
  MPI_Init_thread(&Argc, &Argv, MPI_THREAD_MULTIPLE, &Got);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  const int File = open(Argv[1], O_RDWR | O_CREAT, 0666);
  if (File < 0 || ftruncate(File, 4096 * 64) != 0)
    return 1;
  All = mmap(NULL, 4096 * 64, PROT_READ | PROT_WRITE, MAP_SHARED, File, 0);
  Mine = (struct Counts *)(All + 4096 * Rank);
  Mine->Pid = getpid();
  if (holdLock)
    holdLock();
  MPI_Comm_size(MPI_COMM_WORLD, &NumRanks);
  MPI_Op_create(reduce, 1, &Op);
  Mine->Returned[0] = 4;
  Mine->Ready = 1;
  pthread_t Started[MaxThreads];
  Main = pthread_self();
  for (long I = 1; I < Threads; ++I)
    pthread_create(&Started[I], NULL, work, (void *)I);
  if (Argc > 4 && (!IsOne || Rank == 1)) {
    const char *How = Argv[3];
    if (strcmp(How, "return") == 0 || strcmp(How, "pthread_exit") == 0) {
      usleep((useconds_t)atoi(Argv[4]));
      note();
      if (*How == 'r')
        return 2;
      pthread_create(&Started[0], NULL, endLater, (char *[]){"exit", "1000", NULL});
      pthread_exit(NULL);
    }
    pthread_create(&Started[0], NULL, endLater, &Argv[3]);
  }
  work((void *)0);
}
