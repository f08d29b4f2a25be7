//===- MergeMeasures.h - joining the measures of an event --------*- C++ -*-===//
//
// Measures of two sides are united where calls come to stand at one place that are of the same function, at the same
// site and depth. Nothing is divided: what belongs to one measure on one side still does in the result, so its sums are
// the sums of what both sides measured (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MERGE_MERGEMEASURES_H
#define PILGRIM_TRACE_MERGE_MERGEMEASURES_H

#include "trace/base/UnionFind.h"
#include "trace/merge/MergeTables.h"

namespace pilgrim {

/// The measures of one event, while its sequences are merged.
class MeasureMerge {
public:
  /// Takes the measures of both sides. Without Timed the result has none.
  MeasureMerge(TableMerge &Tables, bool Timed, EventData &A, EventData &B);
  /// Notes that entries of the two sides, not changed so far, come to stand at one place.
  void unite(const Entry &A, const Entry &B);
  /// Gives the measures to To, whose items are merged.
  void finish(EventData &To);

private:
  using Key = std::tuple<uint32_t, uint32_t, uint32_t>; ///< function, site of the result, depth
  Key key(unsigned Side, const Variant &V);

  TableMerge &Tables;
  bool Timed;
  std::vector<Measure> All; ///< of A, then of B, whose references count on
  UnionFind Same;
};

} // namespace pilgrim

#endif
