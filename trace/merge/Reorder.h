//===- Reorder.h - calls that may change places ------------------*- C++ -*-===//
//
// Where ranks lack calls of a sequence, two calls that no rank has both of may stand in either order, and merging finds
// the one or the other. So a call may stand at two places, for some of its ranks at each. Here each comes to stand at
// one place where that is possible, and calls that may change places stand in the order of their sites. What each rank
// has remains the same (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MERGE_REORDER_H
#define PILGRIM_TRACE_MERGE_REORDER_H

#include "trace/model/TraceData.h"

namespace pilgrim {

/// Changes the sequences of calls of all events. Objects that are the same on all ranks of both become one. Entries,
/// measures and objects that are in vain then are left in their tables. False: nothing changed.
bool reorder(Group &G, uint32_t World);

} // namespace pilgrim

#endif
