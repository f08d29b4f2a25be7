// Intercommunicators, neighbourhoods, MPI_Alltoallw, large counts.
#include <mpi.h>
#include <stdlib.h>

int main(int Argc, char **Argv) {
  int Rank, Ranks;
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  double *Out = calloc(256, sizeof(double)), *In = calloc(256, sizeof(double));
  MPI_Comm Half, Inter, Merged, Grid, Row, Ring;
  MPI_Comm_split(MPI_COMM_WORLD, Rank % 2, Rank, &Half);
  MPI_Intercomm_create(Half, 0, MPI_COMM_WORLD, 1 - Rank % 2, 5, &Inter);
  MPI_Bcast(Out, 8, MPI_DOUBLE, Rank % 2 ? 0 : Rank ? MPI_PROC_NULL : MPI_ROOT, Inter);
  MPI_Allgather(Out, 4, MPI_DOUBLE, In, 4, MPI_DOUBLE, Inter);
  MPI_Intercomm_merge(Inter, Rank % 2, &Merged);
  MPI_Barrier(Merged);
  int Dims[2] = {0, 0}, Wraps[2] = {1, 0}, Keep[2] = {0, 1};
  MPI_Dims_create(Ranks, 2, Dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, Dims, Wraps, 1, &Grid);
  MPI_Neighbor_alltoall(Out, 8, MPI_DOUBLE, In, 8, MPI_DOUBLE, Grid);
  MPI_Cart_sub(Grid, Keep, &Row);
  MPI_Neighbor_allgather(Out, 3, MPI_DOUBLE, In, 3, MPI_DOUBLE, Row);
  int Next = (Rank + 1) % Ranks, Last = (Rank + Ranks - 1) % Ranks;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &Last, MPI_UNWEIGHTED, 1, &Next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &Ring);
  MPI_Neighbor_allgather(Out, 16, MPI_DOUBLE, In, 16, MPI_DOUBLE, Ring);
  int *Counts = malloc((size_t)Ranks * sizeof(int)), *Places = malloc((size_t)Ranks * sizeof(int));
  MPI_Datatype *Types = malloc((size_t)Ranks * sizeof(MPI_Datatype));
  for (int R = 0; R < Ranks; ++R) {
    Counts[R] = 1 + (R + Rank) % 2;
    Places[R] = 16 * R;
    Types[R] = R % 2 ? MPI_INT : MPI_FLOAT;
  }
  int *BackCounts = malloc((size_t)Ranks * sizeof(int));
  MPI_Datatype *BackTypes = malloc((size_t)Ranks * sizeof(MPI_Datatype));
  for (int R = 0; R < Ranks; ++R) {
    BackCounts[R] = 1 + (R + Rank) % 2;
    BackTypes[R] = Rank % 2 ? MPI_INT : MPI_FLOAT;
  }
  MPI_Alltoallw(Out, Counts, Places, Types, In, BackCounts, Places, BackTypes, MPI_COMM_WORLD);
  MPI_Bcast_c(Out, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Allreduce_c(Out, In, 100, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  free(Counts);
  free(Places);
  free(Types);
  free(BackCounts);
  free(BackTypes);
  free(Out);
  free(In);
  MPI_Comm_free(&Half);
  MPI_Comm_free(&Inter);
  MPI_Comm_free(&Merged);
  MPI_Comm_free(&Row);
  MPI_Comm_free(&Grid);
  MPI_Comm_free(&Ring);
  MPI_Finalize();
  return 0;
}
