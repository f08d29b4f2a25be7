// trace/file/MeasureCode.h: numbers that are written and read by one description.
#include "trace/file/MeasureCode.h"
#include "test/unit/RootGroup.h"

#include <gtest/gtest.h>

#include <cmath>
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
    for (auto [K, Digits] : {std::pair(MeasureNumber::Gap, 4), {MeasureNumber::RankGap, 6}}) {
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

/// What happens to measures and places of an event on a node of 8 ranks that is written and read, and how many bytes it
/// takes.
static size_t eventThroughCode(std::vector<Measure> Measures, bool Exact, bool Once,
                               std::map<MeasuredPlace, PlaceTimes> &Places) {
  std::vector<uint8_t> Bytes;
  RangeWriter W(Bytes);
  MeasureCode<RangeWriter> Write(W, 16, RankSet::below(Exact ? 15 : 16));
  Write.exact(Exact);
  std::vector<Measure> Read = Measures;
  for (Measure &M : Measures)
    Write.measure(M, 0, 0, 8, Once);
  Write.places(Measures, 8, Places);
  W.finish();
  RangeReader R(Bytes);
  MeasureCode<RangeReader> Code(R, 16, RankSet::below(Exact ? 15 : 16));
  Code.exact(false);
  for (Measure &M : Read) {
    M = {M.Place, {.Count = M.calls()}, {}, {}};
    Code.measure(M, 0, 0, 8, false);
  }
  std::map<MeasuredPlace, PlaceTimes> Out;
  Code.places(Read, 8, Out);
  EXPECT_FALSE(Code.isDamaged());
  EXPECT_EQ(Out, Places) << "a writer knows what a reader gets";
  Places = std::move(Out);
  return Bytes.size();
}

TEST(MeasureCode, CallsThatEachRankMadeOnceAreNotWrittenTwice) {
  std::mt19937_64 Random(9);
  for (const bool Exact : {true, false}) {
    std::vector<Measure> Measures(1);
    Measure &M = Measures[0];
    M.Place = {3, 7, 0};
    PlaceTimes Is;
    for (uint32_t Rank = 0; Rank < 8; ++Rank) {
      const uint64_t Took = Random() % 1000000, Before = Random() % 1000000;
      M.Duration.add(Spread::of(Took, Rank));
      M.addGap({GapPath::Begin, 0, 0}, Spread::of(Before, Rank));
      Is.add({Spread::of(Took, Rank), Spread::of(Before, Rank)});
    }
    std::map<MeasuredPlace, PlaceTimes> Once{{{3, 7, 0}, Is}}, Often = Once;
    EXPECT_LT(eventThroughCode(Measures, Exact, true, Once) + 8, eventThroughCode(Measures, Exact, false, Often));
    for (const auto &Places : {Once, Often}) {
      const Spread &Read = Places.at({3, 7, 0}).Durations, &Gaps = Places.at({3, 7, 0}).Gaps;
      EXPECT_EQ(Read.Count, 8u);
      EXPECT_EQ(Read.MaxRank, Is.Durations.MaxRank);
      EXPECT_EQ(Gaps.MinRank, Is.Gaps.MinRank);
      EXPECT_NEAR(double(Read.Max), double(Is.Durations.Max), Exact ? 0 : double(Is.Durations.Max) / 64);
      EXPECT_NEAR(double(Gaps.Min), double(Is.Gaps.Min), Exact ? 0 : double(Is.Gaps.Min) / 64);
    }
    if (Exact) {
      EXPECT_EQ(Once.at({3, 7, 0}), Is);
    }
  }
}

/// The times of a node of 8 ranks, as they are read where its only part has those of Part; and how many bytes they
/// take.
static std::pair<NodeTimes, size_t> nodeThroughCode(const NodeTimes &N, const NodeTimes *Part) {
  std::vector<uint8_t> Bytes;
  RangeWriter W(Bytes);
  MeasureCode<RangeWriter> Write(W, 16, RankSet::below(15));
  Write.exact(true);
  NodeTimes Written = N, Read;
  Write.nodeTimes(8, N.InMpi.Sum, N.Outside.Sum, Part, Written);
  W.finish();
  RangeReader R(Bytes);
  MeasureCode<RangeReader> Code(R, 16, RankSet::below(15));
  Code.exact(false);
  Code.nodeTimes(8, N.InMpi.Sum, N.Outside.Sum, Part, Read);
  EXPECT_FALSE(Code.isDamaged());
  EXPECT_EQ(Read, Written);
  return {Read, Bytes.size()};
}

TEST(MeasureCode, ANodeWithOnePartHasItsTimesIfTheyAreTheSame) {
  NodeTimes Part, Other; // with an item of the tracer's own on a rank
  for (uint32_t Rank = 0; Rank < 8; ++Rank) {
    Part.add({Spread::of(1000 + Rank * 77, Rank), Spread::of(5000 - Rank * Rank, Rank)});
    Other.add({Spread::of(1000 + Rank * 77, Rank), Spread::of(5000 - Rank * Rank + (Rank == 3), Rank)});
  }
  TimedParts Parts(2);
  Parts.add(0, {{{1, 2, 1}, {Spread::of(1, 1), {}}}}); // inside another call
  EXPECT_EQ(Parts.only(0), nullptr);
  Parts.add(0, NodeTimes{}); // of ranks that measured nothing
  EXPECT_EQ(Parts.only(0), nullptr);
  Parts.add(0, Part);
  ASSERT_NE(Parts.only(0), nullptr);
  const auto [Same, SameBytes] = nodeThroughCode(Part, Parts.only(0));
  EXPECT_EQ(Same, Part);
  EXPECT_LT(SameBytes, 6u);
  EXPECT_EQ(nodeThroughCode(Other, Parts.only(0)).first, Other);
  Parts.add(0, {{{1, 2, 0}, {Spread::of(1, 1), Spread::of(1, 1)}}});
  EXPECT_EQ(Parts.only(0), nullptr) << "there are two";
}

/// Writes the spread of a measure with histograms, and gives what a reader gets.
static Spread withBins(const Spread &S, bool Exact, uint32_t Error) {
  std::vector<uint8_t> Bytes;
  RangeWriter W(Bytes);
  MeasureCode<RangeWriter> Write(W, 16, RankSet::below(Exact ? 15 : 16));
  Write.exact(Exact);
  bool IsByPath = true;
  Write.histograms(Error, IsByPath);
  const Spread Written = Write.spread(MeasureNumber::Duration, S.Count, S);
  Write.spread(MeasureNumber::Gap, S.Count, S);
  W.finish();
  RangeReader R(Bytes);
  MeasureCode<RangeReader> Read(R, 16, RankSet::below(Exact ? 15 : 16));
  Read.exact(false);
  uint32_t ReadError = 0;
  IsByPath = false;
  Read.histograms(ReadError, IsByPath);
  EXPECT_EQ(ReadError, Error);
  EXPECT_TRUE(IsByPath);
  const Spread Out = Read.spread(MeasureNumber::Duration, S.Count, {});
  EXPECT_EQ(Out, Written) << "a writer knows what a reader gets";
  EXPECT_EQ(Read.spread(MeasureNumber::Gap, S.Count, {}).Bins, Out.Bins);
  EXPECT_FALSE(Read.isDamaged());
  return Out;
}

TEST(MeasureCode, HistogramsAreRoundedNotShifted) {
  std::mt19937_64 Random(8);
  for (int Round = 0; Round < 300; ++Round) {
    const uint32_t Error = Round % 2 ? 100000 : 10000 + static_cast<uint32_t>(Random() % 490001);
    const TimeBins Bins({Error, 0});
    Spread S;
    std::vector<uint64_t> Times;
    for (uint64_t N = 1 + Random() % 500; N--;) {
      Times.push_back(Random() % (uint64_t(1) << Random() % 64));
      S.add(Spread::of(Times.back(), 0));
      S.Bins.Error = Error;
      S.Bins.count(Bins.symbol(Times.back()));
    }
    EXPECT_EQ(withBins(S, true, Error).Bins, S.Bins);
    const TimeHistogram H = withBins(S, false, Error).Bins;
    ASSERT_EQ(H.Counts.size(), S.Bins.Counts.size());
    EXPECT_EQ(H.First, S.Bins.First);
    for (size_t I = 0; I < H.Counts.size(); ++I)
      EXPECT_NEAR(double(H.Counts[I]), double(S.Bins.Counts[I]), double(S.Bins.Counts[I]) / 64);
    // Quantiles against the times themselves.
    std::ranges::sort(Times);
    for (const double Share : {0.0, 0.25, 0.5, 0.99, 1.0}) {
      const auto True = static_cast<size_t>(std::max(0.0, std::ceil(Share * double(Times.size())) - 1));
      EXPECT_EQ(S.Bins.quantile(Share), Bins.symbol(Times[True])) << Share << " of " << Times.size();
    }
  }
}

TEST(MeasureCode, HistogramsOfAllRanksAreOne) {
  std::mt19937_64 Random(9);
  for (int Round = 0; Round < 200; ++Round) {
    TimeHistogram Whole, Parts[4];
    for (int N = 0; N < 100; ++N) {
      const auto Bin = static_cast<uint32_t>(Random() % (1 + Random() % 300));
      for (TimeHistogram *H : {&Whole, &Parts[Random() % 4]}) {
        H->Error = 100000;
        H->count(Bin);
      }
    }
    std::ranges::shuffle(Parts, Random);
    TimeHistogram Sum;
    for (const TimeHistogram &P : Parts)
      Sum.add(P);
    EXPECT_EQ(Sum, Whole);
    EXPECT_EQ(Sum.total(), 100u);
    // Of other bins nothing can be said.
    Parts[0].Error = 200000;
    if (!Parts[0].Counts.empty()) {
      Sum.add(Parts[0]);
      EXPECT_EQ(Sum, TimeHistogram());
    }
  }
}

TEST(MeasureCode, AHistogramThatLacksTimesIsNone) {
  std::mt19937_64 Random(10);
  Spread S;
  S.Bins.Error = 100000;
  for (int N = 0; N < 1000; ++N) {
    const auto Bin = static_cast<uint32_t>(1000 + Random() % (1 + N));
    const size_t Before = S.Bins.Counts.size(), More = S.Bins.growth(Bin);
    S.Bins.count(Bin);
    ASSERT_EQ(S.Bins.Counts.size(), Before + More);
    S.add(Spread::of(5, 0));
  }
  EXPECT_TRUE(S.hasHistogram());
  Spread Lacking = S;
  for (int N = 0; N < 40; ++N)
    Lacking.add(Spread::of(5, 1)); // of a rank that had no room
  EXPECT_FALSE(Lacking.hasHistogram());
  EXPECT_FALSE(Spread::of(5, 0).hasHistogram());
}
