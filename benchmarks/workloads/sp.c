// NPB SP: scalar pentadiagonal solver on the multi-partition decomposition.
// Each step copies faces with six neighbours at once, then solves along the
// three axes: a chain of stages forward and back, nonblocking, with sizes that
// depend on the stage (Pilgrim, TPDS 2022, sec. 4.2; CYPRESS, SC 2014). Uses
// the largest square of ranks.
#include "MultiPartition.h"

// One direction of the solve along an axis: Q stages, each completing its
// receive together with the send of the stage before.
static void sweep(Workload *W, const MultiPartition *M, int From, int To,
                  int Factor, double *In, double *Out, int Tag) {
  MPI_Request Requests[2]; // received, sent
  for (int Stage = 0; Stage < M->Q; ++Stage) {
    if (Stage > 0) {
      int Before = cellEdge(M, W->Size, Stage - 1),
          Expected = Factor * Before * Before;
      MPI_Irecv(In, Expected, MPI_DOUBLE, From, Tag, MPI_COMM_WORLD,
                &Requests[0]);
      MPI_Waitall(2, Requests, MPI_STATUSES_IGNORE);
      expect(W, In, Expected, From, W->Rank, Stage - 1);
    }
    if (Stage < M->Q - 1) {
      int Edge = cellEdge(M, W->Size, Stage), Count = Factor * Edge * Edge;
      stamp(Out, Count, W->Rank, To, Stage);
      MPI_Isend(Out, Count, MPI_DOUBLE, To, Tag, MPI_COMM_WORLD, &Requests[1]);
    }
  }
}

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 5, 12);
  MultiPartition M = makeMultiPartition(W.Rank, W.Ranks);
  int Active = W.Rank < M.Q * M.Q;
  int Space = faceBufferSize(&M, W.Size, 22);
  double *Out = newBuffer(Space), *In = newBuffer(Space);
  MPI_Bcast(&W.Iterations, 1, MPI_INT, 0, MPI_COMM_WORLD);

  for (int Step = 0; Active && Step < W.Iterations; ++Step) {
    copyFaces(&W, &M, 10, Out, In, Step);
    for (int Axis = 0; Axis < 3; ++Axis) {
      sweep(&W, &M, M.Predecessor[Axis], M.Successor[Axis], 22, In, Out,
            30 + Axis);
      sweep(&W, &M, M.Successor[Axis], M.Predecessor[Axis], 10, In, Out,
            40 + Axis);
    }
  }
  double Norm[5] = {1, 1, 1, 1, 1}, Sums[5];
  MPI_Allreduce(Norm, Sums, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  require(&W, Sums[0] == W.Ranks);

  free(Out);
  free(In);
  return endWorkload(&W, "sp");
}
