// Many calls on each rank, by one or two threads. LIMITED_RANKS, a list of digits: ranks whose files may not grow from
// MPI_Init on.
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int Rank;

static void *work(void *Thread) {
  int Value = 0, Got, Tag = (int)(long)Thread;
  unsigned Seed = (unsigned)Rank + 1;
  for (int I = 0; I < 40000; ++I) {
    for (volatile unsigned J = (unsigned)rand_r(&Seed) % 50; J; --J)
      ;
    MPI_Sendrecv(&Value, 1, MPI_INT, 0, Tag, &Got, 1, MPI_INT, 0, Tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }
  return NULL;
}

int main(int Argc, char **Argv) {
  int Got;
  MPI_Init_thread(&Argc, &Argv, MPI_THREAD_MULTIPLE, &Got);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  const char *Limited = getenv("LIMITED_RANKS");
  if (Limited && strchr(Limited, '0' + Rank)) {
    struct rlimit Limit = {6000, 6000};
    setrlimit(RLIMIT_FSIZE, &Limit);
  }
  pthread_t Other;
  if (Argc > 1 && pthread_create(&Other, NULL, work, (void *)1) != 0)
    return 1;
  work((void *)0);
  if (Argc > 1)
    pthread_join(Other, NULL);
  MPI_Finalize();
}
