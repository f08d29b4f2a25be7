// Windows of nonblocking sends over doubling message sizes between pairs of
// ranks, with one short answer a window, as in the OSU microbenchmarks'
// bandwidth test (Pilgrim, TPDS 2022, sec. 4.1): many requests in flight at
// once.
#include "Workload.h"

enum { Window = 16 };

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 5, 1024);
  int Partner = W.Rank ^ 1, Paired = Partner < W.Ranks;
  double *Buffer = newBuffer(Window * W.Size), Answer = 0;
  MPI_Request Requests[Window];

  for (int Count = 1; Count <= W.Size; Count *= 4) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int Step = 0; Paired && Step < W.Iterations; ++Step) {
      if (W.Rank % 2 == 0) {
        for (int K = 0; K < Window; ++K) {
          stamp(Buffer + K * Count, Count, W.Rank, Partner, K);
          MPI_Isend(Buffer + K * Count, Count, MPI_DOUBLE, Partner, 1,
                    MPI_COMM_WORLD, &Requests[K]);
        }
        MPI_Waitall(Window, Requests, MPI_STATUSES_IGNORE);
        MPI_Recv(&Answer, 1, MPI_DOUBLE, Partner, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        expect(&W, &Answer, 1, Partner, W.Rank, Step);
      } else {
        for (int K = 0; K < Window; ++K)
          MPI_Irecv(Buffer + K * Count, Count, MPI_DOUBLE, Partner, 1,
                    MPI_COMM_WORLD, &Requests[K]);
        MPI_Waitall(Window, Requests, MPI_STATUSES_IGNORE);
        for (int K = 0; K < Window; ++K)
          expect(&W, Buffer + K * Count, Count, Partner, W.Rank, K);
        stamp(&Answer, 1, W.Rank, Partner, Step);
        MPI_Send(&Answer, 1, MPI_DOUBLE, Partner, 2, MPI_COMM_WORLD);
      }
    }
  }

  free(Buffer);
  return endWorkload(&W, "bandwidth");
}
