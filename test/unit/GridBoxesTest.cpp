// trace/ranks/GridBoxes.h, GridBoxes.cpp: boxes against every number's value.
#include "trace/ranks/GridBoxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace pilgrim;

namespace {
Grid randomGrid(std::mt19937 &Random) {
  Grid G;
  G.Of = static_cast<Grid::Basis>(Random() % 3);
  G.Dimensions = 1 + Random() % Grid::MaxDimensions;
  G.First = G.Of == Grid::Own ? 0 : static_cast<int64_t>(Random() % 100) - 50;
  int64_t Stride = 1;
  for (uint32_t D = 0; D < G.Dimensions; ++D) {
    const bool IsLast = D + 1 == G.Dimensions;
    const uint64_t Extent = IsLast ? 1 : 1 + Random() % 5;
    if (G.Of == Grid::Own)
      G.In[D] = {Extent, IsLast ? Random() % 3 : Random() % Extent, Stride};
    else
      G.In[D] = {Extent, 0, static_cast<int64_t>(Random() % 40) - 20};
    Stride *= static_cast<int64_t>(Extent);
  }
  return G;
}

/// The boxes with which a limit on values is content hold each number once, and say what its value may be.
void compare(const Grid &G, uint64_t First, uint64_t Last, int64_t Size, uint64_t Width) {
  uint64_t Count = 0;
  std::vector<int64_t> All;
  const bool IsDone = forEachBox(G, First, Last, Size, [&](const GridBox &B) {
    EXPECT_GE(B.First, First);
    EXPECT_LE(B.Last, Last);
    EXPECT_LE(B.Count, B.Last - B.First + 1);
    // Both ends of numbers are in the box.
    for (uint64_t X : {B.First, B.Last}) {
      EXPECT_GE(G.at(X, Size), B.Least);
      EXPECT_LE(G.at(X, Size), B.Most);
    }
    if (B.Most - B.Least > Width && B.Count > 1)
      return false;
    Count += B.Count;
    if (B.Count == 1) {
      EXPECT_EQ(B.First, B.Last);
      EXPECT_EQ(B.Least, B.Most);
      All.push_back(static_cast<int64_t>(B.Least));
    }
    return true;
  });
  ASSERT_TRUE(IsDone);
  EXPECT_EQ(Count, Last - First + 1);
  if (Width)
    return;
  std::vector<int64_t> Expected;
  for (uint64_t X = First; X <= Last; ++X)
    Expected.push_back(G.at(X, Size));
  // Boxes of several numbers have one value each, which may be several numbers'.
  for (int64_t V : All)
    EXPECT_NE(std::find(Expected.begin(), Expected.end(), V), Expected.end());
}
} // namespace

TEST(GridBoxes, HoldEachNumberOnce) {
  std::mt19937 Random(5);
  for (int Round = 0; Round < 4000; ++Round) {
    const Grid G = randomGrid(Random);
    uint64_t Size = 1 + Random() % 300;
    if (G.Of == Grid::Own) {
      uint64_t Stride = 1;
      for (uint32_t D = 0; D + 1 < G.Dimensions; ++D)
        Stride *= G.In[D].Extent;
      Size = (1 + Size / Stride) * Stride;
    }
    const uint64_t First = Random() % Size, Last = First + Random() % (Size - First);
    for (uint64_t Width : {0, 3, 50})
      compare(G, First, Last, static_cast<int64_t>(Size), Width);
  }
}

TEST(GridBoxes, EveryNumberAndItsValueAreSaid) {
  std::mt19937 Random(6);
  for (int Round = 0; Round < 2000; ++Round) {
    const Grid G = randomGrid(Random);
    uint64_t Stride = 1;
    for (uint32_t D = 0; D + 1 < G.Dimensions; ++D)
      Stride *= G.In[D].Extent;
    const uint64_t Size = Stride * (1 + Random() % 5), First = Random() % Size;
    std::vector<std::pair<uint64_t, int64_t>> Found, Expected;
    ASSERT_TRUE(forEachBox(G, First, Size - 1, static_cast<int64_t>(Size), [&](const GridBox &B) {
      if (B.Count == 1)
        Found.emplace_back(B.First, static_cast<int64_t>(B.Least));
      return B.Count == 1;
    }));
    for (uint64_t X = First; X < Size; ++X)
      Expected.emplace_back(X, G.at(X, static_cast<int64_t>(Size)));
    std::sort(Found.begin(), Found.end());
    EXPECT_EQ(Found, Expected) << Round;
  }
}

TEST(GridBoxes, ATransposedGridHasAsManyBoxesWhateverItsSize) {
  auto Boxes = [](uint64_t Side, uint64_t Without) { // so many numbers at both ends
    const Grid G{Grid::World, 2, 0, {{Side, 0, static_cast<int64_t>(Side)}, {1, 0, 1}}};
    const auto Block = static_cast<int64_t>(Side * Side / 64);
    uint64_t N = 0;
    forEachBox(G, Without, Side * Side - 1 - Without, 0, [&](const GridBox &B) {
      ++N;
      return B.First / uint64_t(Block) == B.Last / uint64_t(Block) && B.Least / Block == B.Most / Block;
    });
    return N;
  };
  EXPECT_EQ(Boxes(128, 0), Boxes(512, 0));
  EXPECT_EQ(Boxes(512, 0), 2u * 64 * 64 - 1);
  // Without its diagonal it begins at 1.
  EXPECT_LT(Boxes(512, 1), Boxes(512, 0) + 4 * 64);
  EXPECT_LT(Boxes(4096, 1), Boxes(512, 0) + 4 * 64);
}

TEST(GridBoxes, ANumberOutsideTheTorusHasNone) {
  const Grid G{Grid::Own, 2, 0, {{4, 1, 1}, {1, 0, 4}}};
  auto Never = [](const GridBox &) {
    ADD_FAILURE();
    return true;
  };
  EXPECT_FALSE(forEachBox(G, 0, 8, 8, Never));
  EXPECT_FALSE(forEachBox(G, 0, 8, 10, Never)); // 8 numbers, since 10 is no multiple
  EXPECT_FALSE(forEachBox(G, 0, 7, int64_t(Grid::Limit) + 8, Never));
  EXPECT_TRUE(forEachBox(G, 0, 7, 8, [](const GridBox &) { return true; }));
}
