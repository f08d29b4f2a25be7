//===- ByRank.h - numbers that differ by rank -------------------*- C++ -*-===//
//
// Of a list of numbers that ranks have alike, those that are not the same on all of them: functions of the rank, by the
// number's place in the list, in the rank and size of the world (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_BYRANK_H
#define PILGRIM_TRACE_RANKS_BYRANK_H

#include "trace/ranks/RankFn.h"
#include "trace/ranks/RankSet.h"

#include <map>
#include <vector>

namespace pilgrim {

using ByRank = std::map<uint32_t, RankFn>;

/// One side of what is joined: N numbers, Number(place) of them, which means nothing at those places that are in Own.
struct NumbersByRank {
  const RankSet &Ranks;
  const ByRank &Own;
  std::function<int64_t(uint32_t)> Number;
};

/// Makes To, which is A's, what both sides have: false, and nothing is done, if too many of N numbers differ.
bool joinByRank(ByRank &To, const NumbersByRank &A, const NumbersByRank &B, uint32_t N, uint32_t World);
/// Ranks with the same numbers, each set of them; in the order of their first members.
std::vector<RankSet> ranksAlike(const ByRank &X, const RankSet &Ranks, uint32_t World);
/// Keeps one explanation of each function, in the shortest way.
void chooseByRank(ByRank &X, const RankSet &Ranks, uint32_t World);

} // namespace pilgrim

#endif
