// Process topologies and persistent collectives: a distributed graph with
// neighbour collectives (blocking, nonblocking and with vectors), a Cartesian
// grid with sub-grids, and MPI 4 persistent Allreduce (an ordinary one where the
// MPI is older). The parts of the standard that trace compressors usually leave
// out and Pilgrim records (TPDS 2022).
#include "Workload.h"

enum { Degree = 2 };

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 10, 8);
  int P = W.Ranks, Size = W.Size;

  // A ring as a directed graph: to the next one and the one after. Alone, there
  // is one edge, to itself.
  int Edges = P > 1 ? Degree : 1;
  int To[Degree] = {(W.Rank + 1) % P, (W.Rank + 2) % P};
  int From[Degree] = {(W.Rank + P - 1) % P, (W.Rank + 2 * P - 2) % P};
  MPI_Comm Graph, Grid, Line;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, Edges, From, MPI_UNWEIGHTED,
                                 Edges, To, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &Graph);
  int In, Out, Weighted;
  MPI_Dist_graph_neighbors_count(Graph, &In, &Out, &Weighted);
  require(&W, In == Edges && Out == Edges && !Weighted);
  double *Send = newBuffer(Degree * Size), *Receive = newBuffer(Degree * Size);
  int Counts[Degree] = {Size / 2 + 1, Size / 4 + 1},
      Offsets[Degree] = {0, Size};

  int Dims[2] = {0, 0}, Periods[2] = {0, 1}, Keep[2] = {0, 1}, Coords[2];
  MPI_Dims_create(P, 2, Dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, Dims, Periods, 1, &Grid);
  MPI_Cart_get(Grid, 2, Dims, Periods, Coords);
  MPI_Cart_sub(Grid, Keep, &Line);

  double One = 1, Sum = 0;
  MPI_Request Request;
#if MPI_VERSION >= 4
  MPI_Request Persistent;
  MPI_Allreduce_init(&One, &Sum, 1, MPI_DOUBLE, MPI_SUM, Line, MPI_INFO_NULL,
                     &Persistent);
#endif

  for (int Step = 0; Step < W.Iterations; ++Step) {
    for (int K = 0; K < Edges; ++K)
      stamp(Send + K * Size, Size, W.Rank, To[K], Step + K);
    MPI_Neighbor_alltoall(Send, Size, MPI_DOUBLE, Receive, Size, MPI_DOUBLE,
                          Graph);
    for (int K = 0; K < Edges; ++K)
      expect(&W, Receive + K * Size, Size, From[K], W.Rank, Step + K);
    MPI_Ineighbor_alltoallv(Send, Counts, Offsets, MPI_DOUBLE, Receive, Counts,
                            Offsets, MPI_DOUBLE, Graph, &Request);
    MPI_Wait(&Request, MPI_STATUS_IGNORE);
    for (int K = 0; K < Edges; ++K)
      expect(&W, Receive + K * Size, Counts[K], From[K], W.Rank, Step + K);
    stamp(Send, Size, W.Rank, W.Rank, Step);
    MPI_Neighbor_allgather(Send, Size, MPI_DOUBLE, Receive, Size, MPI_DOUBLE,
                           Graph);
    for (int K = 0; K < Edges; ++K)
      expect(&W, Receive + K * Size, Size, From[K], From[K], Step);
#if MPI_VERSION >= 4
    MPI_Start(&Persistent);
    MPI_Wait(&Persistent, MPI_STATUS_IGNORE);
#else
    MPI_Allreduce(&One, &Sum, 1, MPI_DOUBLE, MPI_SUM, Line);
#endif
    require(&W, Sum == Dims[1]);
    Sum = 0;
  }

#if MPI_VERSION >= 4
  MPI_Request_free(&Persistent);
#endif
  MPI_Comm_free(&Line);
  MPI_Comm_free(&Grid);
  MPI_Comm_free(&Graph);
  free(Send);
  free(Receive);
  return endWorkload(&W, "topo");
}
