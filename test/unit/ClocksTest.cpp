// trace/model/Clocks.h: times of ranks whose clocks show different times, and run differently fast, are made one.
#include "trace/model/Clocks.h"
#include "trace/merge/Merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

using namespace pilgrim;

namespace {
/// Shows First when the run begins.
struct TrueClock {
  uint64_t First = 0;
  double TicksPerSecond = 0;
  uint64_t at(double Seconds) const {
    return First + static_cast<uint64_t>(static_cast<int64_t>(std::llround(Seconds * TicksPerSecond)));
  }
};

constexpr double Begin = 0.5, End = 1000; ///< when clocks are compared

/// Ranks 2C and 2C+1 have clock C, which has the number C+1, and was compared with that of C without its lowest bit.
class Machines {
public:
  explicit Machines(uint32_t NumClocks, std::vector<double> Times) {
    std::mt19937_64 Random(NumClocks);
    for (uint32_t C = 0; C < NumClocks; ++C)
      Clocks.push_back({Random() >> 8, 2e9 * (1 + 1e-4 * (static_cast<double>(Random() % 2000) / 1000 - 1))});
    Began.resize(2 * NumClocks);
    T.World = 2 * NumClocks;
    Group &G = T.Groups.emplace_back();
    for (uint32_t R = 0; R < T.World; ++R) {
      const TrueClock &Own = Clocks[R / 2];
      Began[R] = static_cast<double>(Random() % 1000) / 10000;
      CallTimes &X = G.Times.emplace_back();
      X.Rank = R;
      X.NanoPerTick = 0.5; // as each takes its own seconds for true
      X.Origin = Own.at(Began[R]);
      X.Clock = R / 2 + 1;
    }
    for (uint64_t C = 1; C < NumClocks; ++C) {
      const uint64_t Reference = C & (C - 1);
      ComparedClock &Made = T.Clocks[C + 1];
      Made.Reference = Reference + 1;
      for (const double Time : Times)
        Made.Points.push_back({Clocks[C].at(Time), Clocks[Reference].at(Time), 2000});
    }
  }
  const CallTimes &times(uint32_t Rank) const { return T.Groups[0].Times[Rank]; }
  /// By how much Rank's time is off, in seconds of the first clock.
  double error(uint32_t Rank, double Time) const {
    const double Seconds = times(Rank).Base.seconds(Clocks[Rank / 2].at(Time));
    return std::abs(Seconds * (2e9 / Clocks[0].TicksPerSecond) - (Time - std::ranges::min(Began)));
  }
  std::vector<TrueClock> Clocks;
  std::vector<double> Began;
  TraceData T;
};
} // namespace

TEST(Clocks, ComparedTwiceTheyAgreeEverywhere) {
  Machines M(13, {Begin, End});
  findTimeBases(M.T);
  for (uint32_t R = 0; R < M.T.World; ++R) {
    for (const double Time : {0.0, 0.3, 17.0, 500.0, 1000.0, 1100.0})
      EXPECT_LT(M.error(R, Time), 1e-7) << "rank " << R << " at " << Time;
    const int Steps = std::popcount(R / 2);
    EXPECT_NEAR(M.times(R).Base.Radius, Steps * 1e-6, Steps * 1e-9) << "rank " << R;
    EXPECT_EQ(M.times(R).Base.Root, 1u);
  }
}

TEST(Clocks, ComparedOnceTheyAgreeThere) {
  Machines M(8, {End});
  findTimeBases(M.T);
  double Most = 0;
  for (uint32_t R = 0; R < M.T.World; ++R) {
    // All of them are off by as much as the first rank's begin is, which is where times count from.
    EXPECT_NEAR(M.error(R, End), M.error(0, End), 1e-7) << "rank " << R;
    Most = std::max(Most, M.error(R, 0.0));
  }
  EXPECT_GT(Most, 1e-3); // up to 200 in 10^6 for 1000 seconds
}

TEST(Clocks, NotComparedEachCountsFromItsFirstRank) {
  Machines M(3, {});
  M.T.Clocks.clear();
  M.T.Groups[0].Times[4].Clock = M.T.Groups[0].Times[5].Clock = 0; // not known: each for itself
  findTimeBases(M.T);
  for (uint32_t R = 0; R < 6; ++R) {
    const double First = R < 4 ? std::min(M.Began[R], M.Began[R ^ 1]) : M.Began[R];
    EXPECT_NEAR(M.times(R).Base.seconds(M.Clocks[R / 2].at(First)), 0, 1e-9) << "rank " << R;
  }
  EXPECT_NE(M.times(0).Base.Root, M.times(2).Base.Root);
}

TEST(Clocks, AnAbsentReferenceSaysNothing) {
  Machines M(4, {Begin, End});
  std::erase_if(M.T.Groups[0].Times, [](const CallTimes &X) { return X.Clock == 1; });
  findTimeBases(M.T);
  EXPECT_EQ(M.T.Groups[0].Times[0].Base.Root, 2u);
  EXPECT_EQ(M.T.Groups[0].Times[2].Base.Root, 3u);
  EXPECT_EQ(M.T.Groups[0].Times[4].Base.Root, 3u) << "of its reference";
}

TEST(Clocks, CirclesAndClocksThatStandStillAreNoticed) {
  const std::vector<ClockPoint> Points{{10, 100, 1}, {20, 110, 1}};
  EXPECT_TRUE(areSound({}));
  EXPECT_TRUE(areSound({{1, {2, Points}}, {2, {3, Points}}, {5, {2, Points}}}));
  EXPECT_FALSE(areSound({{1, {1, Points}}}));
  EXPECT_FALSE(areSound({{1, {2, Points}}, {2, {3, Points}}, {3, {1, Points}}}));
  EXPECT_FALSE(areSound({{1, {3, Points}}, {2, {3, Points}}, {3, {2, Points}}}));
  EXPECT_FALSE(areSound({{1, {2, {}}}}));
  EXPECT_FALSE(areSound({{1, {2, {{10, 100, 1}, {10, 110, 1}}}}}));
  EXPECT_FALSE(areSound({{1, {2, {{10, 100, 1}, {20, 100, 1}}}}}));
}

TEST(Clocks, MergingKeepsThem) {
  TraceData A, B, C;
  A.World = B.World = C.World = 3;
  A.Ranks = RankSet(0);
  B.Ranks = RankSet(1);
  C.Ranks = RankSet(2);
  B.Clocks[7] = {5, {{1, 2, 3}}};
  C.Clocks[9] = {7, {{4, 5, 6}}};
  const ComparedClocks Both{{7, B.Clocks[7]}, {9, C.Clocks[9]}};
  TraceData X = A;
  merge(X, B);
  merge(X, C);
  EXPECT_EQ(X.Clocks, Both);
  TraceData D;
  D.World = 3;
  D.Clocks[5] = {9, {{1, 1, 1}}}; // of another run
  merge(X, D);
  EXPECT_TRUE(areSound(X.Clocks));
}
