// One of each collective call, of sizes that tell them apart. For three ranks.
#include <mpi.h>

int main(int Argc, char **Argv) {
  static int A[64], B[64];
  int Rank, Counts[3] = {1, 2, 3}, Places[3] = {0, 1, 3}, ToEach[3], PlacesOfEach[3] = {0, 8, 16}, FromEach[3];
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Bcast(A, 10, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Reduce(A, B, 2, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD);
  MPI_Gather(A, 3, MPI_INT, B, 3, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Gatherv(A, Counts[Rank], MPI_INT, B, Counts, Places, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatter(A, 4, MPI_INT, B, 4, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatterv(A, Counts, Places, MPI_INT, B, Counts[Rank], MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Allgather(A, 5, MPI_INT, B, 5, MPI_INT, MPI_COMM_WORLD);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, B, Counts, Places, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoall(A, 6, MPI_INT, B, 6, MPI_INT, MPI_COMM_WORLD);
  for (int I = 0; I < 3; ++I) {
    ToEach[I] = 1 + Rank + I;
    FromEach[I] = 1 + Rank + I;
  }
  MPI_Alltoallv(A, ToEach, PlacesOfEach, MPI_INT, B, FromEach, PlacesOfEach, MPI_INT, MPI_COMM_WORLD);
  MPI_Allreduce(A, B, 7, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter(A, B, Counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(A, B, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Scan(A, B, 9, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  // Rank 0 on one side, 2 and 1 on the other; the root is 2, then 0.
  MPI_Comm Side, Both;
  MPI_Comm_split(MPI_COMM_WORLD, Rank == 0, -Rank, &Side);
  MPI_Intercomm_create(Side, 0, MPI_COMM_WORLD, Rank ? 0 : 2, 1, &Both);
  MPI_Bcast(A, 11, MPI_INT, Rank == 0 ? 0 : Rank == 2 ? MPI_ROOT : MPI_PROC_NULL, Both);
  MPI_Gather(A, 12, MPI_INT, B, 12, MPI_INT, Rank == 0 ? MPI_ROOT : 0, Both);
  MPI_Allreduce(A, B, 13, MPI_INT, MPI_SUM, Both);
  MPI_Comm_free(&Both);
  MPI_Comm_free(&Side);
  MPI_Finalize();
  return 0;
}
