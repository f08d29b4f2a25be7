//===- MergeGroups.h - the groups of one thread, of two traces --*- C++ -*-===//
#ifndef PILGRIM_TRACE_MERGE_MERGEGROUPS_H
#define PILGRIM_TRACE_MERGE_MERGEGROUPS_H

#include "trace/model/TraceData.h"

namespace pilgrim {

/// Both as one (internal to trace/). AtAnyCost: sequences that have a call in common are joined also where that is
/// longer.
Group mergeGroups(Group A, Group B, uint32_t World, bool AtAnyCost = false);

} // namespace pilgrim

#endif
