#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

static int deeper(int Depth) {
  volatile char Room[4096];
  Room[Depth % 4096] = (char)Depth;
  return deeper(Depth + 1) + Room[0];
}
static void *overflow(void *Unused) { return (void *)(size_t)deeper(1); }

static void *looksAtItsStack(void *Seen) {
  stack_t S;
  *(int *)Seen += sigaltstack(NULL, &S) == 0 && S.ss_flags == SS_DISABLE;
  return Seen;
}
static void *leaves(void *Seen) {
  looksAtItsStack(Seen);
  pthread_exit(Seen);
}
static void *waits(void *Seen) {
  looksAtItsStack(Seen);
  for (;;)
    pause();
}
static char Room[65536];
static int IsOnOwn;
static void seen(int Signal) {
  char Here;
  IsOnOwn = &Here >= Room && &Here < Room + sizeof Room;
}
static void *hasItsOwn(void *Seen) {
  stack_t Own = {.ss_sp = Room, .ss_size = sizeof Room}, Old, None = {.ss_flags = SS_DISABLE};
  struct sigaction Action = {.sa_handler = seen, .sa_flags = SA_ONSTACK};
  *(int *)Seen += sigaltstack(&Own, &Old) == 0 && Old.ss_flags == SS_DISABLE &&
                  sigaction(SIGUSR2, &Action, NULL) == 0 && pthread_kill(pthread_self(), SIGUSR2) == 0 && IsOnOwn &&
                  sigaltstack(&None, &Old) == 0 && Old.ss_sp == Room;
  return Seen;
}
static void *calls(void *Unused) {
  MPI_Barrier(MPI_COMM_SELF);
  return overflow(NULL);
}

static long pagesOfAddresses(void) {
  long Pages = 0;
  FILE *F = fopen("/proc/self/statm", "r");
  if (!F || fscanf(F, "%ld", &Pages) != 1)
    abort();
  fclose(F);
  return Pages;
}

int main(int Argc, char **Argv) {
  int Rank, Size, Provided, Seen = 0, Wanted = 0;
  void *Result;
  pthread_t T;
  MPI_Init_thread(&Argc, &Argv, MPI_THREAD_MULTIPLE, &Provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
  // Threads that end in each way, one after the other, and some at the same time.
  pthread_attr_t Small;
  pthread_attr_init(&Small);
  pthread_attr_setstacksize(&Small, PTHREAD_STACK_MIN);
  long Before = 0;
  for (int I = 0; I < 200; ++I) {
    if (I == 100)
      Before = pagesOfAddresses();
    void *(*Run)(void *) = I % 4 == 0 ? leaves : I % 4 == 1 ? waits : I % 4 == 2 ? looksAtItsStack : hasItsOwn;
    if (pthread_create(&T, I % 3 ? NULL : &Small, Run, &Seen) != 0)
      abort();
    if (Run == waits)
      while (pthread_cancel(T) != 0)
        ;
    pthread_join(T, &Result);
    Wanted += Run != waits || Seen > Wanted;
    if (Run != waits && Result != &Seen)
      abort();
  }
  if (pagesOfAddresses() > Before + 4096) // 16 MB
    printf("its addresses grow\n");
  pthread_t Many[100];
  int Own[100] = {0};
  for (int I = 0; I < 100; ++I)
    if (pthread_create(&Many[I], &Small, looksAtItsStack, &Own[I]) != 0)
      abort();
  for (int I = 0; I < 100; ++I)
    pthread_join(Many[I], NULL), Seen += Own[I], ++Wanted;
  printf("%s\n", Seen == Wanted ? "as without" : "other stacks");
  fflush(stdout);
  for (int I = 0; I < 10; ++I)
    MPI_Barrier(MPI_COMM_WORLD);
  if (Rank == Size - 1) {
    if (strcmp(Argv[1], "thread") == 0 && pthread_create(&T, NULL, overflow, NULL) == 0)
      pthread_join(T, NULL);
    if (strcmp(Argv[1], "calls") == 0 && pthread_create(&T, NULL, calls, NULL) == 0)
      pthread_join(T, NULL);
#ifdef _OPENMP
    if (strcmp(Argv[1], "openmp") == 0)
#pragma omp parallel num_threads(3)
      if (omp_get_thread_num() == 2)
        overflow(NULL);
#endif
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
