// trace/ranks/Affine.h, Affine.cpp: functions that follow from earlier ones are read as they were.
#include "trace/ranks/Affine.h"
#include "test/unit/Ranks.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

static constexpr uint8_t FollowsHead = 12;

TEST(Affine, WhatFollowsFromEarlierOnes) {
  constexpr uint32_t N = 48;
  auto Ranks = RankSet::below(N), Fewer = RankSet::below(N - 1);
  // Nothing that a list would say in a few bytes.
  auto F = [](const RankSet &Of, int64_t Factor, int64_t Mod, int64_t Base = 0) {
    std::vector<int64_t> V;
    Of.forEach([&](uint32_t R) {
      V.push_back(int64_t(uint64_t(Base) + uint64_t(Factor * (1 + (R * R + 1) % Mod * R % Mod))));
    });
    return RankFn::ofValues(V, Of);
  };
  struct Case {
    RankFn F;
    const RankSet *Of;
    bool Follows;
  };
  std::vector<Case> Cases{{F(Ranks, 10, 7), &Ranks, false},          {F(Ranks, 22, 7), &Ranks, true},
                          {F(Ranks, -22, 7), &Ranks, false},         {F(Ranks, 22, 7, -5), &Ranks, true},
                          {F(Fewer, 22, 7), &Fewer, false},          {F(Ranks, 1, 5), &Ranks, false},
                          {F(Ranks, 6, 1), &Ranks, false},           {F(Ranks, 1, 7), &Ranks, true},
                          {F(Ranks, 1000, 5), &Ranks, true},         {F(Ranks, INT64_MAX / 8, 7), &Ranks, true},
                          {F(Ranks, -2, 7), &Ranks, true},           {F(Ranks, 4, 7, 1000), &Ranks, true},
                          {F(Ranks, -3, 7, INT64_MIN), &Ranks, true}};
  ByteWriter W;
  AffineWriter Writer;
  for (const Case &C : Cases) {
    size_t Before = W.Data.size();
    Writer.write(W, C.F, *C.Of);
    EXPECT_EQ(W.Data[Before] == FollowsHead, C.Follows) << &C - Cases.data();
  }
  ByteReader R(W.Data);
  AffineReader Reader;
  for (const Case &C : Cases) {
    RankFn Read = RankFn::read(R, *C.Of, N, &Reader);
    ASSERT_TRUE(R.ok());
    C.Of->forEach([&](uint32_t Rank) { ASSERT_EQ(Read.eval(Rank, {}), C.F.eval(Rank, {})); });
  }
  EXPECT_TRUE(R.atEnd());
}

TEST(Affine, RandomFunctionsComeBack) {
  unsigned Following = 0;
  for (unsigned Seed = 0; Seed < 300; ++Seed) {
    std::mt19937 Random(Seed);
    const uint32_t World = 60;
    const RankSet Sets[] = {RankSet::below(World), randomRanks(Random, World)};
    std::vector<std::pair<RankFn, RankSet>> All;
    for (unsigned I = 0; I < 12; ++I) {
      const RankSet &Ranks = Sets[Random() % 4 == 0];
      const auto Base = static_cast<int64_t>(Random() % 8000) - 4000, Unit = static_cast<int64_t>(1 + Random() % 9);
      const unsigned Shape = Random() % 4;
      std::vector<int64_t> Values;
      Ranks.forEach([&](uint32_t R) {
        const int64_t Step = Shape == 0   ? R * R % 7 * R % 5 // a list
                             : Shape == 1 ? R % 6 * 3         // a grid
                             : Shape == 2 ? R < 30            // pieces
                                          : R * R % 7 * R % 5 - 1000 * (R == 31);
        Values.push_back(Base + Unit * Step);
      });
      RankFn F = RankFn::ofValues(Values, Ranks);
      F.shorten(Ranks, inWorld(World));
      All.push_back({F, Ranks});
    }
    ByteWriter W;
    AffineWriter Writer;
    for (const auto &[F, Ranks] : All) {
      ByteWriter Plain;
      F.write(Plain);
      const size_t Before = W.Data.size();
      Writer.write(W, F, Ranks);
      Following += W.Data[Before] == FollowsHead;
      EXPECT_LE(W.Data.size() - Before, Plain.Data.size());
    }
    ByteReader R(W.Data);
    AffineReader Reader;
    for (const auto &[F, Ranks] : All) {
      const RankFn Read = RankFn::read(R, Ranks, World, &Reader);
      Ranks.forEach([&](uint32_t Rank) { ASSERT_EQ(Read.eval(Rank, {}), F.eval(Rank, {})) << Seed; });
    }
    EXPECT_TRUE(R.ok() && R.atEnd());
  }
  EXPECT_GT(Following, 300u);
}

TEST(Affine, WhatCannotFollowIsRefused) {
  const RankSet Ranks = RankSet::below(4);
  const RankFn F = RankFn::ofValues({3, 9, 3, 15}, Ranks).compressed();
  AffineReader Reader;
  Reader.add(F, Ranks);
  Reader.add(RankFn(7), Ranks); // nothing can follow from one value
  auto Reads = [&](const RankSet &Of, std::initializer_list<uint8_t> B, uint64_t Memory = 1 << 20) {
    const std::vector<uint8_t> Bytes(B);
    ByteReader R(Bytes, Memory);
    const RankFn Read = Reader.read(R, Of);
    if (R.ok()) {
      EXPECT_EQ(Read.eval(1, {}) - Read.eval(0, {}), Bytes[1]);
      EXPECT_EQ(Read.eval(3, {}) - Read.eval(0, {}), 2 * Bytes[1]);
    }
    return R.ok();
  };
  EXPECT_TRUE(Reads(Ranks, {0, 6, 0}));
  EXPECT_TRUE(Reads(Ranks, {0, 1, 40}));
  EXPECT_FALSE(Reads(Ranks, {1, 6, 0})) << "there is one";
  EXPECT_FALSE(Reads(Ranks, {0, 0, 0})) << "no unit";
  EXPECT_FALSE(Reads(RankSet::below(3), {0, 6, 0})) << "of other ranks";
  EXPECT_FALSE(Reads(Ranks, {0, 6})) << "cut";
  EXPECT_FALSE(Reads(Ranks, {0, 6, 0}, 10)) << "it takes memory";
}
