//===- MergeSequences.h - which calls stand at the same place ----*- C++ -*-===//
//
// Sequences of items of the same event, or of paths of the same node, on two sides. Two are joined item by item if they
// are the same, or if they have the same calls which are equal to each other in different ways, or not equally often,
// or if that and calls that only one of them has make something shorter than both (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MERGE_MERGESEQUENCES_H
#define PILGRIM_TRACE_MERGE_MERGESEQUENCES_H

#include "trace/merge/MergeMeasures.h"

namespace pilgrim {

using Sequences = std::vector<RankedItems>;

struct SequenceSide {
  Sequences List;
  TableMerge::Side &Tables;
  const std::vector<uint32_t> &Node; ///< of the result, by node of this side
};

/// Those of both sides, with the items that they have in the result. Measures: of the event; null for paths.
Sequences mergeSequences(TableMerge &Tables, TableId T, SequenceSide A, SequenceSide B, uint32_t World,
                         MeasureMerge *Measures);

} // namespace pilgrim

#endif
