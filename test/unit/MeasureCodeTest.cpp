// trace/file/MeasureCode.h: numbers that are written and read by one description.
#include "trace/file/MeasureCode.h"
#include "test/unit/RootGroup.h"

#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;
using namespace pilgrim::test;

/// Writes a spread, and gives what a reader gets.
static Spread throughCode(const Spread &S, bool Exact, MeasureNumber K = MeasureNumber::Duration) {
  std::vector<uint8_t> Bytes;
  RangeWriter W(Bytes);
  MeasureCode<RangeWriter> Write(W, 16, RankSet::below(Exact ? 15 : 16));
  Write.exact(Exact);
  const Spread Written = Write.spread(K, S.Count, S);
  W.finish();
  RangeReader R(Bytes);
  MeasureCode<RangeReader> Read(R, 16, RankSet::below(Exact ? 15 : 16));
  EXPECT_EQ(Read.exact(false), Exact);
  const Spread Out = Read.spread(K, S.Count, {});
  EXPECT_EQ(Out, Written) << "a writer knows what a reader gets";
  return Out;
}

TEST(MeasureCode, SpreadsAreRoundedToTheSafeSide) {
  std::mt19937_64 Random(7);
  for (int Round = 0; Round < 3000; ++Round) {
    Spread S;
    const uint64_t Large = uint64_t(1) << Random() % 45;
    for (uint64_t N = 1 + Random() % 20; N--;)
      S.add(Spread::of(Random() % Large, Random() % 16));
    EXPECT_EQ(throughCode(S, true), S);
    for (auto [K, Digits] : {std::pair(MeasureNumber::Gap, 4), {MeasureNumber::NodeOutside, 6}}) {
      const Spread R = throughCode(S, false, K);
      EXPECT_EQ(R.Count, S.Count);
      EXPECT_NEAR(double(R.Sum), double(S.Sum), double(S.Sum) / (1 << 14));
      EXPECT_EQ(R.MinRank, S.MinRank);
      EXPECT_EQ(R.MaxRank, S.MaxRank);
      if (S.Count == 1)
        continue;
      EXPECT_LE(R.Min, S.Min);
      EXPECT_GE(R.Max, S.Max);
      EXPECT_GE(R.Min + (S.Min >> Digits), S.Min);
      EXPECT_LE(R.Max, S.Max + (S.Max >> Digits));
      EXPECT_NEAR(R.deviation(), S.deviation(), S.deviation() / 30 + 0.5);
    }
  }
  // Just below and at a power of two, where rounding has a digit more.
  for (uint64_t V = (1 << 20) - 40; V < (1 << 20) + 40; ++V) {
    Spread S{2, V, 0, V / 2, V - V / 2, 0, 0};
    S.Squares = UInt128(S.Min) * S.Min + UInt128(S.Max) * S.Max;
    EXPECT_NEAR(double(throughCode(S, false).Sum), double(V), 64) << V;
  }
  EXPECT_EQ(throughCode(alike(16, 1 << 14, 3), false).Sum, 1u << 14);
  // The largest that there can be.
  Spread S;
  for (int I = 0; I < 3; ++I)
    S.add(Spread::of(UINT64_MAX - I, 15 - I));
  EXPECT_EQ(throughCode(S, true), S);
  EXPECT_GE(throughCode(S, false).Max, UINT64_MAX / 32 * 31) << "there is nothing above it to round to";
  S = Spread::of(0, 0);
  S.add(S);
  EXPECT_EQ(throughCode(S, false), S);
}
