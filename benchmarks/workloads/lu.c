// NPB LU: SSOR wavefront. Planes sweep from the north-west to the south-east
// corner and back with many small blocking messages, then one halo exchange
// (Irecv, Send, Wait), and a norm every fifth step. Rank kinds are those of a
// 2D stencil, loop counts are long (Pilgrim, TPDS 2022, sec. 4.2; CYPRESS, SC
// 2014, fig. 16).
#include "Workload.h"

typedef struct {
  int North, South, West, East;
  int Planes, Count;
  double *Buffer;
} Grid;

static void receive(Workload *W, Grid *G, int From, int Tag, int Step) {
  if (From < 0)
    return;
  MPI_Status Status;
  MPI_Recv(G->Buffer, G->Count, MPI_DOUBLE, From, Tag, MPI_COMM_WORLD, &Status);
  expect(W, G->Buffer, G->Count, From, W->Rank, Step);
}

static void send(Workload *W, Grid *G, int To, int Tag, int Step) {
  if (To < 0)
    return;
  stamp(G->Buffer, G->Count, W->Rank, To, Step);
  MPI_Send(G->Buffer, G->Count, MPI_DOUBLE, To, Tag, MPI_COMM_WORLD);
}

static void exchangeHalo(Workload *W, Grid *G, int To, int From, int Tag,
                         int Step) {
  MPI_Request Request;
  MPI_Status Status;
  double *Halo = newBuffer(2 * G->Count);
  if (From >= 0)
    MPI_Irecv(Halo, 2 * G->Count, MPI_DOUBLE, From, Tag, MPI_COMM_WORLD,
              &Request);
  if (To >= 0) {
    double *Out = newBuffer(2 * G->Count);
    stamp(Out, 2 * G->Count, W->Rank, To, Step);
    MPI_Send(Out, 2 * G->Count, MPI_DOUBLE, To, Tag, MPI_COMM_WORLD);
    free(Out);
  }
  if (From >= 0) {
    MPI_Wait(&Request, &Status);
    expect(W, Halo, 2 * G->Count, From, W->Rank, Step);
  }
  free(Halo);
}

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 4, 16);
  int Nx, Ny;
  factorGrid(W.Ranks, &Nx, &Ny);
  int X = W.Rank % Nx, Y = W.Rank / Nx;
  Grid G = {
      Y > 0 ? W.Rank - Nx : -1,
      Y < Ny - 1 ? W.Rank + Nx : -1,
      X > 0 ? W.Rank - 1 : -1,
      X < Nx - 1 ? W.Rank + 1 : -1,
      W.Size,
      5 * ((W.Size + Nx - 1) / Nx),
      NULL,
  };
  G.Buffer = newBuffer(G.Count);
  MPI_Bcast(&W.Iterations, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(&W.Size, 1, MPI_INT, 0, MPI_COMM_WORLD);

  for (int Step = 0; Step < W.Iterations; ++Step) {
    for (int Plane = 0; Plane < G.Planes; ++Plane) {
      receive(&W, &G, G.North, 1, Plane);
      receive(&W, &G, G.West, 2, Plane);
      send(&W, &G, G.South, 1, Plane);
      send(&W, &G, G.East, 2, Plane);
    }
    for (int Plane = G.Planes; Plane-- > 0;) {
      receive(&W, &G, G.South, 3, Plane);
      receive(&W, &G, G.East, 4, Plane);
      send(&W, &G, G.North, 3, Plane);
      send(&W, &G, G.West, 4, Plane);
    }
    exchangeHalo(&W, &G, G.South, G.North, 5, Step);
    exchangeHalo(&W, &G, G.North, G.South, 6, Step);
    exchangeHalo(&W, &G, G.East, G.West, 7, Step);
    exchangeHalo(&W, &G, G.West, G.East, 8, Step);
    if (Step % 5 == 4 || Step == W.Iterations - 1) {
      double Norm[5] = {1, 1, 1, 1, 1}, Sums[5] = {0};
      MPI_Allreduce(Norm, Sums, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      require(&W, Sums[4] == W.Ranks);
    }
  }

  free(G.Buffer);
  return endWorkload(&W, "lu");
}
