//===- MergeMeasures.h - joining the measures of an event --------*- C++ -*-===//
//
// Two measures of different sides are united if merging gives one place to calls of the same function, site and depth.
// Measures are never divided: calls that share a measure on one side share it in the result. So its sums are the sums
// of what both sides measured (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MERGE_MERGEMEASURES_H
#define PILGRIM_TRACE_MERGE_MERGEMEASURES_H

#include "trace/base/UnionFind.h"
#include "trace/merge/MergeTables.h"

namespace pilgrim {

/// The measures of one event during the merge of its sequences.
class MeasureMerge {
public:
  /// Takes the measures of both sides. Without Timed the result has none.
  MeasureMerge(TableMerge &Tables, bool Timed, EventData &A, EventData &B);
  /// Notes that entries of the two sides get the same place. The entries must not have been changed yet.
  void unite(const Entry &A, const Entry &B);
  /// Moves the measures to To, whose items must be merged already.
  void finish(EventData &To);

private:
  using Key = std::tuple<uint32_t, uint32_t, uint32_t>; ///< function, site of the result, depth
  Key key(unsigned Side, const Variant &V);

  TableMerge &Tables;
  bool Timed;
  std::vector<Measure> All; ///< of A, then of B; references of B are offset by the size of A
  UnionFind Same;
};

} // namespace pilgrim

#endif
