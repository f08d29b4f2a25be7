//===- ByRank.h - numbers that differ by rank -------------------*- C++ -*-===//
//
// The places of a list where ranks differ, each with a function of the world
// rank (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_BYRANK_H
#define PILGRIM_TRACE_RANKS_BYRANK_H

#include "trace/ranks/RankFn.h"
#include "trace/ranks/RankSet.h"

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace pilgrim {

using ByRank = std::map<uint32_t, RankFn>;

/// One side of a join. Number(place) gives the number at each place. Own has the places where the side's ranks differ;
/// Number means nothing there.
struct NumbersByRank {
  const RankSet &Ranks;
  const ByRank &Own;
  std::function<int64_t(uint32_t)> Number;
};

/// Extends To, a copy of A's functions, by B. False: too many of the N numbers differ, and To is unchanged.
bool joinByRank(ByRank &To, const NumbersByRank &A, const NumbersByRank &B, uint32_t N, uint32_t World);
/// Calls F(ranks, numbers by place) once for each set of ranks with the same numbers, in the order of the sets' first
/// ranks. If there are many such sets, F is called once for each rank.
void forEachAlike(const ByRank &X, const RankSet &Ranks, uint32_t World,
                  const std::function<void(const RankSet &, const std::map<uint32_t, int64_t> &)> &F);
/// The same sets; nothing if there are many.
std::optional<std::vector<RankSet>> ranksAlike(const ByRank &X, const RankSet &Ranks, uint32_t World);
/// Keeps one explanation of each function, and makes the function short.
void chooseByRank(ByRank &X, const RankSet &Ranks, uint32_t World);

} // namespace pilgrim

#endif
