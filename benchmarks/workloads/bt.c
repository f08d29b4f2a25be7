// NPB BT: block tridiagonal solver on the multi-partition decomposition. Like
// sp, but each stage of a solve waits for its predecessor, works, and sends on
// without waiting until the next stage: Isend and Irecv completed one by one
// (Pilgrim, TPDS 2022, sec. 4.2; CYPRESS, SC 2014). Uses the largest square of
// ranks.
#include "MultiPartition.h"

// One direction of the solve along an axis: Q stages from From to To, Factor
// values a point.
static void sweep(Workload *W, const MultiPartition *M, int From, int To,
                  int Factor, double *In, double *Out, int Tag) {
  MPI_Request Sent, Received;
  MPI_Status Status;
  for (int Stage = 0; Stage < M->Q; ++Stage) {
    int Edge = cellEdge(M, W->Size, Stage), Count = Factor * Edge * Edge;
    if (Stage > 0) {
      int Before = cellEdge(M, W->Size, Stage - 1),
          Expected = Factor * Before * Before;
      MPI_Irecv(In, Expected, MPI_DOUBLE, From, Tag, MPI_COMM_WORLD, &Received);
      MPI_Wait(&Sent, &Status);
      MPI_Wait(&Received, &Status);
      expect(W, In, Expected, From, W->Rank, Stage - 1);
    }
    if (Stage < M->Q - 1) {
      stamp(Out, Count, W->Rank, To, Stage);
      MPI_Isend(Out, Count, MPI_DOUBLE, To, Tag, MPI_COMM_WORLD, &Sent);
    }
  }
}

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 5, 12);
  MultiPartition M = makeMultiPartition(W.Rank, W.Ranks);
  int Active = W.Rank < M.Q * M.Q;
  int Space = faceBufferSize(&M, W.Size, 30);
  double *Out = newBuffer(Space), *In = newBuffer(Space);
  MPI_Bcast(&W.Iterations, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(&W.Size, 1, MPI_INT, 0, MPI_COMM_WORLD);

  for (int Step = 0; Active && Step < W.Iterations; ++Step) {
    copyFaces(&W, &M, 10, Out, In, Step);
    for (int Axis = 0; Axis < 3; ++Axis) {
      sweep(&W, &M, M.Predecessor[Axis], M.Successor[Axis], 30, In, Out,
            50 + Axis);
      sweep(&W, &M, M.Successor[Axis], M.Predecessor[Axis], 5, In, Out,
            60 + Axis);
    }
  }
  double Norm[5] = {1, 1, 1, 1, 1}, Sums[5];
  MPI_Allreduce(Norm, Sums, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  require(&W, Sums[0] == W.Ranks);

  free(Out);
  free(In);
  return endWorkload(&W, "bt");
}
