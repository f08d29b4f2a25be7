// FLASH Cellular: a uniform 3D mesh, one block a rank, non-periodic. Guard
// cells go one axis after the other by blocking Send and Recv, even places
// first, then the time step is reduced and broadcast. Its matrix of messages
// looks like that of NPB MG (Pilgrim, TPDS 2022, sec. 4.3, fig. 9).
#include "Workload.h"

static void passOn(Workload *W, double *Buffer, int Count, int To, int Tag,
                   int Step) {
  if (To < 0)
    return;
  stamp(Buffer, Count, W->Rank, To, Step);
  MPI_Send(Buffer, Count, MPI_DOUBLE, To, Tag, MPI_COMM_WORLD);
}

static void take(Workload *W, double *Buffer, int Count, int From, int Tag,
                 int Step) {
  if (From < 0)
    return;
  MPI_Recv(Buffer, Count, MPI_DOUBLE, From, Tag, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  expect(W, Buffer, Count, From, W->Rank, Step);
}

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 20, 8);
  int Dims[3] = {0, 0, 0}, Coords[3], Lower[3], Upper[3];
  MPI_Dims_create(W.Ranks, 3, Dims);
  for (int Axis = 2, Stride = 1; Axis >= 0; Stride *= Dims[Axis], --Axis) {
    Coords[Axis] = W.Rank / Stride % Dims[Axis];
    Lower[Axis] = Coords[Axis] > 0 ? W.Rank - Stride : -1;
    Upper[Axis] = Coords[Axis] < Dims[Axis] - 1 ? W.Rank + Stride : -1;
  }
  int Count = 4 * W.Size * W.Size; // four layers of guard cells
  double *Buffer = newBuffer(Count);

  for (int Step = 0; Step < W.Iterations; ++Step) {
    for (int Axis = 0; Axis < 3; ++Axis) {
      if (Coords[Axis] % 2 == 0) {
        passOn(&W, Buffer, Count, Upper[Axis], Axis, Step);
        take(&W, Buffer, Count, Upper[Axis], Axis, Step);
        passOn(&W, Buffer, Count, Lower[Axis], Axis, Step);
        take(&W, Buffer, Count, Lower[Axis], Axis, Step);
      } else {
        take(&W, Buffer, Count, Lower[Axis], Axis, Step);
        passOn(&W, Buffer, Count, Lower[Axis], Axis, Step);
        take(&W, Buffer, Count, Upper[Axis], Axis, Step);
        passOn(&W, Buffer, Count, Upper[Axis], Axis, Step);
      }
    }
    double TimeStep = W.Ranks - W.Rank, Smallest = 0;
    MPI_Allreduce(&TimeStep, &Smallest, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    require(&W, Smallest == 1);
    MPI_Bcast(&Smallest, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }

  free(Buffer);
  return endWorkload(&W, "cellular");
}
