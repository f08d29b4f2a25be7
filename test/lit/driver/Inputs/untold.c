// Messages whose receivers the trace cannot tell: on a communicator that was made while tracing was switched off. Those
// on MPI_COMM_WORLD are known. Any even number of ranks.
#include <mpi.h>

int main(int Argc, char **Argv) {
  int Rank, Out = 1, In;
  MPI_Comm Pair;
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Pcontrol(0);
  MPI_Comm_split(MPI_COMM_WORLD, Rank / 2, Rank, &Pair);
  MPI_Pcontrol(1);
  for (int I = 0; I < 3; ++I)
    MPI_Sendrecv(&Out, 1, MPI_INT, 1 - Rank % 2, 0, &In, 1, MPI_INT, 1 - Rank % 2, 0, Pair, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&Out, 1, MPI_INT, Rank ^ 1, 0, &In, 1, MPI_INT, Rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Comm_free(&Pair);
  MPI_Finalize();
  return 0;
}
