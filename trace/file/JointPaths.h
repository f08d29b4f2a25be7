//===- JointPaths.h - paths of all ranks together ---------------*- C++ -*-===//
//
// If ranks take an arm at different visits, each has its own sequence of paths, although most events of the paths
// agree. Visit by visit, these form one sequence whose paths are functions of the rank (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_JOINTPATHS_H
#define PILGRIM_TRACE_FILE_JOINTPATHS_H

#include "trace/model/TraceData.h"

#include <optional>

namespace pilgrim {

struct JointPaths {
  RankedItems Sequence;
  Table Paths; ///< its items refer to these
};

/// Joins the several sequences of paths of N. Nothing if they differ in length, do not cover all ranks, or would take
/// more than Work. The work done is subtracted from Work.
std::optional<JointPaths> joinPaths(const Group &G, const NodeData &N, uint32_t World, uint64_t &Work);

} // namespace pilgrim

#endif
