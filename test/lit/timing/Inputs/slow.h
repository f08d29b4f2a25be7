/* Included before a workload: the rank that SLOW_RANK names works 3 ms longer before each call of the function that
   SLOW names. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static void workLonger(void) {
  int Rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  if (Rank != atoi(getenv("SLOW_RANK")))
    return;
  struct timespec Longer = {0, 3000000};
  nanosleep(&Longer, NULL);
}
#if defined(SLOW_IRECV)
#define MPI_Irecv(...) (workLonger(), MPI_Irecv(__VA_ARGS__))
#else
#define MPI_Send(...) (workLonger(), MPI_Send(__VA_ARGS__))
#endif
