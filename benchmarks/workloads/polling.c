// Completion in every way MPI has: Waitany, Waitsome, Testany, Testsome,
// Testall and Iprobe loops over messages from all neighbours of a hash-made
// graph. How often a loop turns depends on timing, so indices, flags and the
// number of calls are nondeterministic; a trace must keep them all (the Wait
// and Test loops that Pilgrim's proxy generation treats, TPDS 2022,
// sec. 3.3.4).
#include "Workload.h"

enum { Peers = 4, Ways = 6 };

static void byWaitany(MPI_Request *Requests) {
  for (int Left = Peers, Index; Left > 0; --Left)
    MPI_Waitany(Peers, Requests, &Index, MPI_STATUS_IGNORE);
}

static void byWaitsome(MPI_Request *Requests) {
  MPI_Status Statuses[Peers];
  for (int Left = Peers, Count, Indices[Peers]; Left > 0; Left -= Count)
    MPI_Waitsome(Peers, Requests, &Count, Indices, Statuses);
}

static void byTestany(MPI_Request *Requests) {
  MPI_Status Status;
  for (int Left = Peers, Index, Flag; Left > 0; Left -= Flag)
    MPI_Testany(Peers, Requests, &Index, &Flag, &Status);
}

static void byTestsome(MPI_Request *Requests) {
  for (int Left = Peers, Count, Indices[Peers]; Left > 0; Left -= Count)
    MPI_Testsome(Peers, Requests, &Count, Indices, MPI_STATUSES_IGNORE);
}

static void byTestall(MPI_Request *Requests) {
  for (int Flag = 0; !Flag;)
    MPI_Testall(Peers, Requests, &Flag, MPI_STATUSES_IGNORE);
}

// Receives whatever comes, in the order of arrival, into the place of the tag.
static void byIprobe(Workload *W, double *In, int Step) {
  for (int Left = Peers, Flag; Left > 0; Left -= Flag) {
    MPI_Status Status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &Flag, &Status);
    if (!Flag)
      continue;
    int Count;
    MPI_Get_count(&Status, MPI_DOUBLE, &Count);
    require(W, Count == W->Size && Status.MPI_TAG / Peers == Step);
    MPI_Recv(In + Status.MPI_TAG % Peers * W->Size, Count, MPI_DOUBLE,
             Status.MPI_SOURCE, Status.MPI_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }
}

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 30, 16);
  int P = W.Ranks;
  double *Out = newBuffer(Peers * W.Size), *In = newBuffer(Peers * W.Size);

  for (int Step = 0; Step < W.Iterations; ++Step) {
    MPI_Request Sends[Peers], Receives[Peers];
    int To[Peers], From[Peers], Way = Step % Ways;
    for (int K = 0; K < Peers; ++K) {
      int Shift = (int)(mix(11, (unsigned)K, (unsigned)Step) % (unsigned)P);
      To[K] = (W.Rank + Shift) % P;
      From[K] = (W.Rank - Shift + P) % P;
      if (Way != 5)
        MPI_Irecv(In + K * W.Size, W.Size, MPI_DOUBLE, From[K],
                  Step * Peers + K, MPI_COMM_WORLD, &Receives[K]);
    }
    for (int K = 0; K < Peers; ++K) {
      stamp(Out + K * W.Size, W.Size, W.Rank, To[K], Step * Peers + K);
      MPI_Isend(Out + K * W.Size, W.Size, MPI_DOUBLE, To[K], Step * Peers + K,
                MPI_COMM_WORLD, &Sends[K]);
    }
    switch (Way) {
    case 0:
      byWaitany(Receives);
      break;
    case 1:
      byWaitsome(Receives);
      break;
    case 2:
      byTestany(Receives);
      break;
    case 3:
      byTestsome(Receives);
      break;
    case 4:
      byTestall(Receives);
      break;
    case 5:
      byIprobe(&W, In, Step);
      break;
    }
    for (int K = 0, Flag = 0; K < Peers; ++K, Flag = 0)
      while (!Flag)
        MPI_Test(&Sends[K], &Flag, MPI_STATUS_IGNORE);
    for (int K = 0; K < Peers; ++K)
      expect(&W, In + K * W.Size, W.Size, From[K], W.Rank, Step * Peers + K);
    MPI_Barrier(
        MPI_COMM_WORLD); // so that probes of this step see none of the next
  }

  free(Out);
  free(In);
  return endWorkload(&W, "polling");
}
