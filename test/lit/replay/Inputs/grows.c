// Rank 0 sends as many numbers as there are ranks; rank 1 has room for a hundred.
#include <mpi.h>

int main(int Argc, char **Argv) {
  static int Numbers[100];
  int Rank, Ranks;
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  if (Rank == 0)
    MPI_Send(Numbers, Ranks, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (Rank == 1)
    MPI_Recv(Numbers, 100, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
