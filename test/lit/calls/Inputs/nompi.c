// Asks whether MPI is there, which it is not, and then takes it to be.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int initialized = 1, finalized = 1;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  printf("initialized %d finalized %d\n", initialized, finalized);
  fflush(stdout);
  MPI_Init(&argc, &argv);
  return 0;
}
