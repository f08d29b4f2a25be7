// Each thread of each rank makes calls without end, with memory that comes and goes, and counts in a
// file those that have returned, and how many had when the end began. Ends by a signal from outside, or as the
// arguments say.
//   ends COUNTS THREADS [HOW MICROSECONDS]
// ENDS_IRREGULAR: calls differ, so that recording them takes memory, and the program takes memory more often.
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
static struct Counts *Mine;
static pthread_t Main;
static int IsIrregular;
void holdLock(void) __attribute__((weak)); // of HeldMalloc.c

static void note(void) {
  for (int I = 0; I < MaxThreads; ++I)
    Mine->Before[I] = Mine->Returned[I];
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
  nanosleep(&Time, NULL);
  note();
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
  MPI_Init_thread(&Argc, &Argv, MPI_THREAD_MULTIPLE, &Got);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  const int File = open(Argv[1], O_RDWR | O_CREAT, 0666);
  if (File < 0 || ftruncate(File, 4096 * 64) != 0)
    return 1;
  char *All = mmap(NULL, 4096 * 64, PROT_READ | PROT_WRITE, MAP_SHARED, File, 0);
  Mine = (struct Counts *)(All + 4096 * Rank);
  Mine->Pid = getpid();
  if (holdLock)
    holdLock();
  Mine->Returned[0] = 2;
  Mine->Ready = 1;
  pthread_t Started[MaxThreads];
  Main = pthread_self();
  for (long I = 1; I < Threads; ++I)
    pthread_create(&Started[I], NULL, work, (void *)I);
  if (Argc > 4) {
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
