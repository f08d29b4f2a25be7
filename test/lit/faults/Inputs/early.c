// Rank 1 ends the run (how: argv[1]; all: all ranks do, at the same time; each: with another communicator) while the others are where argv[2] says: in a call, in MPI_Finalize, or outside of MPI;
// or in MPI_Finalize, where a signal ends rank 0.
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank;
  const char *end = argv[1], *where = argv[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 10; ++i)
    MPI_Barrier(MPI_COMM_WORLD);
  if (!strcmp(end, "all"))
    MPI_Abort(MPI_COMM_WORLD, 3);
  if (!strcmp(end, "each")) {
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Abort(other, 3);
  }
  if (rank == 1) {
    usleep(400000); // until the others are there
    if (!strcmp(end, "exit"))
      exit(3);
    if (!strcmp(end, "_exit"))
      _exit(3);
    if (!strcmp(end, "MPI_Abort"))
      MPI_Abort(MPI_COMM_WORLD, 3);
    if (!strcmp(end, "error")) // which is fatal: there is no such rank
      MPI_Send(&rank, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    if (!strcmp(end, "sleep"))
      sleep(20);
    raise(!strcmp(end, "SIGSEGV") ? SIGSEGV : SIGTERM);
  }
  if (!strcmp(where, "call"))
    MPI_Recv(&rank, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!strcmp(where, "outside"))
    sleep(20);
  if (!strcmp(where, "alarm") && rank == 0)
    alarm(1);
  MPI_Finalize();
}
