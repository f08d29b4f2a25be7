//===- JointPaths.h - paths of all ranks together ---------------*- C++ -*-===//
//
// Where ranks take an arm at visits of their own, each has a sequence of paths; but mostly they come by the same. Visit
// by visit, with paths that are a function of the rank, they are one sequence (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_JOINTPATHS_H
#define PILGRIM_TRACE_FILE_JOINTPATHS_H

#include "trace/model/TraceData.h"

#include <optional>

namespace pilgrim {

struct JointPaths {
  RankedItems Sequence;
  Table Paths; ///< what its items are
};

/// The paths of N, of which there are several sequences. Nothing where these are not equally long or not of all ranks,
/// or to join them takes more than Work, from which that is taken.
std::optional<JointPaths> joinPaths(const Group &G, const NodeData &N, uint32_t World, uint64_t &Work);

} // namespace pilgrim

#endif
