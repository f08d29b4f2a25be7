// NPB IS: bucket sort of integers. Each iteration reduces the bucket sizes,
// tells everyone the counts (Alltoall) and moves the keys (Alltoallv) with
// counts that change from iteration to iteration and from pair to pair; at the
// end each rank hands its largest key to the next. The count vectors are what
// grows with the square of the ranks.
#include "Workload.h"

// Keys that From sends to To in one iteration. The real benchmark learns it
// from the data.
static int keysBetween(int From, int To, int Step, int Size) {
  return (int)(mix((unsigned)From, (unsigned)To, (unsigned)Step) %
               (unsigned)Size);
}

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 10, 32);
  int P = W.Ranks, Bad = 0;
  int *SendCounts = allocate((size_t)P, sizeof(int)),
      *SendOffsets = allocate((size_t)P, sizeof(int));
  int *RecvCounts = allocate((size_t)P, sizeof(int)),
      *RecvOffsets = allocate((size_t)P, sizeof(int));
  int *Told = allocate((size_t)P, sizeof(int));
  double *Out = newBuffer(P * W.Size), *In = newBuffer(P * W.Size);
  double Buckets[16] = {1}, AllBuckets[16] = {0};

  for (int Step = 0; Step < W.Iterations; ++Step) {
    MPI_Allreduce(Buckets, AllBuckets, 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int Peer = 0; Peer < P; ++Peer) {
      SendCounts[Peer] = keysBetween(W.Rank, Peer, Step, W.Size);
      RecvCounts[Peer] = keysBetween(Peer, W.Rank, Step, W.Size);
      SendOffsets[Peer] =
          Peer ? SendOffsets[Peer - 1] + SendCounts[Peer - 1] : 0;
      RecvOffsets[Peer] =
          Peer ? RecvOffsets[Peer - 1] + RecvCounts[Peer - 1] : 0;
      stamp(Out + SendOffsets[Peer], SendCounts[Peer], W.Rank, Peer, Step);
    }
    MPI_Alltoall(SendCounts, 1, MPI_INT, Told, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(Out, SendCounts, SendOffsets, MPI_DOUBLE, In, RecvCounts,
                  RecvOffsets, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int Peer = 0; Peer < P; ++Peer) {
      Bad += Told[Peer] != RecvCounts[Peer];
      expect(&W, In + RecvOffsets[Peer], RecvCounts[Peer], Peer, W.Rank, Step);
    }
  }
  require(&W, Bad == 0);

  int Largest = W.Rank, Previous = -1;
  MPI_Request Request;
  if (W.Rank > 0)
    MPI_Irecv(&Previous, 1, MPI_INT, W.Rank - 1, 1000, MPI_COMM_WORLD,
              &Request);
  if (W.Rank < P - 1)
    MPI_Send(&Largest, 1, MPI_INT, W.Rank + 1, 1000, MPI_COMM_WORLD);
  if (W.Rank > 0)
    MPI_Wait(&Request, MPI_STATUS_IGNORE);
  require(&W, Previous == W.Rank - 1);

  free(SendCounts);
  free(SendOffsets);
  free(RecvCounts);
  free(RecvOffsets);
  free(Told);
  free(Out);
  free(In);
  return endWorkload(&W, "is");
}
