// Ping-pong over doubling message sizes between pairs of ranks, as in the OSU
// microbenchmarks' latency test (Pilgrim, TPDS 2022, sec. 4.1). The size
// changes only between the repetitions.
#include "Workload.h"

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 10, 4096);
  int Partner = W.Rank ^ 1, Paired = Partner < W.Ranks;
  double *Buffer = newBuffer(W.Size);

  for (int Count = 1; Count <= W.Size; Count *= 4) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int Step = 0; Paired && Step < W.Iterations; ++Step) {
      if (W.Rank % 2 == 0) {
        stamp(Buffer, Count, W.Rank, Partner, Step);
        MPI_Send(Buffer, Count, MPI_DOUBLE, Partner, 1, MPI_COMM_WORLD);
        MPI_Recv(Buffer, Count, MPI_DOUBLE, Partner, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        expect(&W, Buffer, Count, Partner, W.Rank, Step);
      } else {
        MPI_Recv(Buffer, Count, MPI_DOUBLE, Partner, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        expect(&W, Buffer, Count, Partner, W.Rank, Step);
        stamp(Buffer, Count, W.Rank, Partner, Step);
        MPI_Send(Buffer, Count, MPI_DOUBLE, Partner, 1, MPI_COMM_WORLD);
      }
    }
  }

  free(Buffer);
  return endWorkload(&W, "latency");
}
