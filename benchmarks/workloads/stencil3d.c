// 3D 7-point stencil on a periodic Cartesian grid: Cart_create, Cart_shift, and
// Sendrecv along each axis. Imitates the second scaling test of Pilgrim (TPDS
// 2022, sec. 4.1): at most 27 kinds of ranks. There with Isend and Irecv.
#include "Workload.h"

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 20, 16);
  int Dims[3] = {0, 0, 0}, Periods[3] = {1, 1, 1}, Coords[3], Down[3], Up[3],
      Rank;
  MPI_Comm Grid;
  MPI_Dims_create(W.Ranks, 3, Dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, Dims, Periods, 0, &Grid);
  MPI_Comm_rank(Grid, &Rank);
  MPI_Cart_coords(Grid, Rank, 3, Coords);
  for (int Axis = 0; Axis < 3; ++Axis)
    MPI_Cart_shift(Grid, Axis, 1, &Down[Axis], &Up[Axis]);
  require(&W,
          Rank == W.Rank &&
              Rank == (Coords[0] * Dims[1] + Coords[1]) * Dims[2] + Coords[2]);
  double *Out = newBuffer(W.Size), *In = newBuffer(W.Size);

  for (int Step = 0; Step < W.Iterations; ++Step)
    for (int Axis = 0; Axis < 3; ++Axis) {
      stamp(Out, W.Size, Rank, Up[Axis], Step);
      MPI_Sendrecv(Out, W.Size, MPI_DOUBLE, Up[Axis], 2 * Axis, In, W.Size,
                   MPI_DOUBLE, Down[Axis], 2 * Axis, Grid, MPI_STATUS_IGNORE);
      expect(&W, In, W.Size, Down[Axis], Rank, Step);
      stamp(Out, W.Size, Rank, Down[Axis], Step);
      MPI_Sendrecv(Out, W.Size, MPI_DOUBLE, Down[Axis], 2 * Axis + 1, In,
                   W.Size, MPI_DOUBLE, Up[Axis], 2 * Axis + 1, Grid,
                   MPI_STATUS_IGNORE);
      expect(&W, In, W.Size, Up[Axis], Rank, Step);
    }

  free(Out);
  free(In);
  MPI_Comm_free(&Grid);
  return endWorkload(&W, "stencil3d");
}
