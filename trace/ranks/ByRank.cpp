//===- ByRank.cpp - numbers that differ by rank ---------------------------===//
#include "trace/ranks/ByRank.h"

namespace pilgrim {

/// Differences that are worth a function each. Random values have more.
static constexpr size_t MaxByRank = 64;

static RankFn function(const NumbersByRank &X, uint32_t Place, uint32_t World) {
  if (auto F = X.Own.find(Place); F != X.Own.end())
    return F->second;
  RankFn F(X.Number(Place));
  RankContext Ctx{X.Ranks.first(), World};
  if (X.Ranks.size() == 1)
    F.derive(&Ctx);
  return F;
}

bool joinByRank(ByRank &To, const NumbersByRank &A, const NumbersByRank &B, uint32_t N, uint32_t World) {
  std::vector<uint32_t> Different;
  for (uint32_t Place = 0; Place < N; ++Place) {
    if (A.Number(Place) != B.Number(Place) || A.Own.contains(Place) || B.Own.contains(Place))
      Different.push_back(Place);
    if (Different.size() > MaxByRank)
      return false;
  }
  auto Ctx = [&](uint32_t R) { return RankContext{R, World}; };
  for (uint32_t Place : Different) {
    RankFn F = function(A, Place, World);
    F.merge(function(B, Place, World), A.Ranks, B.Ranks, Ctx, Ctx);
    To[Place] = std::move(F);
  }
  return true;
}

std::vector<RankSet> ranksAlike(const ByRank &X, const RankSet &Ranks, uint32_t World) {
  std::map<std::vector<int64_t>, size_t> Known;
  std::vector<RankSet> Out;
  Ranks.forEach([&](uint32_t Rank) {
    std::vector<int64_t> Key;
    for (const auto &[Place, F] : X)
      Key.push_back(F.eval(Rank, {Rank, World}));
    auto [It, New] = Known.try_emplace(std::move(Key), Out.size());
    if (New)
      Out.emplace_back();
    Out[It->second].unite(RankSet(Rank));
  });
  return Out;
}

void chooseByRank(ByRank &X, const RankSet &Ranks, uint32_t World) {
  for (auto &[Place, F] : X) {
    F.choose();
    F.shorten(Ranks, [&](uint32_t R) { return RankContext{R, World}; });
  }
}

} // namespace pilgrim
