// FLASH StirTurb: a PARAMESH mesh without refinement. Blocks are dealt out once
// at the start (every rank passes blocks to another), then each step fills
// guard cells with Sendrecv along the Morton curve and reduces the time step.
// Only blocking calls; two kinds of ranks, rank 0 and the others (Pilgrim, TPDS
// 2022, sec. 4.3, table 5).
#include "Workload.h"

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 20, 8);
  int Face = W.Size * W.Size, P = W.Ranks;
  double *Out = newBuffer(8 * Face), *In = newBuffer(8 * Face);
  MPI_Bcast(&W.Size, 1, MPI_INT, 0, MPI_COMM_WORLD);

  // The one regrouping: whole blocks move half-way round the curve, rank 0
  // announces the new limits.
  int Limits[2] = {0, P};
  MPI_Bcast(Limits, 2, MPI_INT, 0, MPI_COMM_WORLD);
  int Blocks = 1, FirstBlock = 0;
  MPI_Scan(&Blocks, &FirstBlock, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  require(&W, FirstBlock == W.Rank + 1);
  int To = (W.Rank + P / 2) % P, From = (W.Rank - P / 2 + P) % P;
  stamp(Out, 8 * Face, W.Rank, To, -1);
  MPI_Sendrecv(Out, 8 * Face, MPI_DOUBLE, To, 1, In, 8 * Face, MPI_DOUBLE, From,
               1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect(&W, In, 8 * Face, From, W.Rank, -1);
  MPI_Barrier(MPI_COMM_WORLD);

  for (int Step = 0; Step < W.Iterations; ++Step) {
    for (int Distance = 1; Distance < P; Distance *= 2) {
      int Next = (W.Rank + Distance) % P,
          Previous = (W.Rank - Distance + P) % P;
      stamp(Out, Face, W.Rank, Next, Step);
      MPI_Sendrecv(Out, Face, MPI_DOUBLE, Next, 2, In, Face, MPI_DOUBLE,
                   Previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      expect(&W, In, Face, Previous, W.Rank, Step);
      stamp(Out, Face, W.Rank, Previous, Step);
      MPI_Sendrecv(Out, Face, MPI_DOUBLE, Previous, 3, In, Face, MPI_DOUBLE,
                   Next, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      expect(&W, In, Face, Next, W.Rank, Step);
    }
    double TimeStep = W.Rank + Step, Smallest = 0, Energy[3] = {1, 2, 3},
           Total[3] = {0};
    MPI_Allreduce(&TimeStep, &Smallest, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    require(&W, Smallest == Step);
    MPI_Reduce(Energy, Total, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }

  free(Out);
  free(In);
  return endWorkload(&W, "stirturb");
}
