// Computes for a second and a half before the first of ten barriers, and not at all before the others.
#include <mpi.h>
#include <time.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const struct timespec long_time = {1, 500000000};
  for (int i = 0; i < 10; ++i) {
    if (!i)
      nanosleep(&long_time, 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
