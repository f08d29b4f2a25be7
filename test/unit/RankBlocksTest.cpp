// trace/ranks/RankBlocks.h: blocks have the ranks of their set and no others, and regular sets are few blocks.
#include "trace/ranks/RankBlocks.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace pilgrim;

namespace {
void addRanks(std::multiset<uint32_t> &To, const RankBlock &B, uint32_t First, size_t Level) {
  if (Level == 0) {
    for (uint32_t R = 0; R < B.Length; ++R)
      To.insert(First + R);
    return;
  }
  for (uint32_t I = 0; I < B.Levels[Level - 1].Count; ++I)
    addRanks(To, B, First + I * B.Levels[Level - 1].Stride, Level - 1);
}

void expectSame(const RankSet &Ranks) {
  std::multiset<uint32_t> Found, Expected;
  for (const RankBlock &B : blocksOf(Ranks))
    addRanks(Found, B, B.First, B.Levels.size());
  Ranks.forEach([&](uint32_t R) { Expected.insert(R); });
  EXPECT_EQ(Found, Expected);
}

TEST(RankBlocks, InnerRanksOfAGrid) {
  RankSet Inner;
  for (uint32_t Y = 1; Y < 31; ++Y)
    Inner.unite(RankSet::between(Y * 32 + 1, Y * 32 + 30));
  const auto Blocks = blocksOf(Inner);
  ASSERT_EQ(Blocks.size(), 1u);
  EXPECT_EQ(Blocks[0].First, 33u);
  EXPECT_EQ(Blocks[0].Length, 30u);
  ASSERT_EQ(Blocks[0].Levels.size(), 1u);
  EXPECT_EQ(Blocks[0].Levels[0], (RankBlock::Level{32, 30}));
  expectSame(Inner);
}

TEST(RankBlocks, AnySet) {
  std::mt19937 Random(5);
  for (int Round = 0; Round < 200; ++Round) {
    RankSet Ranks;
    for (uint32_t R = 0; R < 200; ++R)
      if (Random() % (2 + Round % 5) == 0)
        Ranks.unite(RankSet(R));
    expectSame(Ranks);
  }
  EXPECT_TRUE(blocksOf(RankSet()).empty());
}
} // namespace
