#include <mpi.h>
#include <stdio.h>
int step(int Rank);
int main(int Argc, char **Argv) {
  MPI_Init(&Argc, &Argv);
  printf("stepped to %d\n", step(41));
  MPI_Finalize();
  return 0;
}
