// A library that makes MPI calls and calls back; built with or without markers.
#include "library.h"

void exchange(int Rounds, void (*Each)(int, void *), void *Data) {
  for (int I = 0; I < Rounds; ++I) {
    int Out = I, In = -1;
    MPI_Sendrecv(&Out, 1, MPI_INT, 0, 3, &In, 1, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    if (In != I)
      MPI_Abort(MPI_COMM_WORLD, 3);
    Each(I, Data);
    if (I % 3 == 1)
      MPI_Barrier(MPI_COMM_SELF);
  }
}
