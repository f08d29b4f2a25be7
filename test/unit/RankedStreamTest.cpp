// trace/ranks/RankedStream.h, RankedStream.cpp: streams of several ranks against the plain list of each rank's values.
#include "trace/ranks/RankedStream.h"
#include "test/unit/Ranks.h"
#include "test/unit/Sequences.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace pilgrim;
using namespace pilgrim::test;

using Lists = std::vector<std::vector<int64_t>>; // by rank

/// Joined in a random order as far as they can be; each is written, read and chosen on the way now and then.
static RankedStreams joined(const Lists &Of, unsigned Seed) {
  std::mt19937 Random(Seed);
  const auto World = static_cast<uint32_t>(Of.size());
  RankedStreams All;
  for (uint32_t R = 0; R < World; ++R) {
    All.push_back({RankSet(R), streamOf(Of[R])});
  }
  std::shuffle(All.begin(), All.end(), Random);
  for (size_t Tries = All.size() * All.size(); Tries-- && All.size() > 1;) {
    size_t I = Random() % All.size(), J = Random() % All.size();
    if (I == J)
      continue;
    if (Random() % 4 == 0) {
      auto B = written(All[J]);
      ByteReader R(B);
      RankedStream Read{All[J].Ranks, {}};
      Read.read(R, World);
      EXPECT_TRUE(R.ok() && R.atEnd());
      All[J] = std::move(Read);
    }
    if (All[I].join(All[J], World))
      All.erase(All.begin() + static_cast<ptrdiff_t>(J));
  }
  return All;
}

/// Number of streams, and bytes of all.
static std::pair<size_t, size_t> check(const Lists &Of, unsigned Seed) {
  const auto World = static_cast<uint32_t>(Of.size());
  RankedStreams All = joined(Of, Seed);
  size_t Bytes = 0, Ranks = 0;
  for (RankedStream &S : All) {
    Shortener Known;
    chooseByRank(S.Functions, S.Ranks, World, Known);
    auto B = written(S);
    Bytes += B.size();
    ByteReader In(B);
    RankedStream Read{S.Ranks, {}};
    Read.read(In, World);
    EXPECT_TRUE(In.ok() && In.atEnd());
    EXPECT_EQ(written(Read), B);
    bool SameLength = true;
    S.Ranks.forEach([&](uint32_t R) {
      EXPECT_EQ(expand(S.of(R, World)), Of[R]) << "rank " << R;
      EXPECT_EQ(expand(Read.of(R, World)), Of[R]) << "rank " << R;
      SameLength &= Of[R].size() == Of[S.Ranks.first()].size();
      ++Ranks;
    });
    EXPECT_TRUE(SameLength || S.hasLengthsByRank());
  }
  EXPECT_EQ(Ranks, Of.size());
  return {All.size(), Bytes};
}

template <typename Fn> static Lists lists(size_t Ranks, size_t Length, Fn &&Value) {
  Lists Of(Ranks);
  for (size_t R = 0; R < Ranks; ++R)
    for (size_t I = 0; I < Length; ++I)
      Of[R].push_back(Value(static_cast<int64_t>(R), static_cast<int64_t>(I)));
  return Of;
}

TEST(RankedStream, WhatRunsAlikeTakesConstantSpace) {
  for (size_t N : {5, 64, 300})
    for (size_t Length : {10, 1000}) {
      EXPECT_LE(check(lists(N, Length, [](int64_t, int64_t I) { return 8 * I; }), 1).second, 8u);
      auto [Number, Bytes] = check(lists(N, Length, [](int64_t R, int64_t I) { return (R + 1) * 4096 + 64 * I; }), 2);
      EXPECT_EQ(Number, 1u);
      EXPECT_LE(Bytes, 20u);
      std::tie(Number, Bytes) =
          check(lists(N, Length, [](int64_t R, int64_t I) { return R / 5 + (R % 5 + 1) * I; }), 3);
      EXPECT_EQ(Number, 1u);
      EXPECT_LE(Bytes, 28u);
    }
}

