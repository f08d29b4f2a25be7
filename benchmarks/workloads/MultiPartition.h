// The multi-partition decomposition of NPB SP and BT: Q x Q ranks, each owning
// Q cells on a diagonal, so that in every stage of a line solve along any axis
// each rank has exactly one cell to work on.
#ifndef PILGRIM_BENCHMARKS_MULTIPARTITION_H
#define PILGRIM_BENCHMARKS_MULTIPARTITION_H

#include "Workload.h"

typedef struct {
  int Q, I, J; // grid edge and own place; ranks beyond Q * Q have no place
  int Successor[3], Predecessor[3];
} MultiPartition;

static inline int placeRank(int Q, int I, int J) { return (I + Q) % Q + Q * ((J + Q) % Q); }

static inline MultiPartition makeMultiPartition(int Rank, int Ranks) {
  MultiPartition M = {1, 0, 0, {0}, {0}};
  while ((M.Q + 1) * (M.Q + 1) <= Ranks)
    ++M.Q;
  M.I = Rank % M.Q;
  M.J = Rank / M.Q;
  const int Step[3][2] = {{1, 0}, {0, 1}, {-1, -1}};
  for (int Axis = 0; Axis < 3; ++Axis) {
    M.Successor[Axis] = placeRank(M.Q, M.I + Step[Axis][0], M.J + Step[Axis][1]);
    M.Predecessor[Axis] = placeRank(M.Q, M.I - Step[Axis][0], M.J - Step[Axis][1]);
  }
  return M;
}

// Points of the cell that is worked on in one stage: the first N % Q cells of
// an axis are one point longer.
static inline int cellEdge(const MultiPartition *M, int N, int Stage) { return N / M->Q + (Stage < N % M->Q) + 1; }

// The faces of all cells, to and from the two neighbours of each axis at once.
static inline void copyFaces(Workload *W, const MultiPartition *M, int Factor, double *Out, double *In, int Step) {
  if (M->Q == 1)
    return;
  MPI_Request Requests[12];
  int Faces = 0;
  for (int Stage = 0; Stage < M->Q; ++Stage)
    Faces += cellEdge(M, W->Size, Stage) * cellEdge(M, W->Size, Stage);
  int Count = Faces * Factor;
  for (int Axis = 0; Axis < 3; ++Axis) {
    MPI_Irecv(In + 2 * Axis * Count, Count, MPI_DOUBLE, M->Successor[Axis], 10 + Axis, MPI_COMM_WORLD,
              &Requests[2 * Axis]);
    MPI_Irecv(In + (2 * Axis + 1) * Count, Count, MPI_DOUBLE, M->Predecessor[Axis], 20 + Axis, MPI_COMM_WORLD,
              &Requests[2 * Axis + 1]);
  }
  for (int Axis = 0; Axis < 3; ++Axis) {
    stamp(Out + 2 * Axis * Count, Count, W->Rank, M->Predecessor[Axis], Step);
    stamp(Out + (2 * Axis + 1) * Count, Count, W->Rank, M->Successor[Axis], Step);
    MPI_Isend(Out + 2 * Axis * Count, Count, MPI_DOUBLE, M->Predecessor[Axis], 10 + Axis, MPI_COMM_WORLD,
              &Requests[6 + 2 * Axis]);
    MPI_Isend(Out + (2 * Axis + 1) * Count, Count, MPI_DOUBLE, M->Successor[Axis], 20 + Axis, MPI_COMM_WORLD,
              &Requests[7 + 2 * Axis]);
  }
  MPI_Waitall(12, Requests, MPI_STATUSES_IGNORE);
  for (int Axis = 0; Axis < 3; ++Axis) {
    expect(W, In + 2 * Axis * Count, Count, M->Successor[Axis], W->Rank, Step);
    expect(W, In + (2 * Axis + 1) * Count, Count, M->Predecessor[Axis], W->Rank, Step);
  }
}

// Enough for copyFaces.
static inline int faceBufferSize(const MultiPartition *M, int N, int Factor) {
  return 6 * Factor * M->Q * (N / M->Q + 2) * (N / M->Q + 2);
}

#endif // PILGRIM_BENCHMARKS_MULTIPARTITION_H
