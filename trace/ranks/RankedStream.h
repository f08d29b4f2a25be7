//===- RankedStream.h - a stream of integers of some ranks ------*- C++ -*-===//
//
// Ranks whose values run alike share a stream, though the values are not the same: ranks that read one file in turn
// have runs of different beginnings. What of the runs differs is a function of the rank, as a slot of a signature is.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_RANKEDSTREAM_H
#define PILGRIM_TRACE_RANKS_RANKEDSTREAM_H

#include "trace/ranks/ByRank.h"
#include "trace/sequences/IntStream.h"

namespace pilgrim {

struct RankedStream {
  RankSet Ranks;
  IntStreamData Values;
  /// By 3 * run + field (First, Stride, Count): what is not in Values, which has 0 (a count of 2) there.
  ByRank Functions{};
  static constexpr unsigned NumFields = 3, CountField = 2;

  /// What one of Ranks has.
  IntStreamData of(uint32_t Rank, uint32_t World) const;
  /// Whether streams of other ranks have other lengths.
  bool hasCountsByRank() const;
  /// Takes Other's ranks in, if its values run alike and few of them differ.
  bool join(const RankedStream &Other, uint32_t World);
  void choose(uint32_t World) { chooseByRank(Functions, Ranks, World); }
  /// All but Ranks.
  void write(ByteWriter &W) const;
  /// Ranks are there already.
  void read(ByteReader &R, const RankScope &Scope, unsigned Allowed = IntStreamData::AnyFeature);
  /// Calls F(const RankSet &, const IntStreamData &) for ranks that have the same stream; as forEachAlike.
  void forEachPart(uint32_t World, const std::function<void(const RankSet &, const IntStreamData &)> &F) const;
};
/// Streams of all ranks that have one; the sets are disjoint.
using RankedStreams = std::vector<RankedStream>;

} // namespace pilgrim

#endif
