// Parallel Ocean Program: each time step solves the barotropic mode by
// conjugate gradients until convergence, so the inner loop's trip count differs
// from step to step; then the step's velocities and tracers, fields of many
// levels, get their halo. Halo by Irecv, Isend and Waitall on a grid that is
// periodic from west to east only, two reductions an inner iteration. The
// varying trip counts defeat loop folding of event sequences (Scala-H-Trace,
// 2010, ch. 4 and 6).
#include "Workload.h"

enum { Levels = 3 };

// Opposite directions differ in the lowest bit: west, east, south, north.
static void updateHalo(Workload *W, const int *Neighbour, double *Out,
                       double *In, int Count, int Step) {
  MPI_Request Requests[8];
  int Active = 0;
  for (int D = 0; D < 4; ++D)
    if (Neighbour[D] != MPI_PROC_NULL)
      MPI_Irecv(In + D * Count, Count, MPI_DOUBLE, Neighbour[D], D ^ 1,
                MPI_COMM_WORLD, &Requests[Active++]);
  for (int D = 0; D < 4; ++D)
    if (Neighbour[D] != MPI_PROC_NULL) {
      stamp(Out + D * Count, Count, W->Rank, Neighbour[D], Step);
      MPI_Isend(Out + D * Count, Count, MPI_DOUBLE, Neighbour[D], D,
                MPI_COMM_WORLD, &Requests[Active++]);
    }
  MPI_Waitall(Active, Requests, MPI_STATUSES_IGNORE);
  for (int D = 0; D < 4; ++D)
    expect(W, In + D * Count, Count, Neighbour[D], W->Rank, Step);
}

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 6, 8);
  int Nx, Ny;
  factorGrid(W.Ranks, &Nx, &Ny);
  int X = W.Rank % Nx, Y = W.Rank / Nx, Base = Y * Nx;
  int Neighbour[4] = {
      Base + (X + Nx - 1) % Nx,
      Base + (X + 1) % Nx,
      Y > 0 ? W.Rank - Nx : MPI_PROC_NULL,
      Y < Ny - 1 ? W.Rank + Nx : MPI_PROC_NULL,
  };
  double *Out = newBuffer(4 * Levels * W.Size),
         *In = newBuffer(4 * Levels * W.Size);
  MPI_Bcast(&W.Iterations, 1, MPI_INT, 0, MPI_COMM_WORLD);

  for (int Step = 0; Step < W.Iterations; ++Step) {
    int Trips = 3 + (int)(mix(7, 8, (unsigned)Step) % 8);
    for (int Trip = 0; Trip < Trips; ++Trip) {
      updateHalo(&W, Neighbour, Out, In, W.Size, Trip);
      double Local[2] = {1, W.Rank}, Global[2] = {0, 0}, Residual = 1, Sum = 0;
      MPI_Allreduce(Local, Global, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      MPI_Allreduce(&Residual, &Sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      require(&W, Global[0] == W.Ranks && Sum == W.Ranks);
    }
    updateHalo(&W, Neighbour, Out, In, Levels * W.Size, Step);
    if (Step % 4 == 3) // diagnostics
      MPI_Reduce(Out, In, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }

  free(Out);
  free(In);
  return endWorkload(&W, "pop");
}
