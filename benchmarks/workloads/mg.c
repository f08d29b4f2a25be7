// NPB MG: multigrid V-cycles on a 3D periodic grid of ranks. Neighbours and
// message sizes depend on the level: on coarse levels only every second,
// fourth, ... rank of an axis has a cell left and talks to one farther away.
// The nested branches around the exchanges are what bottom-up compression pays
// for (CYPRESS, SC 2014, sec. VII). Needs a power of two; the ranks beyond it
// only take part in the collectives.
#include "Workload.h"

enum { Axes = 3, Levels = 5 };

typedef struct {
  int Active;
  int Dims[Axes], Coords[Axes];
  double *Out, *In;
} Grid;

static int rankAt(const Grid *G, int Axis, int Coord) {
  int C[Axes] = {G->Coords[0], G->Coords[1], G->Coords[2]};
  C[Axis] = (Coord % G->Dims[Axis] + G->Dims[Axis]) % G->Dims[Axis];
  return (C[2] * G->Dims[1] + C[1]) * G->Dims[0] + C[0];
}

// Exchanges the faces of one level in both directions of each axis.
static void exchangeFaces(Workload *W, Grid *G, int Level) {
  int Cells =
      W->Size >> (Levels - 1 - Level); // of the whole axis, on this level
  Cells = Cells > 1 ? Cells : 1;
  int Stride[Axes];
  for (int Axis = 0; Axis < Axes; ++Axis) {
    Stride[Axis] = G->Dims[Axis] > Cells ? G->Dims[Axis] / Cells : 1;
    if (G->Coords[Axis] % Stride[Axis] != 0)
      return;
  }
  for (int Axis = 0; Axis < Axes; ++Axis) {
    if (G->Dims[Axis] / Stride[Axis] == 1)
      continue;
    int Local = Cells / (G->Dims[Axis] / Stride[Axis]) + 2,
        Count = Local * Local;
    for (int Direction = -1; Direction <= 1; Direction += 2) {
      int To = rankAt(G, Axis, G->Coords[Axis] + Direction * Stride[Axis]);
      int From = rankAt(G, Axis, G->Coords[Axis] - Direction * Stride[Axis]);
      MPI_Request Request;
      MPI_Irecv(G->In, Count, MPI_DOUBLE, From, 100 + Direction, MPI_COMM_WORLD,
                &Request);
      stamp(G->Out, Count, W->Rank, To, Level);
      MPI_Send(G->Out, Count, MPI_DOUBLE, To, 100 + Direction, MPI_COMM_WORLD);
      MPI_Wait(&Request, MPI_STATUS_IGNORE);
      expect(W, G->In, Count, From, W->Rank, Level);
    }
  }
}

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 4, 32);
  Grid G = {largestPowerOfTwo(W.Ranks), {1, 1, 1}, {0, 0, 0}, NULL, NULL};
  for (int Axis = 0, Left = G.Active; Left > 1;
       Left /= 2, Axis = (Axis + 1) % Axes)
    G.Dims[Axis] *= 2;
  G.Coords[0] = W.Rank % G.Dims[0];
  G.Coords[1] = W.Rank / G.Dims[0] % G.Dims[1];
  G.Coords[2] = W.Rank / (G.Dims[0] * G.Dims[1]);
  G.Out = newBuffer((W.Size + 2) * (W.Size + 2));
  G.In = newBuffer((W.Size + 2) * (W.Size + 2));

  for (int Cycle = 0; Cycle < W.Iterations; ++Cycle) {
    if (W.Rank < G.Active) {
      for (int Level = Levels - 1; Level > 0; --Level) // restrict
        exchangeFaces(&W, &G, Level);
      exchangeFaces(&W, &G, 0);
      for (int Level = 1; Level < Levels;
           ++Level) { // interpolate, residual, smooth
        exchangeFaces(&W, &G, Level);
        exchangeFaces(&W, &G, Level);
      }
    }
    double Norm = W.Rank, Max = 0, Sum = 0;
    MPI_Allreduce(&Norm, &Sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&Norm, &Max, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    require(&W, Max == W.Ranks - 1);
  }

  free(G.Out);
  free(G.In);
  return endWorkload(&W, "mg");
}
