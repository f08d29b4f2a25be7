#include <mpi.h>
int main(int argc, char **argv) {
  int p, x = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &p);
#pragma omp parallel num_threads(1)
  {
#pragma omp critical
    MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_SELF);
#pragma omp critical(named)
    MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_SELF);
#pragma omp master
    MPI_Barrier(MPI_COMM_SELF);
#pragma omp single
    MPI_Barrier(MPI_COMM_SELF);
  }
  MPI_Finalize();
  return 0;
}
