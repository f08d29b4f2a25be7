#include <iostream>
#include <mpi.h>
int main(int Argc, char **Argv) {
  MPI_Init(&Argc, &Argv);
  try {
    throw 42;
  } catch (int Value) {
    MPI_Barrier(MPI_COMM_WORLD);
    std::cout << "caught " << Value << std::endl;
  }
  MPI_Finalize();
}
