// FLASH Sedov: adaptive mesh refinement. Every tenth step blocks are regrouped,
// which changes every rank's neighbour list and message sizes (here by a hash
// that all ranks can compute); in between guard cells go by Irecv, Isend and
// Waitall. Every few steps rank 0 asks another rank for the smallest time step.
// Traces of it grow with regroupings and with the sources of that datum
// (Pilgrim, TPDS 2022, sec. 4.3.1.2).
#include "Workload.h"

enum { MaxLinks = 6, RegroupEvery = 10, AskEvery = 4 };

typedef struct {
  int Peer, Count;
} Link;

// Link K of an epoch joins each rank with the one Shift places on; a hash
// leaves a quarter of the links out.
static int linkCount(int From, int To, int Epoch, int K, int Size) {
  unsigned H =
      mix((unsigned)From * 7u + (unsigned)K, (unsigned)To, (unsigned)Epoch);
  return H % 4 == 0 ? 0 : (int)(1 + H / 4 % 3) * Size * Size;
}

static void regroup(const Workload *W, int Epoch, Link *Sends, int *NumSends,
                    Link *Receives, int *NumReceives) {
  int P = W->Ranks,
      Degree = 3 + (int)(mix(1, 2, (unsigned)Epoch) % (MaxLinks - 2));
  *NumSends = *NumReceives = 0;
  for (int K = 0; K < Degree; ++K) {
    int Shift = 1 + (int)(mix(3, (unsigned)K, (unsigned)Epoch) % (unsigned)P);
    int To = (W->Rank + Shift) % P, From = ((W->Rank - Shift) % P + P) % P;
    Link Send = {To, linkCount(W->Rank, To, Epoch, K, W->Size)};
    Link Receive = {From, linkCount(From, W->Rank, Epoch, K, W->Size)};
    if (Send.Count)
      Sends[(*NumSends)++] = Send;
    if (Receive.Count)
      Receives[(*NumReceives)++] = Receive;
  }
}

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 40, 4);
  int Space = 3 * W.Size * W.Size, NumSends = 0, NumReceives = 0;
  Link Sends[MaxLinks], Receives[MaxLinks];
  MPI_Request Requests[2 * MaxLinks];
  double *Out = newBuffer(MaxLinks * Space), *In = newBuffer(MaxLinks * Space),
         Datum = 0;

  for (int Step = 0; Step < W.Iterations; ++Step) {
    if (Step % RegroupEvery == 0) {
      regroup(&W, Step / RegroupEvery, Sends, &NumSends, Receives,
              &NumReceives);
      int Blocks = NumSends, Most = 0;
      MPI_Allreduce(&Blocks, &Most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
      require(&W, Most >= NumSends);
    }
    for (int K = 0; K < NumReceives; ++K)
      MPI_Irecv(In + K * Space, Receives[K].Count, MPI_DOUBLE, Receives[K].Peer,
                1, MPI_COMM_WORLD, &Requests[K]);
    for (int K = 0; K < NumSends; ++K) {
      stamp(Out + K * Space, Sends[K].Count, W.Rank, Sends[K].Peer, Step);
      MPI_Isend(Out + K * Space, Sends[K].Count, MPI_DOUBLE, Sends[K].Peer, 1,
                MPI_COMM_WORLD, &Requests[NumReceives + K]);
    }
    MPI_Waitall(NumReceives + NumSends, Requests, MPI_STATUSES_IGNORE);
    for (int K = 0; K < NumReceives; ++K)
      expect(&W, In + K * Space, Receives[K].Count, Receives[K].Peer, W.Rank,
             Step);

    if (Step % AskEvery == AskEvery - 1) {
      int Source =
          (int)(mix(5, 6, (unsigned)(Step / AskEvery)) % (unsigned)W.Ranks);
      if (Source != 0 && W.Rank == Source) {
        stamp(&Datum, 1, Source, 0, Step);
        MPI_Send(&Datum, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
      } else if (Source != 0 && W.Rank == 0) {
        MPI_Recv(&Datum, 1, MPI_DOUBLE, Source, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        expect(&W, &Datum, 1, Source, 0, Step);
      }
    }
    double TimeStep = W.Rank, Smallest = -1;
    MPI_Allreduce(&TimeStep, &Smallest, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    require(&W, Smallest == 0);
  }

  free(Out);
  free(In);
  return endWorkload(&W, "sedov");
}
