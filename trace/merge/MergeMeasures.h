//===- MergeMeasures.h - joining the measures of an event --------*- C++ -*-===//
//
// Two measures of different sides are united if merging gives one place to calls of the same function, site and depth.
// Measures are never divided: calls that share a measure on one side share it in the result. So the numbers of the
// result are those that both sides measured, added (internal to trace/).
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
  /// Nodes: by side, the numbers that its nodes get in the result.
  using NodeNumbers = std::array<const std::vector<uint32_t> *, 2>;
  /// Takes the measures of both sides. Without Timed the result has none.
  MeasureMerge(TableMerge &Tables, bool Timed, EventData &A, EventData &B, const NodeNumbers &Nodes);
  /// Notes that entries of the two sides get the same place. The entries must not have been changed yet.
  void unite(const Entry &A, const Entry &B);
  /// Moves the measures to To, whose items must be merged already.
  void finish(EventData &To);

private:
  MeasuredPlace placeOf(unsigned Side, const Variant &V) {
    return placeOf(Side, {V.Tokens[0], V.Tokens[1], V.Tokens[2]});
  }
  /// In the result.
  MeasuredPlace placeOf(unsigned Side, MeasuredPlace P);
  void takePlaces(unsigned Side, EventData &From);

  TableMerge &Tables;
  bool Timed;
  NodeNumbers Nodes;
  uint32_t First = 0;       ///< of B among All; references of B are offset by it
  std::vector<Measure> All; ///< of A, then of B
  std::map<MeasuredPlace, PlaceTimes> Places;
  UnionFind Same;
};

} // namespace pilgrim

#endif
