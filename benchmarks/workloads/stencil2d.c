// 2D 5-point stencil on a non-periodic grid: Irecv, Isend and Waitall with the
// four neighbours, MPI_PROC_NULL at the edges. Imitates the first scaling test
// of Pilgrim (TPDS 2022, sec. 4.1): nine kinds of ranks whatever the number of
// ranks.
#include "Workload.h"

// Directions are numbered so that the opposite of D is D ^ 1: west, east,
// north, south; a message carries its direction as tag.

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 20, 16);
  int Nx, Ny;
  factorGrid(W.Ranks, &Nx, &Ny);
  int X = W.Rank % Nx, Y = W.Rank / Nx;
  int Neighbour[4] = {
      X > 0 ? W.Rank - 1 : MPI_PROC_NULL,
      X < Nx - 1 ? W.Rank + 1 : MPI_PROC_NULL,
      Y > 0 ? W.Rank - Nx : MPI_PROC_NULL,
      Y < Ny - 1 ? W.Rank + Nx : MPI_PROC_NULL,
  };
  double *Out = newBuffer(4 * W.Size), *In = newBuffer(4 * W.Size);

  for (int Step = 0; Step < W.Iterations; ++Step) {
    MPI_Request Requests[8];
    for (int D = 0; D < 4; ++D)
      MPI_Irecv(In + D * W.Size, W.Size, MPI_DOUBLE, Neighbour[D], D ^ 1,
                MPI_COMM_WORLD, &Requests[D]);
    for (int D = 0; D < 4; ++D) {
      stamp(Out + D * W.Size, W.Size, W.Rank, Neighbour[D], Step);
      MPI_Isend(Out + D * W.Size, W.Size, MPI_DOUBLE, Neighbour[D], D,
                MPI_COMM_WORLD, &Requests[4 + D]);
    }
    MPI_Waitall(8, Requests, MPI_STATUSES_IGNORE);
    for (int D = 0; D < 4; ++D)
      expect(&W, In + D * W.Size, W.Size, Neighbour[D], W.Rank, Step);
  }

  free(Out);
  free(In);
  return endWorkload(&W, "stencil2d");
}
