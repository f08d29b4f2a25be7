// NPB CG: conjugate gradient on a 2D processor grid. Row sums by log2(columns)
// pairwise exchanges, then a transpose exchange with one partner, then two
// scalar reductions by pairwise exchanges, in an inner loop of 25 steps. The
// transpose partner is what rank-relative encodings struggle with (Pilgrim,
// TPDS 2022, sec. 4.2; CYPRESS, SC 2014). Needs a power of two; the ranks
// beyond it only take part in the start and the end.
#include "Workload.h"

// Receive first, then a blocking send, then wait: the order of the original's
// exchanges.
static void exchange(Workload *W, double *Out, double *In, int Count,
                     int Partner, int Tag, int Step) {
  MPI_Request Request;
  MPI_Irecv(In, Count, MPI_DOUBLE, Partner, Tag, MPI_COMM_WORLD, &Request);
  stamp(Out, Count, W->Rank, Partner, Step);
  MPI_Send(Out, Count, MPI_DOUBLE, Partner, Tag, MPI_COMM_WORLD);
  MPI_Wait(&Request, MPI_STATUS_IGNORE);
  expect(W, In, Count, Partner, W->Rank, Step);
}

int main(int Argc, char **Argv) {
  Workload W;
  beginWorkload(&W, Argc, Argv, 3, 32);
  int Active = largestPowerOfTwo(W.Ranks), Rows = 1;
  while (Rows * Rows * 4 <= Active)
    Rows *= 2;
  int Columns = Active / Rows; // Rows or twice Rows
  int Row = W.Rank / Columns, Column = W.Rank % Columns;
  // With twice as many columns as rows, a pair of columns stands for one column
  // of a square.
  int Half = Columns / Rows;
  int Transposed = (Column / Half) * Columns + Row * Half + Column % Half;
  double *Out = newBuffer(W.Size), *In = newBuffer(W.Size), Scalar, OtherScalar;

  for (int Outer = 0; W.Rank < Active && Outer < W.Iterations; ++Outer) {
    for (int Inner = 0; Inner < 25; ++Inner) {
      int Step = Outer * 25 + Inner;
      for (int Distance = Columns / 2, Share = W.Size; Distance > 0;
           Distance /= 2) {
        Share = Share > 1 ? Share / 2 : 1;
        exchange(&W, Out, In, Share, Row * Columns + (Column ^ Distance), 1,
                 Step);
      }
      if (Transposed != W.Rank)
        exchange(&W, Out, In, W.Size, Transposed, 2, Step);
      for (int Reduction = 0; Reduction < 2; ++Reduction)
        for (int Distance = 1; Distance < Columns; Distance *= 2)
          exchange(&W, &Scalar, &OtherScalar, 1,
                   Row * Columns + (Column ^ Distance), 3, Step);
    }
    for (int Distance = 1; Distance < Columns; Distance *= 2)
      exchange(&W, &Scalar, &OtherScalar, 1,
               Row * Columns + (Column ^ Distance), 4, Outer);
  }

  free(Out);
  free(In);
  return endWorkload(&W, "cg");
}
