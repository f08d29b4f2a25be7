//===- MergeSequences.h - which calls stand at the same place ----*- C++ -*-===//
//
// Merges sequences of items of the same event, or of paths of the same node, from two sides. Two sequences are joined
// item by item if they are equal, if they can be aligned (the same calls, with different ones among them equal to each
// other), if they differ in repetition counts only, or if they are shorter together, with gaps for calls that only one
// side has (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MERGE_MERGESEQUENCES_H
#define PILGRIM_TRACE_MERGE_MERGESEQUENCES_H

#include "trace/merge/KnownAlignments.h"
#include "trace/merge/MergeMeasures.h"

namespace pilgrim {

using Sequences = std::vector<RankedItems>;

struct SequenceSide {
  Sequences List;
  TableMerge::Side &Tables;
  const std::vector<uint32_t> &Node; ///< by node of this side: node of the result
};

/// The sequences of both sides, with their items renumbered for the result. Alignments: of the merge of both groups.
/// Measures: those of the event; null for paths.
Sequences mergeSequences(TableMerge &Tables, KnownAlignments &Alignments, TableId T, SequenceSide A, SequenceSide B,
                         uint32_t World, MeasureMerge *Measures);

} // namespace pilgrim

#endif
