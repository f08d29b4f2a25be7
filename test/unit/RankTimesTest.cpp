// What is known of the times of ranks, and what is a share: driver/RankTimes.h.
#include "driver/RankTimes.h"

#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;

namespace {
/// What ranks needed in some calls, which have several measures.
struct Ranks {
  std::vector<Measure> Measures{3};
  std::vector<uint64_t> Sums; ///< by rank
  PlaceCalls Calls;
  Spread Spreads;

  explicit Ranks(std::vector<std::array<uint64_t, 3>> CallsOf, uint64_t Each) {
    for (uint32_t Rank = 0; Rank < CallsOf.size(); ++Rank) {
      uint64_t Own = 0;
      for (size_t M = 0; M < Measures.size(); ++M)
        for (uint64_t I = 0; I < CallsOf[Rank][M]; ++I) {
          const uint64_t Time = Each * (Rank * 7 % 5 + 1);
          Measures[M].Duration.add(Spread::of(Time, Rank));
          Own += Time;
        }
      Sums.push_back(Own);
      Spreads.add(Spread::of(Own, Rank));
    }
    for (uint32_t Rank = 0; Rank < CallsOf.size(); ++Rank)
      for (size_t M = 0; M < Measures.size(); ++M)
        if (const uint64_t N = CallsOf[Rank][M])
          Calls.add(Measures[M], RankSet(Rank), N);
  }

  std::vector<MeasuredPart> parts(const Spread &Known) const {
    std::vector<MeasuredPart> Out;
    Calls.forEach(Known, [&](uint32_t First, uint32_t Last, const MeasuredPart &P) {
      EXPECT_EQ(First, Out.size());
      Out.resize(uint64_t(Last) + 1, P);
    });
    return Out;
  }
};

TEST(RankTimes, OwnSumsAreThoseOfTheRanksAndTheRestIsShared) {
  std::mt19937 Random(3);
  for (int I = 0; I < 200; ++I) {
    std::vector<std::array<uint64_t, 3>> CallsOf(1 + Random() % 8);
    for (auto &C : CallsOf)
      C = {Random() % 3 + 1, Random() % 3, Random() % 2};
    const Ranks R(CallsOf, Random() % 1000 + 1);
    const auto Parts = R.parts(R.Spreads);
    ASSERT_EQ(Parts.size(), R.Sums.size());
    uint64_t All = 0;
    for (uint32_t Rank = 0; Rank < Parts.size(); ++Rank) {
      if (!Parts[Rank].IsMean) {
        EXPECT_EQ(Parts[Rank].Sum, R.Sums[Rank]) << Rank;
      }
      EXPECT_GE(Parts[Rank].Sum, R.Spreads.Min);
      EXPECT_LE(Parts[Rank].Sum, R.Spreads.Max);
      All += Parts[Rank].Sum;
    }
    EXPECT_FALSE(Parts[R.Spreads.MinRank].IsMean);
    EXPECT_FALSE(Parts[R.Spreads.MaxRank].IsMean);
    if (Parts.size() <= 3) {
      EXPECT_NEAR(static_cast<double>(All), static_cast<double>(R.Spreads.Sum), 3);
    }
    // Of all together nothing is a mean, of some it is the sum of their parts.
    const RankSet Everyone = RankSet::below(static_cast<uint32_t>(Parts.size()));
    EXPECT_EQ(R.Calls.total(R.Spreads, Everyone).Sum, R.Spreads.Sum);
    EXPECT_FALSE(R.Calls.total(R.Spreads, Everyone).IsMean);
    EXPECT_EQ(R.Calls.total(R.Spreads, RankSet(0)).Sum, Parts[0].Sum);
  }
}

TEST(RankTimes, SharesAreByCallsWhereNothingElseIsKnown) {
  const Ranks R({{1, 0, 0}, {3, 0, 0}, {0, 2, 0}}, 100);
  const auto Parts = R.parts({});
  EXPECT_EQ(Parts[0].Sum + Parts[1].Sum, R.Measures[0].Duration.Sum);
  EXPECT_EQ(Parts[1].Sum, 3 * Parts[0].Sum);
  EXPECT_TRUE(Parts[0].IsMean && Parts[1].IsMean);
  EXPECT_FALSE(Parts[2].IsMean) << "measured alone";
  EXPECT_EQ(Parts[2].Sum, R.Sums[2]);
}

TEST(RankTimes, RanksThatAllNeededTheSameAreKnown) {
  Spread Same;
  RankParts Shares;
  for (uint32_t Rank = 0; Rank < 5; ++Rank) {
    Same.add(Spread::of(40, Rank));
    Shares.add(RankSet(Rank), {Rank, 1});
  }
  forEachPart(Shares, RankSet::below(5), Same, [&](uint32_t, uint32_t, const MeasuredPart &P) {
    EXPECT_EQ(P.Sum, 40u);
    EXPECT_FALSE(P.IsMean);
  });
}

TEST(RankTimes, TheLargestIsNotMoreThanTheSum) {
  Spread S = Spread::of(1000, 1);
  S.add(Spread::of(3, 0));
  S.add(Spread::of(3, 2));
  S.Max = 1008; // rounded up
  EXPECT_EQ(largest(S), 1006u);
  EXPECT_EQ(ownSum(S, 1), 1006u);
  EXPECT_EQ(ownSum(S, 0), 3u);
  EXPECT_EQ(ownSum(S, 2), std::nullopt);
  EXPECT_EQ(ownSum({}, 0), std::nullopt);
}
} // namespace
