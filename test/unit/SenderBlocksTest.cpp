// driver/SenderBlocks.h: many senders at once against one by one. What blocks hold is compared by MatrixCellsTest.cpp.
#include "driver/SenderBlocks.h"

#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;

TEST(SenderBlocks, AlignedBlocksAreWhole) {
  for (uint64_t First : {0, 1, 5, 8, 1000})
    for (uint64_t Last : {0, 5, 7, 9, 1023, 1024, 70000}) {
      uint64_t Next = First, Blocks = 0;
      forEachAligned(First, Last, [&](uint64_t At, uint64_t N) {
        EXPECT_EQ(At, Next);
        EXPECT_EQ(At % N, 0u);
        Next += N;
        ++Blocks;
        return true;
      });
      EXPECT_EQ(Next, std::max(First, Last + 1));
      EXPECT_LE(Blocks, 40u);
    }
}

static RankFn::Piece pieceOf(const Grid &G, const RankSet &Ranks) {
  RankFn::Piece P;
  P.Ranks = Ranks;
  P.In = std::make_shared<const Grid>(G);
  return P;
}

TEST(SenderBlocks, LeadIntoTheWorldIfEachReceiverIsInIt) {
  std::mt19937 Random(3);
  unsigned Inside = 0, Outside = 0;
  for (int Round = 0; Round < 4000; ++Round) {
    const uint32_t World = 1 + Random() % 90;
    RankSet Ranks;
    for (uint32_t Rank = 0; Rank < World; ++Rank)
      if (Random() % 8)
        Ranks.unite(RankSet(Rank));
    if (Ranks.empty())
      continue;
    RankFn::Piece P;
    if (Round % 4 == 0) {
      P.Ranks = Ranks;
      P.Cand.Mask = Candidates::Xor;
      P.Cand.Flip = Random() % 4;
    } else {
      const uint32_t Extent = 1 + Random() % 9;
      const auto Weight = [&] { return static_cast<int64_t>(Random() % 3); };
      Grid G{Round % 4 == 1 ? Grid::Place : Grid::World, 2, 0, {{Extent, 0, Weight()}, {1, 0, Weight()}}};
      G.First = static_cast<int64_t>(Random() % 3) - 1;
      P = pieceOf(G, Ranks);
    }
    bool IsInside = true;
    Ranks.forEach([&](uint32_t Rank) {
      const int64_t To = P.eval(Rank, {Rank, World});
      IsInside &= To >= 0 && To < World;
    });
    EXPECT_EQ(leadsInto(P, Ranks, World), IsInside) << Round;
    ++(IsInside ? Inside : Outside);
  }
  EXPECT_GT(Inside, 300u);
  EXPECT_GT(Outside, 300u);
}

TEST(SenderBlocks, AGridMayLeadElsewhereFromItsGaps) {
  // Receivers are 9 * (rank % 11) + rank / 11: 89 at most, but 90 and more from the gaps.
  RankSet Ranks;
  for (uint32_t Rank = 0; Rank < 99; ++Rank)
    if (Rank % 11 != 10)
      Ranks.unite(RankSet(Rank));
  const Grid G{Grid::World, 2, 0, {{11, 0, 9}, {1, 0, 1}}};
  const RankFn::Piece P = pieceOf(G, Ranks);
  ASSERT_GT(Ranks.intervals().size(), 8u);
  EXPECT_EQ(stretchOf(P, Ranks).intervals().size(), 1u);
  EXPECT_TRUE(leadsInto(P, Ranks, 90));
  EXPECT_FALSE(leadsInto(P, Ranks, 89));
}

TEST(SenderBlocks, StretchesHaveFewIntervals) {
  RankSet Many, Few = RankSet::below(100).without(RankSet(50));
  for (uint32_t Rank = 0; Rank < 100; ++Rank)
    if (Rank % 10)
      Many.unite(RankSet(Rank));
  const Grid G{Grid::World, 1, 0, {{1, 0, 1}}};
  EXPECT_EQ(stretchOf(pieceOf(G, Many), Many), RankSet::between(1, 99));
  EXPECT_EQ(stretchOf(pieceOf(G, Few), Few), Few);
  Grid Places = G;
  Places.Of = Grid::Place;
  EXPECT_EQ(stretchOf(pieceOf(Places, Many), Many), Many);
  RankSet Thin;
  for (uint32_t Rank = 0; Rank < 100; Rank += 2)
    Thin.unite(RankSet(Rank));
  EXPECT_EQ(stretchOf(pieceOf(G, Thin), Thin), Thin);
}
