//===- Merge.h - joining traces of different ranks --------------*- C++ -*-===//
//
// Two traces of disjoint ranks become one: group by group, node by node, event by event. MergeSequences.h determines
// which calls of their sequences belong to the same place. Entries at one place are joined; their words are joined by
// intersecting explanations.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MERGE_MERGE_H
#define PILGRIM_TRACE_MERGE_MERGE_H

#include "trace/model/TraceData.h"

namespace pilgrim {

/// Moves the ranks of From into Into. The rank sets must be disjoint and the
/// worlds equal.
void merge(TraceData &Into, TraceData From);

/// Both groups, of one thread, as one. AtAnyCost: sequences that have a call in common are joined also where that is
/// longer.
Group mergeGroups(Group A, Group B, uint32_t World, bool AtAnyCost = false);

/// Adds all candidates to the words of groups with a single rank. Call once before merge(), on a rank's own trace and
/// on shards that were read.
void deriveCandidates(TraceData &T);

/// For a trace of all ranks, before chooseCandidates(), which calls it. Sequences of the same event that could not be
/// joined when their ranks were merged may be shorter with those that other ranks came to have: joins these. Then calls
/// that may change places come to stand in one order (Reorder.h).
void rejoin(TraceData &T);

/// Of a finished trace of all ranks: sequences of the same event that have a call in common become one, also where that
/// takes more bytes. So traces of one program on few and on many ranks, of which only one was shorter that way, have
/// the same form. Returns whether there were any.
bool joinSequences(TraceData &T);

/// Keeps one explanation per value, which is enough for a finished trace. The trace can still be merged, but then fewer
/// values fold. A trace of all ranks is also pruned.
void chooseCandidates(TraceData &T);

/// Removes events of regions at which nothing happened on any rank. Do not prune a trace of only some ranks if it is
/// still to be merged: other ranks may have something at these events.
void prune(TraceData &T);

} // namespace pilgrim

#endif
