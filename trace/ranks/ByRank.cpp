//===- ByRank.cpp - numbers that differ by rank ---------------------------===//
#include "trace/ranks/ByRank.h"

#include <algorithm>

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

namespace {
/// Ranks with the same numbers.
struct Alike {
  RankSet Ranks;
  std::map<uint32_t, int64_t> Numbers;
};

/// Sets that are told apart before ranks are looked at one by one.
constexpr size_t MaxAlike = 256;

std::optional<std::vector<Alike>> partition(const ByRank &X, const RankSet &Ranks, uint32_t World) {
  std::vector<Alike> Parts{{Ranks, {}}};
  for (const auto &[Place, F] : X) {
    const auto Levels = F.levels(Ranks, [&](uint32_t R) { return RankContext{R, World}; }, MaxAlike);
    if (!Levels)
      return std::nullopt;
    std::vector<Alike> Finer;
    for (const Alike &A : Parts)
      for (const RankFn::Level &L : *Levels) {
        RankSet Both = A.Ranks.common(L.Ranks);
        if (Both.empty())
          continue;
        if (Finer.size() == MaxAlike)
          return std::nullopt;
        Finer.push_back({std::move(Both), A.Numbers});
        Finer.back().Numbers[Place] = L.Value;
      }
    Parts = std::move(Finer);
  }
  std::sort(Parts.begin(), Parts.end(),
            [](const Alike &A, const Alike &B) { return A.Ranks.first() < B.Ranks.first(); });
  return Parts;
}
} // namespace

void forEachAlike(const ByRank &X, const RankSet &Ranks, uint32_t World,
                  const std::function<void(const RankSet &, const std::map<uint32_t, int64_t> &)> &F) {
  if (const auto Parts = partition(X, Ranks, World)) {
    for (const Alike &A : *Parts)
      F(A.Ranks, A.Numbers);
    return;
  }
  std::map<uint32_t, int64_t> Numbers;
  Ranks.forEach([&](uint32_t Rank) {
    for (const auto &[Place, Own] : X)
      Numbers[Place] = Own.eval(Rank, {Rank, World});
    F(RankSet(Rank), Numbers);
  });
}

std::optional<std::vector<RankSet>> ranksAlike(const ByRank &X, const RankSet &Ranks, uint32_t World) {
  auto Parts = partition(X, Ranks, World);
  if (!Parts)
    return std::nullopt;
  std::vector<RankSet> Out;
  for (Alike &A : *Parts)
    Out.push_back(std::move(A.Ranks));
  return Out;
}

bool splitSets(std::vector<RankSet> &Sets, const ByRank &X, const RankSet &Ranks, uint32_t World) {
  splitSets(Sets, Ranks);
  if (X.empty())
    return true;
  const auto Alike = ranksAlike(X, Ranks, World);
  if (Alike)
    for (const RankSet &S : *Alike)
      splitSets(Sets, S);
  return Alike.has_value();
}

void chooseByRank(ByRank &X, const RankSet &Ranks, uint32_t World, Shortener &Known) {
  for (auto &[Place, F] : X) {
    F.choose();
    Known.shorten(F, Ranks, [&](uint32_t R) { return RankContext{R, World}; });
  }
}

} // namespace pilgrim
