// Requests that are made while tracing is off, and started while it is on.
#include <mpi.h>

int main(int Argc, char **Argv) {
  int Rank, Data = 0;
  MPI_Request Hidden, Known;
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Pcontrol(0);
  if (Rank)
    MPI_Recv_init(&Data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &Hidden);
  else
    MPI_Send_init(&Data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &Hidden);
  MPI_Pcontrol(1);
  if (Rank)
    MPI_Recv_init(&Data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &Known);
  else
    MPI_Send_init(&Data, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &Known);
  for (int I = 0; I < 3; ++I) {
    MPI_Start(&Hidden);
    MPI_Wait(&Hidden, MPI_STATUS_IGNORE);
    MPI_Start(&Known);
    MPI_Wait(&Known, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&Known);
  MPI_Request_free(&Hidden);
  MPI_Finalize();
  return 0;
}
