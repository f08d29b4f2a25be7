// Collectives with vectors and their nonblocking forms, prefix reductions, and
// an intercommunicator between the lower and the upper half of the ranks,
// merged again. Arrays of counts and offsets are as long as the communicator:
// what makes a trace grow with the square of the ranks. Intercommunicators are
// among the corner cases that Pilgrim names (TPDS 2022, sec. 1).
#include "Workload.h"

typedef struct {
  int *Counts, *Offsets, Total;
} Blocks;

// Rank R contributes a number of values that depends on R.
static Blocks makeBlocks(const Workload *W) {
  Blocks B = {allocate((size_t)W->Ranks, sizeof(int)),
              allocate((size_t)W->Ranks, sizeof(int)), 0};
  for (int R = 0; R < W->Ranks; ++R) {
    B.Counts[R] = 1 + R % W->Size;
    B.Offsets[R] = B.Total;
    B.Total += B.Counts[R];
  }
  return B;
}

static void gathers(Workload *W, const Blocks *B, double *Send, double *Receive,
                    int Step) {
  int Mine = B->Counts[W->Rank], Root = Step % W->Ranks;
  MPI_Request Request;
  stamp(Send, Mine, W->Rank, W->Rank, Step);
  MPI_Gatherv(Send, Mine, MPI_DOUBLE, Receive, B->Counts, B->Offsets,
              MPI_DOUBLE, Root, MPI_COMM_WORLD);
  MPI_Scatterv(Receive, B->Counts, B->Offsets, MPI_DOUBLE, Send, Mine,
               MPI_DOUBLE, Root, MPI_COMM_WORLD);
  expect(W, Send, Mine, W->Rank, W->Rank, Step);
  MPI_Allgatherv(Send, Mine, MPI_DOUBLE, Receive, B->Counts, B->Offsets,
                 MPI_DOUBLE, MPI_COMM_WORLD);
  for (int R = 0; R < W->Ranks; ++R)
    expect(W, Receive + B->Offsets[R], B->Counts[R], R, R, Step);
  MPI_Igather(Send, 1, MPI_DOUBLE, Receive, 1, MPI_DOUBLE, Root, MPI_COMM_WORLD,
              &Request);
  MPI_Wait(&Request, MPI_STATUS_IGNORE);
  MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, Receive, B->Counts,
                  B->Offsets, MPI_DOUBLE, MPI_COMM_WORLD, &Request);
  MPI_Wait(&Request, MPI_STATUS_IGNORE);
}

static void exchangeTyped(Workload *W, double *Send, double *Receive,
                          int Step) {
  int P = W->Ranks;
  int *Counts = allocate((size_t)P, sizeof(int)),
      *Offsets = allocate((size_t)P, sizeof(int));
  MPI_Datatype *Types = allocate((size_t)P, sizeof(MPI_Datatype));
  for (int R = 0; R < P; ++R) {
    Counts[R] = 1;
    Offsets[R] = R * (int)sizeof(double);
    Types[R] = MPI_DOUBLE;
    stamp(Send + R, 1, W->Rank, R, Step);
  }
  MPI_Alltoallw(Send, Counts, Offsets, Types, Receive, Counts, Offsets, Types,
                MPI_COMM_WORLD);
  for (int R = 0; R < P; ++R)
    expect(W, Receive + R, 1, R, W->Rank, Step);
  free(Counts);
  free(Offsets);
  free(Types);
}

static void reductions(Workload *W, const Blocks *B, double *Send,
                       double *Receive) {
  int One = 1, Upto = 0, Below = 0, Total = 0;
  MPI_Request Request;
  MPI_Scan(&One, &Upto, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Exscan(&One, &Below, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  require(W, Upto == W->Rank + 1 && (W->Rank == 0 || Below == W->Rank));
  for (int I = 0; I < B->Total; ++I)
    Send[I] = 1;
  MPI_Reduce_scatter(Send, Receive, B->Counts, MPI_DOUBLE, MPI_SUM,
                     MPI_COMM_WORLD);
  require(W, Receive[B->Counts[W->Rank] - 1] == W->Ranks);
  MPI_Reduce_scatter_block(Send, Receive, 1, MPI_DOUBLE, MPI_SUM,
                           MPI_COMM_WORLD);
  MPI_Iallreduce(&One, &Total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &Request);
  MPI_Wait(&Request, MPI_STATUS_IGNORE);
  require(W, Total == W->Ranks);
}

static void bridge(Workload *W) {
  int Upper = W->Rank >= W->Ranks / 2, Remote, Merged, Sum = 0, Inter;
  MPI_Comm Half, Between, Whole;
  MPI_Comm_split(MPI_COMM_WORLD, Upper, 0, &Half);
  MPI_Intercomm_create(Half, 0, MPI_COMM_WORLD, Upper ? 0 : W->Ranks / 2, 12,
                       &Between);
  MPI_Comm_test_inter(Between, &Inter);
  MPI_Comm_remote_size(Between, &Remote);
  MPI_Allreduce(&W->Rank, &Sum, 1, MPI_INT, MPI_MAX,
                Between); // of the other half
  require(W,
          Inter && Remote == (Upper ? W->Ranks / 2 : W->Ranks - W->Ranks / 2));
  require(W, Sum == (Upper ? W->Ranks / 2 - 1 : W->Ranks - 1));
  MPI_Intercomm_merge(Between, !Upper, &Whole);
  MPI_Comm_rank(Whole, &Merged);
  require(W, Merged == (Upper ? W->Rank - W->Ranks / 2
                              : W->Rank + W->Ranks - W->Ranks / 2));
  MPI_Comm_free(&Whole);
  MPI_Comm_free(&Between);
  MPI_Comm_free(&Half);
}

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 5, 7);
  Blocks B = makeBlocks(&W);
  double *Send = newBuffer(B.Total), *Receive = newBuffer(B.Total);
  for (int Step = 0; Step < W.Iterations; ++Step) {
    gathers(&W, &B, Send, Receive, Step);
    exchangeTyped(&W, Send, Receive, Step);
    reductions(&W, &B, Send, Receive);
    if (W.Ranks > 1)
      bridge(&W);
  }
  free(B.Counts);
  free(B.Offsets);
  free(Send);
  free(Receive);
  return endWorkload(&W, "vcolls");
}
