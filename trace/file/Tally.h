//===- Tally.h - numbers by rank --------------------------------*- C++ -*-===//
//
// How often something happens, where it is not as often on all ranks; and what the structure says of that: how often
// nodes are visited and events passed, from which lengths of sequences follow that need not be written (internal to
// trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_TALLY_H
#define PILGRIM_TRACE_FILE_TALLY_H

#include "trace/model/TraceData.h"

namespace pilgrim {

class Tally {
public:
  /// More than can be told, or than a sequence may have.
  static constexpr uint64_t Unknown = uint64_t(1) << 62;
  struct Part {
    RankSet Ranks;
    uint64_t N;
  };

  /// Adds N for all of Ranks. The work of damaged input is charged to Payer, if there is one.
  void add(const RankSet &Ranks, uint64_t N, ByteReader *Payer);
  /// Of Ranks, those with equal numbers together; ranks without a number have 0.
  std::vector<Part> of(const RankSet &Ranks, ByteReader *Payer) const;
  const std::vector<Part> &parts() const { return Parts; }
  /// Whether it is N for all of Ranks.
  bool isAlways(const RankSet &Ranks, uint64_t N) const {
    auto Own = of(Ranks, nullptr);
    return N < Unknown && Own.size() == 1 && Own[0].N == N;
  }

private:
  std::vector<Part> Parts; // disjoint
};

/// As a function of the rank.
RankFn numbersOf(const std::vector<Tally::Part> &Parts);

/// A * B, or Unknown.
uint64_t tallyProduct(uint64_t A, uint64_t B);

/// How many visits a node has.
Tally countVisits(const NodeData &N, uint32_t World, ByteReader *Payer);
/// How often the visits of a node that has its paths pass each of its events.
std::map<uint32_t, Tally> countPasses(const Group &G, const NodeData &N, uint32_t World, ByteReader *Payer);
/// How many items an event has, from how often it is passed and how the usual number changes.
Tally countItems(const EventData &E, uint32_t Id, const Tally &Passes, ByteReader *Payer);
/// The sum of a stream; Unknown if it is none.
uint64_t sumOf(const IntStreamData &S);

} // namespace pilgrim

#endif
