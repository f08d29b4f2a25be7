// Computes for half a second before the first of some barriers, and not at all before the others.
#include <mpi.h>
#include <time.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const struct timespec half = {0, 500000000};
  for (int i = 0; i < 10; ++i) {
    if (!i)
      nanosleep(&half, 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
