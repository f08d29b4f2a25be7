//===- ProcessArrays.h - arrays with an element for each process -*- C++ -*-===//
//
// The counts and displacements of MPI_Alltoallv and its kin have as many elements as the communicator has processes. On
// more ranks they are longer, so they are compared as runs: elements that are the same function of the rank, and
// constants that are a line.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_EXTRAPOLATE_PROCESSARRAYS_H
#define PILGRIM_PROXYGEN_EXTRAPOLATE_PROCESSARRAYS_H

#include "trace/model/Schema.h"
#include "trace/ranks/RankFn.h"

#include <map>
#include <span>
#include <vector>

namespace pilgrim {

/// An array in a signature.
struct ProcessArray {
  size_t LengthToken = 0, FirstWord = 0, Length = 0;
};
/// The arrays of this kind in a call of F, ascending.
std::vector<ProcessArray> processArrays(const FunctionSchema &F, std::span<const uint32_t> Tokens);

/// Elements that follow each other.
struct ElementRun {
  RankFn First;
  int64_t Stride = 0; ///< each is so much more than the one before; not 0 only if they are constants
  uint64_t Count = 0;
};
/// The longest runs, from the first element on.
std::vector<ElementRun> runsOf(std::span<const RankFn> Elements);
/// Adds a run's elements, if there are no more than Most, and constants if they change. False: nothing is added.
bool append(const ElementRun &R, size_t Most, std::vector<RankFn> &To);

} // namespace pilgrim

#endif
