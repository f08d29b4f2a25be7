//===- Lengths.h - how long arrays are ---------------------------*- C++ -*-===//
//
// The functions that length expressions in the function table (api/) use. They ask the MPI library.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_LENGTHS_H
#define PILGRIM_PMPI_LENGTHS_H

#include "pmpi/Mpi.h"

#include <cstdint>

namespace pilgrim {

int64_t sizeOf(MPI_Comm C); ///< of an intercommunicator: the size of the remote group
int64_t winsizeOf(MPI_Win W);
int64_t localsizeOf(MPI_Comm C);
int64_t indegreeOf(MPI_Comm C);
int64_t outdegreeOf(MPI_Comm C);
int64_t ndimsOf(MPI_Comm C);
int64_t nnodesOf(MPI_Comm C);
int64_t nedgesOf(MPI_Comm C);
int64_t neighborsOf(MPI_Comm C, int Rank);
int64_t nintegersOf(MPI_Datatype D);
int64_t naddressesOf(MPI_Datatype D);
int64_t nlargecountsOf(MPI_Datatype D);
int64_t ndatatypesOf(MPI_Datatype D);
// What MPI_T says of a category.
int64_t ncvarsOf(int Category);
int64_t npvarsOf(int Category);
int64_t neventsOf(int Category);
int64_t ncategoriesOf(int Category);
/// Whether the calling process is the root.
bool isAt(MPI_Comm C, int Root);
bool isAtInGroup(MPI_Group G, int Root);
int ownRank(MPI_Comm C);

template <typename N> int64_t valueOf(const N *P) { return P ? static_cast<int64_t>(*P) : 0; }
template <typename N> int64_t lastOf(const N *P, int64_t Count) {
  return P && Count > 0 ? static_cast<int64_t>(P[Count - 1]) : 0;
}
template <typename N> int64_t sumOf(const N *P, int64_t Count) {
  int64_t S = 0;
  for (int64_t I = 0; P && I < Count; ++I)
    S += static_cast<int64_t>(P[I]);
  return S;
}
template <typename N> int64_t ownOf(MPI_Comm C, const N *P) { return P ? static_cast<int64_t>(P[ownRank(C)]) : 0; }

} // namespace pilgrim

#endif
