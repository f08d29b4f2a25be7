// NPB FT with a 2D decomposition: a 3D FFT transposes by Alltoall within rows,
// then within columns, of the grid of ranks, and reduces one checksum an
// iteration. Only collectives: one signature for all ranks (Pilgrim, TPDS 2022,
// sec. 4.2).
#include "Workload.h"

static void transpose(Workload *W, MPI_Comm Comm, double *Out, double *In,
                      int Count, int Step) {
  int Rank, Ranks;
  MPI_Comm_rank(Comm, &Rank);
  MPI_Comm_size(Comm, &Ranks);
  for (int To = 0; To < Ranks; ++To)
    stamp(Out + To * Count, Count, Rank, To, Step);
  MPI_Alltoall(Out, Count, MPI_DOUBLE, In, Count, MPI_DOUBLE, Comm);
  for (int From = 0; From < Ranks; ++From)
    expect(W, In + From * Count, Count, From, Rank, Step);
}

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 10, 4);
  int Nx, Ny;
  factorGrid(W.Ranks, &Nx, &Ny);
  MPI_Comm Row, Column;
  MPI_Comm_split(MPI_COMM_WORLD, W.Rank / Nx, W.Rank % Nx, &Row);
  MPI_Comm_split(MPI_COMM_WORLD, W.Rank % Nx, W.Rank / Nx, &Column);
  MPI_Bcast(&W.Size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  int Count = 2 * W.Size; // complex numbers
  double *Out = newBuffer(Nx * Count), *In = newBuffer(Nx * Count);

  for (int Step = 0; Step < W.Iterations; ++Step) {
    transpose(&W, Row, Out, In, Count, Step);
    transpose(&W, Column, Out, In, Count, Step);
    double Mine[2] = {1, W.Rank}, Checksum[2] = {0, 0};
    MPI_Reduce(Mine, Checksum, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    require(&W, W.Rank != 0 || Checksum[0] == W.Ranks);
  }

  free(Out);
  free(In);
  MPI_Comm_free(&Row);
  MPI_Comm_free(&Column);
  return endWorkload(&W, "ft");
}
