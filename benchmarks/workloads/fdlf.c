// Nek5000's fully developed laminar flow (FDLF): rank 0 talks to every rank at
// the start (hands out the elements, waits for each answer) and at the end
// (collects the field, rank after rank); in between each step gathers up and
// scatters down a tree made by halving ranges of ranks. The middle has O(log P)
// relative peers, the ends have P of them: Pilgrim's trace of it grows linearly
// (TPDS 2022, sec. 4.3.2, tables 6 and 7, fig. 11).
#include "Workload.h"

enum { MaxDepth = 32 };

typedef struct {
  int Parent;             // -1 at the root
  int Children[MaxDepth]; // the farthest first
  int NumChildren;
} Tree;

// A range of N ranks is led by its first; it is cut in two halves (the lower
// one is not the longer one), and the leader of the upper half is a child of
// the leader of the lower.
static Tree makeTree(int Rank, int Ranks) {
  Tree T = {-1, {0}, 0};
  for (int Base = 0, N = Ranks; N > 1;) {
    int Lower = N / 2;
    if (Rank < Base + Lower) {
      if (Rank == Base)
        T.Children[T.NumChildren++] = Base + Lower;
      N = Lower;
    } else {
      if (Rank == Base + Lower)
        T.Parent = Base;
      Base += Lower;
      N -= Lower;
    }
  }
  return T;
}

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 20, 16);
  double *Out = newBuffer(W.Size), *In = newBuffer(W.Size), Answer = 0;
  Tree T = makeTree(W.Rank, W.Ranks);

  if (W.Rank == 0) {
    for (int Peer = 1; Peer < W.Ranks; ++Peer) {
      stamp(Out, W.Size, 0, Peer, -1);
      MPI_Send(Out, W.Size, MPI_DOUBLE, Peer, Peer, MPI_COMM_WORLD);
      MPI_Recv(&Answer, 1, MPI_DOUBLE, Peer, Peer, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      expect(&W, &Answer, 1, Peer, 0, -1);
    }
  } else {
    MPI_Recv(In, W.Size, MPI_DOUBLE, 0, W.Rank, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    expect(&W, In, W.Size, 0, W.Rank, -1);
    stamp(&Answer, 1, W.Rank, 0, -1);
    MPI_Send(&Answer, 1, MPI_DOUBLE, 0, W.Rank, MPI_COMM_WORLD);
  }

  for (int Step = 0; Step < W.Iterations; ++Step) {
    for (int K = T.NumChildren; K-- > 0;) {
      MPI_Recv(In, W.Size, MPI_DOUBLE, T.Children[K], 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      expect(&W, In, W.Size, T.Children[K], W.Rank, Step);
    }
    if (T.Parent >= 0) {
      stamp(Out, W.Size, W.Rank, T.Parent, Step);
      MPI_Send(Out, W.Size, MPI_DOUBLE, T.Parent, 1, MPI_COMM_WORLD);
      MPI_Recv(In, W.Size, MPI_DOUBLE, T.Parent, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      expect(&W, In, W.Size, T.Parent, W.Rank, Step);
    }
    for (int K = 0; K < T.NumChildren; ++K) {
      stamp(Out, W.Size, W.Rank, T.Children[K], Step);
      MPI_Send(Out, W.Size, MPI_DOUBLE, T.Children[K], 2, MPI_COMM_WORLD);
    }
  }

  if (W.Rank == 0) {
    for (int Peer = 1; Peer < W.Ranks; ++Peer) {
      MPI_Send(&Answer, 0, MPI_DOUBLE, Peer, 3, MPI_COMM_WORLD); // its turn
      MPI_Recv(In, W.Size, MPI_DOUBLE, Peer, 4, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      expect(&W, In, W.Size, Peer, 0, -2);
    }
  } else {
    MPI_Recv(&Answer, 0, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    stamp(Out, W.Size, W.Rank, 0, -2);
    MPI_Send(Out, W.Size, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD);
  }

  free(Out);
  free(In);
  return endWorkload(&W, "fdlf");
}