TEST(RankedStream, LengthsMayDiffer) {
  Lists Of;
  for (int64_t R = 0; R < 50; ++R) {
    std::vector<int64_t> V;
    for (int64_t I = 0; I < 10 + R; ++I)
      V.push_back(3 * I + 1000);
    for (int64_t I = 0; I < 70 - R; ++I)
      V.push_back(-7);
    Of.push_back(V);
  }
  auto [Number, Bytes] = check(Of, 4);
  EXPECT_EQ(Number, 1u);
  EXPECT_LE(Bytes, 30u);
  Of[20].push_back(0);
  EXPECT_EQ(check(Of, 5).first, 2u);
}

TEST(RankedStream, RandomStreams) {
  for (unsigned Seed = 0; Seed < 300; ++Seed) {
    std::mt19937 Random(Seed);
    size_t Ranks = 1 + Random() % 20;
    std::vector<int64_t> Start(Ranks), Step(Ranks);
    for (size_t R = 0; R < Ranks; ++R) {
      Start[R] = Random() % 3 ? static_cast<int64_t>(R * 10) : static_cast<int64_t>(Random() % 5) - 2;
      Step[R] = Random() % 4 ? 5 : static_cast<int64_t>(uint64_t(Random() % 4) * INT64_MAX);
    }
    Lists Of(Ranks);
    std::vector<std::pair<size_t, int64_t>> Runs;
    for (unsigned I = Random() % 6; I--;)
      Runs.push_back({1 + Random() % 9, static_cast<int64_t>(Random() % 3)});
    for (size_t R = 0; R < Ranks; ++R)
      for (auto [Length, Base] : Runs)
        for (size_t I = 0; I < Length + (Seed % 3 == 0 ? R % 3 : 0); ++I)
          Of[R].push_back(
              static_cast<int64_t>(static_cast<uint64_t>(Base + Start[R]) + I * static_cast<uint64_t>(Step[R])));
    check(Of, Seed);
  }
}

TEST(RankedStream, ManyDifferencesAreNotJoined) {
  std::mt19937 Random(5);
  Lists Of = lists(4, 200, [&](int64_t, int64_t) { return static_cast<int64_t>(Random()); });
  EXPECT_EQ(check(Of, 6).first, 4u);
}

TEST(RankedStream, DamagedStreamsAreRefused) {
  auto Reads = [](std::vector<uint8_t> B) {
    ByteReader R(B);
    RankedStream S{RankSet::below(4), {}};
    S.read(R, 4);
    bool Good = R.ok() && R.atEnd();
    for (uint32_t Rank = 0; Rank < 4 && Good; ++Rank)
      EXPECT_EQ(expand(S.of(Rank, 4)).size(), S.of(Rank, 4).length());
    return Good;
  };
  // One run of five values; its first value is the rank.
  EXPECT_TRUE(Reads({2, 0, 8, 0}));
  EXPECT_TRUE(Reads({0, 2, 2, 0, 8, 0, 0, 0, 2, 0}));
  EXPECT_FALSE(Reads({0, 2, 2, 0, 8, 0})) << "no functions";
  EXPECT_FALSE(Reads({0, 2, 2, 0, 8, 0, 0, 3, 2, 0})) << "there is but one run";
  EXPECT_FALSE(Reads({0, 2, 2, 0, 8, 0, 3, 0, 2, 0, 0, 2, 0, 0, 2, 2, 0, 2, 2}))
      << "more functions than there are fields";
  EXPECT_TRUE(Reads({0, 2, 2, 0, 8, 0, 0, 2, 2, 2})) << "so many values, and one";
  EXPECT_FALSE(Reads({0, 2, 2, 0, 8, 0, 0, 2, 2, 0})) << "rank 0 has a run of none";
  EXPECT_FALSE(Reads({0, 2, 1, 0, 0, 0, 2, 0})) << "there is no run";
  std::mt19937 Random(7);
  unsigned Good = 0;
  for (int Round = 0; Round < 20000; ++Round) {
    std::vector<uint8_t> B{0, static_cast<uint8_t>(Random() % 4)};
    for (uint32_t I = Random() % 24; I--;)
      B.push_back(static_cast<uint8_t>(Random() % (Round % 2 ? 256 : 10)));
    ByteReader R(B);
    RankedStream S{RankSet::below(4), {}};
    S.read(R, 4);
    Good += R.ok();
    for (uint32_t Rank = 0; Rank < 4 && R.ok(); ++Rank)
      S.of(Rank, 4);
  }
  EXPECT_GT(Good, 10u);
}
