// trace/ranks/ByRank.h, ByRank.cpp: lists of numbers that ranks have, against a list for each rank.
#include "trace/ranks/ByRank.h"
#include "test/unit/Ranks.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
using Lists = std::vector<std::vector<int64_t>>; // by rank, then by place

struct Side {
  RankSet Ranks;
  ByRank Own;
  std::vector<int64_t> Numbers; ///< at places that are not in Own

  NumbersByRank all() const {
    return {Ranks, Own, [this](uint32_t P) { return Numbers[P]; }};
  }
  bool join(const Side &Other, uint32_t World) {
    ByRank To = Own;
    const bool Good = joinByRank(To, all(), Other.all(), static_cast<uint32_t>(Numbers.size()), World);
    if (!Good) {
      EXPECT_EQ(To.size(), Own.size()) << "it was not to change";
      return false;
    }
    Own = To;
    for (const auto &[Place, F] : Own)
      Numbers[Place] = 1; // means nothing, and may be what others have
    Ranks.unite(Other.Ranks);
    return true;
  }
};
} // namespace

/// Values that are the rank's, or constant, or one of a few.
static Lists randomLists(std::mt19937 &Random, uint32_t World, size_t Places) {
  Lists Of(World);
  for (size_t P = 0; P < Places; ++P)
    for (uint32_t R = 0; R < World; ++R)
      switch ((P + World) % 4) {
      case 0:
        Of[R].push_back(R / 3);
        break;
      case 1:
        Of[R].push_back(Random() % 3);
        break;
      default:
        Of[R].push_back(static_cast<int64_t>(P));
      }
  return Of;
}

static Side joined(const Lists &Of, std::mt19937 &Random) {
  const auto World = static_cast<uint32_t>(Of.size());
  std::vector<Side> Sides;
  for (uint32_t R = 0; R < World; ++R)
    Sides.push_back({RankSet(R), {}, Of[R]});
  while (Sides.size() > 1) {
    std::swap(Sides[Random() % Sides.size()], Sides.back());
    const Side Last = Sides.back();
    Sides.pop_back();
    EXPECT_TRUE(Sides[Random() % Sides.size()].join(Last, World));
  }
  return Sides[0];
}

TEST(ByRank, EachRankKeepsItsNumbers) {
  for (unsigned Seed = 0; Seed < 200; ++Seed) {
    std::mt19937 Random(Seed);
    const uint32_t World = 1 + Random() % 30;
    const Lists Of = randomLists(Random, World, 1 + Random() % 9);
    Side All = joined(Of, Random);
    const ByRank Before = All.Own;
    Shortener Known;
    chooseByRank(All.Own, All.Ranks, World, Known);
    for (uint32_t P = 0; P < Of[0].size(); ++P) {
      const bool Differ = std::any_of(Of.begin(), Of.end(), [&](const auto &L) { return L[P] != Of[0][P]; });
      ASSERT_EQ(All.Own.contains(P), Differ) << Seed << ", place " << P;
      for (uint32_t R = 0; R < World; ++R) {
        EXPECT_EQ(Differ ? All.Own.at(P).eval(R, {R, World}) : All.Numbers[P], Of[R][P]);
        if (Differ) {
          EXPECT_EQ(Before.at(P).eval(R, {R, World}), Of[R][P]);
        }
      }
      if (Differ) {
        EXPECT_TRUE(isChosen(All.Own.at(P)));
        EXPECT_LE(written(All.Own.at(P)).size(), written(Before.at(P)).size());
      }
    }
  }
}

TEST(ByRank, UpTo64PlacesMayDiffer) {
  for (uint32_t Places : {64u, 65u}) {
    Side A{RankSet(0), {}, std::vector<int64_t>(100, 1)}, B{RankSet(1), {}, A.Numbers};
    for (uint32_t P = 0; P < Places; ++P)
      B.Numbers[99 - P] = 2;
    EXPECT_EQ(A.join(B, 2), Places == 64);
    EXPECT_EQ(A.Own.size(), Places == 64 ? 64u : 0u);
  }
}

/// Calls of forEachAlike.
static std::vector<std::pair<std::vector<uint32_t>, std::map<uint32_t, int64_t>>>
partsOf(const ByRank &X, const RankSet &Ranks, uint32_t World) {
  std::vector<std::pair<std::vector<uint32_t>, std::map<uint32_t, int64_t>>> Out;
  forEachAlike(X, Ranks, World,
               [&](const RankSet &Own, const auto &Numbers) { Out.push_back({members(Own), Numbers}); });
  return Out;
}

static void checkParts(const ByRank &X, const RankSet &Ranks, uint32_t World, bool OneByOne) {
  std::map<std::map<uint32_t, int64_t>, std::vector<uint32_t>> Wanted;
  Ranks.forEach([&](uint32_t R) {
    std::map<uint32_t, int64_t> Numbers;
    for (const auto &[Place, F] : X)
      Numbers[Place] = F.eval(R, {R, World});
    Wanted[Numbers].push_back(R);
  });
  const auto Parts = partsOf(X, Ranks, World);
  const auto Sets = ranksAlike(X, Ranks, World);
  ASSERT_EQ(Parts.size(), OneByOne ? Ranks.size() : Wanted.size());
  ASSERT_EQ(Sets.has_value(), !OneByOne);
  std::vector<RankSet> Divided{RankSet::below(World)};
  EXPECT_EQ(splitSets(Divided, X, Ranks, World), !OneByOne);
  const bool HasOthers = Ranks.size() < World;
  EXPECT_EQ(Divided.size(), (Sets ? Sets->size() : 1) + HasOthers);
  for (const RankSet &S : Divided)
    EXPECT_TRUE(S.common(Ranks).empty() || (Sets ? std::ranges::find(*Sets, S) != Sets->end() : S == Ranks));
  for (size_t I = 0; I < Parts.size(); ++I) {
    const auto &[Own, Numbers] = Parts[I];
    if (I) {
      EXPECT_LT(Parts[I - 1].first.front(), Own.front()) << "in the order of their first ranks";
    }
    EXPECT_EQ(Own, OneByOne ? std::vector{Ranks.at(I)} : Wanted[Numbers]);
    EXPECT_TRUE(std::ranges::find(Wanted[Numbers], Own.front()) != Wanted[Numbers].end());
    if (Sets) {
      EXPECT_EQ(members((*Sets)[I]), Own);
    }
  }
}

TEST(ByRank, RanksWithTheSameNumbersAreMet) {
  for (unsigned Seed = 0; Seed < 200 && !::testing::Test::HasFatalFailure(); ++Seed) {
    std::mt19937 Random(Seed);
    const uint32_t World = 2 + Random() % 40;
    const Side All = joined(randomLists(Random, World, 1 + Random() % 6), Random);
    checkParts(All.Own, RankSet::below(World), World, false);
    checkParts(All.Own, randomRanks(Random, World), World, false);
  }
}

TEST(ByRank, ManyDifferentNumbersAreMetRankByRank) {
  for (uint32_t World : {256u, 257u}) {
    const RankSet Ranks = RankSet::below(World);
    const ByRank X{{3, offset(7, World)}};
    checkParts(X, Ranks, World, World == 257);
    // Few numbers each, but many pairs of them: rank / 20 and the rank modulo 20.
    std::vector<int64_t> High, Low;
    for (int64_t R = 0; R < World; ++R) {
      High.push_back(R / 20);
      Low.push_back(R % 20);
    }
    checkParts({{0, RankFn::ofValues(High, Ranks)}, {5, RankFn::ofValues(Low, Ranks)}}, Ranks, World, World == 257);
  }
}
