//===- PossibleCalls.h - calls that cannot be as they are -------*- C++ -*-===//
//
// What single calls of a trace say of a rule that explained all numbers, and is not the program's.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_EXTRAPOLATE_POSSIBLECALLS_H
#define PILGRIM_PROXYGEN_EXTRAPOLATE_POSSIBLECALLS_H

#include "trace/model/TraceData.h"

#include <string>

namespace pilgrim {

/// A call that is given a rank that no communicator has; empty: there is none.
std::string findBadRank(const TraceData &T);
/// A call of MPI_Dims_create that gave what it does not give for that number of ranks; empty: there is none.
std::string findBadDims(const TraceData &T);

} // namespace pilgrim

#endif
