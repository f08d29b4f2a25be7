#include <mpi.h>
#include <stdio.h>
#ifndef TEXT
#define TEXT "hello"
#endif
int main(int Argc, char **Argv) {
  int Rank;
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("%s from %d\n", TEXT, Rank);
  MPI_Finalize();
  return 0;
}
