/* Three computations of their own length in a loop nest, and one MPI_Send (figure 1 of Ratn, Mueller, de Supinski,
   Schulz, "Preserving Time in Large-Scale Communication Traces"): the gap before it depends on the way to it. */
#include <mpi.h>
#include <time.h>

static void compute(int Milliseconds) {
  struct timespec T = {0, Milliseconds * 1000000L};
  nanosleep(&T, NULL);
}

int main(int argc, char **argv) {
  int Rank, Value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  for (int I = 0; I < 6; ++I) {
    for (int J = 0; J < 5; ++J) {
      compute(J ? 2 : 8);
      if (Rank == 0)
        MPI_Send(&Value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
      else
        MPI_Recv(&Value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    compute(16);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
