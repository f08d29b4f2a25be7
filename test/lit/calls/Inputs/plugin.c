// What late.c loads. Uses predefined handles, and constants that are variables
// of the MPI library.
#include <mpi.h>
#include <stdio.h>

void go(void) {
  int Rank, One = 1, Sum = 0, Other;
  MPI_Comm Graph;
  MPI_Init(0, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  Other = 1 - Rank;
  MPI_Allreduce(&One, &Sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &Other, MPI_UNWEIGHTED, 1, &Other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &Graph);
  MPI_Neighbor_allgather(&Rank, 1, MPI_INT, &Other, 1, MPI_INT, Graph);
  MPI_Comm_free(&Graph);
  if (Sum == 2 && Other == 1 - Rank)
    puts("plugin ok");
  MPI_Finalize();
}
