// Process topologies.

#include "Recorder.h"

EXPORT int MPI_Dims_create(int nnodes, int ndims, int dims[]) {
  OPEN(MPI_Dims_create);
  addInt(&R, "nnodes", nnodes);
  addInt(&R, "ndims", ndims);
  R.Code = PMPI_Dims_create(nnodes, ndims, dims);
  addInts(&R, "dims", dims, ndims);
  return closeRecord(&R);
}

EXPORT int MPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[],
                           const int periods[], int reorder,
                           MPI_Comm *comm_cart) {
  OPEN(MPI_Cart_create);
  addComm(&R, "comm_old", comm_old);
  addInt(&R, "ndims", ndims);
  addInts(&R, "dims", dims, ndims);
  addFlags(&R, "periods", periods, ndims);
  addFlag(&R, "reorder", reorder);
  R.Code = PMPI_Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart);
  addCreated(&R, "comm_cart", Comm, HANDLE(*comm_cart));
  return closeRecord(&R);
}

EXPORT int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[],
                        MPI_Comm *newcomm) {
  OPEN(MPI_Cart_sub);
  addComm(&R, "comm", comm);
  addFlags(&R, "remain_dims", remain_dims, dimensions(comm));
  R.Code = PMPI_Cart_sub(comm, remain_dims, newcomm);
  addCreated(&R, "newcomm", Comm, HANDLE(*newcomm));
  return closeRecord(&R);
}

EXPORT int MPI_Cart_shift(MPI_Comm comm, int direction, int disp,
                          int *rank_source, int *rank_dest) {
  OPEN(MPI_Cart_shift);
  addComm(&R, "comm", comm);
  addInt(&R, "direction", direction);
  addInt(&R, "disp", disp);
  R.Code = PMPI_Cart_shift(comm, direction, disp, rank_source, rank_dest);
  if (R.Code == MPI_SUCCESS) {
    addRank(&R, "rank_source", *rank_source);
    addRank(&R, "rank_dest", *rank_dest);
  } else {
    addNull(&R, "rank_source");
    addNull(&R, "rank_dest");
  }
  return closeRecord(&R);
}

EXPORT int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) {
  OPEN(MPI_Cart_coords);
  addComm(&R, "comm", comm);
  addRank(&R, "rank", rank);
  addInt(&R, "maxdims", maxdims);
  R.Code = PMPI_Cart_coords(comm, rank, maxdims, coords);
  // Room for more dimensions than there are stays as it was.
  int Dimensions = dimensions(comm);
  if (R.Code == MPI_SUCCESS)
    addInts(&R, "coords", coords, maxdims < Dimensions ? maxdims : Dimensions);
  else
    addNull(&R, "coords");
  return closeRecord(&R);
}

static void addWeights(Record *R, const char *Name, const int *Weights,
                       int Count) {
  if (Weights != MPI_UNWEIGHTED && Weights != MPI_WEIGHTS_EMPTY) {
    addInts(R, Name, Weights, Count);
    return;
  }
  addName(R, Name);
  append(&R->Arguments, "\"%s\"",
         Weights == MPI_UNWEIGHTED ? "MPI_UNWEIGHTED" : "MPI_WEIGHTS_EMPTY");
}

EXPORT int
MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree,
                               const int sources[], const int sourceweights[],
                               int outdegree, const int destinations[],
                               const int destweights[], MPI_Info info,
                               int reorder, MPI_Comm *comm_dist_graph) {
  OPEN(MPI_Dist_graph_create_adjacent);
  addComm(&R, "comm_old", comm_old);
  addInt(&R, "indegree", indegree);
  addInts(&R, "sources", sources, indegree);
  addWeights(&R, "sourceweights", sourceweights, indegree);
  addInt(&R, "outdegree", outdegree);
  addInts(&R, "destinations", destinations, outdegree);
  addWeights(&R, "destweights", destweights, outdegree);
  addInfo(&R, "info", info);
  addFlag(&R, "reorder", reorder);
  R.Code = PMPI_Dist_graph_create_adjacent(
      comm_old, indegree, sources, sourceweights, outdegree, destinations,
      destweights, info, reorder, comm_dist_graph);
  addCreated(&R, "comm_dist_graph", Comm, HANDLE(*comm_dist_graph));
  return closeRecord(&R);
}
