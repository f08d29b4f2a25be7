//===- Lengths.h - what the structure says of lengths ------------*- C++ -*-===//
//
// Counts visits of nodes and passes over events. The lengths of sequences follow from these counts, so they need not be
// written (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_LENGTHS_H
#define PILGRIM_TRACE_MODEL_LENGTHS_H

#include "trace/model/TraceData.h"

namespace pilgrim {

// Payer, if given, is charged for the work that damaged input may cause.

/// Visits of a node, by rank.
Tally countVisits(const NodeData &N, uint32_t World, ByteReader *Payer = nullptr);
/// How often each rank passes over the events of a node. Mostly all visits take one path, which then says it all.
class EventPasses {
public:
  EventPasses() = default;
  /// All ranks that visit the node pass over the events of Path, Numbers of times.
  EventPasses(std::vector<uint32_t> Path, Tally Numbers) : Path(std::move(Path)), OnPath(std::move(Numbers)) {}
  /// So many passes more of Ranks over the events of another path, if it was not made with one.
  void add(const std::vector<uint32_t> &Events, const Tally &Numbers, const RankSet &Ranks, ByteReader *Payer);
  /// Event 0 is passed over by each visit.
  const Tally &of(uint32_t Event) const;

private:
  std::vector<uint32_t> Path; ///< ascending
  Tally OnPath, None;
  std::map<uint32_t, Tally> Single; ///< by event, if there are several paths
};
/// The node must have its paths.
EventPasses countPasses(const Group &G, const NodeData &N, uint32_t World, ByteReader *Payer = nullptr);
/// Items of an event of a node, by rank, computed from its passes and the changes of the usual number.
Tally countItems(const NodeData &N, const EventData &E, uint32_t Id, const Tally &Passes, ByteReader *Payer = nullptr);
/// The function that gives each rank the one value of its stream, which is 0 or more; null: the stream is none such.
const RankFn *onlyValue(const RankedStream &S, uint32_t World);
/// The sum of a stream; Tally::Unknown if a run begins below 0 or descends, or if the sum is too large.
uint64_t sumOf(const IntStreamData &S);

} // namespace pilgrim

#endif
