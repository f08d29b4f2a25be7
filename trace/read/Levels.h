//===- Levels.h - what values a function of the rank has ---------*- C++ -*-===//
//
// A slot of a call is a function of the rank. Reports want the inverse: the distinct values, each with its ranks. A
// slot that grows with the rank (the right neighbour) has as many values as ranks, but one distance from the rank. So
// values come in pieces. Each piece is constant, or a constant distance from the world rank.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_LEVELS_H
#define PILGRIM_TRACE_READ_LEVELS_H

#include "trace/ranks/RankFn.h"

#include <optional>
#include <span>
#include <vector>

namespace pilgrim {

/// The distinct values that Of gives the ranks, ascending.
std::vector<RankFn::Level> levelsBy(const RankSet &Ranks, const std::function<int64_t(uint32_t)> &Of);

/// Ranks whose value is Value, or if IsRelative, the world rank plus Value.
struct Piece {
  bool IsRelative = false;
  int64_t Value = 0;
  RankSet Ranks;
  int64_t of(uint32_t Rank) const {
    return static_cast<int64_t>(static_cast<uint64_t>(Value) + (IsRelative ? Rank : 0));
  }
};

/// Values of F over Ranks, as far as the function gives them in few pieces: one per constant or constant distance.
/// Rest: the ranks of Ranks that have to be evaluated one by one. IsWorld: Ctx gives the world rank and the world's
/// size for every rank.
std::vector<Piece> pieces(const RankFn &F, const RankSet &Ranks, const RankFn::ContextFn &Ctx, bool IsWorld,
                          RankSet &Rest);
/// The pieces of explicit values, listed in the order of Ranks; nothing if too many pieces would be needed.
std::optional<std::vector<Piece>> pieces(std::span<const uint32_t> Values, const RankSet &Ranks);

/// The ranks of Ranks for which F is Value. IsWorld: as above.
RankSet ranksWith(int64_t Value, const RankFn &F, const RankSet &Ranks, const RankFn::ContextFn &Ctx, bool IsWorld);

/// The set made of these intervals, which must be ascending and disjoint.
RankSet setOf(std::span<const RankSet::Interval> Intervals);

} // namespace pilgrim

#endif
