// What tests of sets, functions and numbers of ranks share.
#ifndef PILGRIM_TEST_UNIT_RANKS_H
#define PILGRIM_TEST_UNIT_RANKS_H

#include "trace/ranks/RankFn.h"

#include <algorithm>
#include <bit>
#include <random>
#include <set>

namespace pilgrim::test {

template <typename T> std::vector<uint8_t> written(const T &X) {
  ByteWriter W;
  X.write(W);
  return W.Data;
}

template <typename List> RankSet setOf(const List &Ranks) {
  RankSet S;
  for (uint32_t R : Ranks)
    S.unite(RankSet(R));
  return S;
}

/// Not empty. Intervals, or single ranks.
inline RankSet randomRanks(std::mt19937 &Random, uint32_t World) {
  RankSet S(Random() % World);
  for (unsigned I = Random() % 4; I--;) {
    const uint32_t First = Random() % World, Last = Random() % 2 ? First : First + Random() % (World - First);
    S.unite(RankSet::between(First, Last));
  }
  return S;
}

inline std::vector<uint32_t> members(const RankSet &S) {
  std::vector<uint32_t> Out;
  S.forEach([&](uint32_t R) { Out.push_back(R); });
  return Out;
}

/// Rank and size in the world.
inline RankFn::ContextFn inWorld(uint32_t World) {
  return [World](uint32_t R) { return RankContext{R, World}; };
}

/// The rank and so much more, which is not below 0; in a world of two ranks or more.
inline RankFn offset(int64_t More, uint32_t World) {
  const RankContext First{0, World}, Second{1, World};
  RankFn F(More), G(More + 1);
  F.derive(&First);
  G.derive(&Second);
  F.mergeSingle(G);
  F.choose();
  return F;
}

/// Whether one explanation of each value is left.
inline bool isChosen(const RankFn &F) {
  auto IsOne = [](const Candidates &C) { return std::popcount(C.Mask) == 1; };
  return F.isSingle() ? IsOne(F.single())
                      : std::all_of(F.pieces().begin(), F.pieces().end(),
                                    [&](const RankFn::Piece &P) { return !P.isExplained() || IsOne(P.Cand); });
}

} // namespace pilgrim::test

#endif
