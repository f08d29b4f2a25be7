#include <mpi.h>
#include <stdio.h>
int main(int Argc, char **Argv) {
  int Sum = 0;
  MPI_Init(&Argc, &Argv);
  for (int I = 0; I < 10; ++I) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (I % 3 == 0)
      MPI_Allreduce(&I, &Sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  printf("sum %d\n", Sum);
  MPI_Finalize();
  return 0;
}
