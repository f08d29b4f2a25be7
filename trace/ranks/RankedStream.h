//===- RankedStream.h - a stream of integers of some ranks ------*- C++ -*-===//
//
// Ranks whose streams have the same runs apart from some numbers share a stream: ranks that read one file in turn have
// runs with different first values. The numbers that differ are functions of the rank, as a slot of a signature is.
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
  /// Fields of runs that differ between ranks. Key: 3 * run + field (First, Stride, Count). Values has the placeholder
  /// 0 there, or 2 for a count.
  ByRank Functions{};
  static constexpr unsigned NumFields = 3, CountField = 2;

  /// The stream of one of Ranks.
  IntStreamData of(uint32_t Rank, uint32_t World) const;
  /// Whether the length of the stream depends on the rank.
  bool hasLengthsByRank() const;
  /// Takes in Other's ranks, if its runs have the same order and few of their fields differ. False: nothing was joined.
  bool join(const RankedStream &Other, uint32_t World);
  /// Writes all but Ranks.
  void write(ByteWriter &W) const;
  /// Reads the rest. Ranks must be set already.
  void read(ByteReader &R, const RankScope &Scope, unsigned Allowed = IntStreamData::AnyFeature);
  /// Calls F once for each set of ranks with equal streams, with a stream without functions. The argument is valid
  /// during the call.
  void forEachPart(uint32_t World, const std::function<void(const RankedStream &)> &F) const;
};
/// Streams of all ranks that have one; the sets are disjoint.
using RankedStreams = std::vector<RankedStream>;

} // namespace pilgrim

#endif
