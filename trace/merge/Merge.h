//===- Merge.h - joining traces of different ranks --------------*- C++ -*-===//
//
// Two traces of disjoint ranks become one: group by group, node by node, event by event. Which calls of their sequences
// stand at the same place, MergeSequences.h says; entries at one place are joined, and their words by intersecting
// explanations.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MERGE_MERGE_H
#define PILGRIM_TRACE_MERGE_MERGE_H

#include "trace/model/TraceData.h"

namespace pilgrim {

/// Moves the ranks of From into Into. The rank sets must be disjoint and the
/// worlds equal.
void merge(TraceData &Into, TraceData From);

/// Gives the groups of single ranks all candidates of their words; to be called
/// once on a rank's own trace, and on shards that were read, before merge().
void deriveCandidates(TraceData &T);

/// Keeps one explanation per value: what a finished trace needs. It can still
/// be merged, with less chance to fold. A trace of all ranks is pruned.
void chooseCandidates(TraceData &T);

/// Leaves out events of regions at which nothing happened on any rank. A trace of some ranks only cannot be merged
/// well afterwards: others may have something there.
void prune(TraceData &T);

} // namespace pilgrim

#endif
