// trace/ranks/GridSearch.cpp: grids are found where there are some, and are right about all values.
#include "test/unit/Ranks.h"
#include "trace/ranks/Grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

using namespace pilgrim;
using namespace pilgrim::test;

/// Whether the grid that is found, if there is one, has all values.
static bool finds(const RankSet &Ranks, const std::vector<int64_t> &Values, Grid *Found = nullptr) {
  const auto G = findGrid({Ranks, Values});
  for (size_t I = 0; G && I < Values.size(); ++I)
    EXPECT_EQ(G->at(G->Of == Grid::Place ? I : Ranks.at(I), 0), Values[I]);
  if (G && Found)
    *Found = *G;
  return G.has_value();
}

TEST(GridSearch, StepsInUpToFourDimensionsAreFound) {
  std::mt19937 Random(1);
  for (int Round = 0; Round < 500; ++Round) {
    const unsigned Dimensions = 1 + Random() % 4;
    uint32_t Extents[4];
    for (uint32_t &E : Extents)
      E = 2 + Random() % 4;
    // A weight that the dimension before does not go on with.
    const int64_t Weights[4] = {int64_t(Random() % 9) - 4, 1000, -50000, INT64_MAX / 3};
    std::vector<int64_t> Values;
    uint32_t Whole = 1;
    for (unsigned D = 0; D < Dimensions; ++D)
      Whole *= Extents[D];
    // The last row may be short.
    const uint32_t Missing = Dimensions > 1 ? Random() % Extents[0] : 0, N = std::max(4u, Whole - Missing);
    for (uint32_t X = 0; X < N; ++X) {
      uint64_t V = 7;
      for (uint32_t D = 0, Rest = X; D < Dimensions; Rest /= Extents[D++])
        V += static_cast<uint64_t>(Weights[D]) * (D + 1 == Dimensions ? Rest : Rest % Extents[D]);
      Values.push_back(static_cast<int64_t>(V));
    }
    Grid G;
    const RankSet Ranks = RankSet::between(10, 9 + N);
    EXPECT_TRUE(finds(Ranks, Values, &G)) << Round;
    EXPECT_LE(G.Dimensions, Dimensions);
    // One that is otherwise, anywhere but at the ends, where it may begin another row.
    if (N > 12) {
      Values[1 + Random() % (N - 2)] += 3;
      EXPECT_FALSE(finds(Ranks, Values)) << Round;
    }
  }
}

TEST(GridSearch, FewValuesAndFiveDimensionsAreNot) {
  const RankSet Ranks = RankSet::below(32);
  EXPECT_FALSE(finds(RankSet::below(3), {0, 2, 4}));
  EXPECT_TRUE(finds(RankSet::below(4), {0, 2, 4, 6}));
  std::vector<int64_t> Values;
  for (int64_t X = 0; X < 32; ++X)
    Values.push_back(X % 2 + X / 2 % 2 * 10 + X / 4 % 2 * 100 + X / 8 % 2 * 1000 + X / 16 * 10000);
  EXPECT_FALSE(finds(Ranks, Values));
  Values.resize(16);
  EXPECT_TRUE(finds(RankSet::below(16), Values));
}

/// Ranks of Rows x Columns blocks, with or without those whose partner is themselves.
static std::pair<std::vector<uint32_t>, std::vector<int64_t>> transposed(int64_t Block, int64_t Rows, int64_t Columns,
                                                                         bool WithDiagonal) {
  std::vector<uint32_t> Ranks;
  std::vector<int64_t> Values;
  for (int64_t R = 0; R < Block * Rows * Columns; ++R) {
    const int64_t At = R / Block, V = (At % Columns * Rows + At / Columns) * Block + R % Block;
    if (V == R && !WithDiagonal)
      continue;
    Ranks.push_back(static_cast<uint32_t>(R));
    Values.push_back(V);
  }
  return {Ranks, Values};
}

TEST(GridSearch, TranspositionsAreFound) {
  for (int64_t Block : {1, 2})
    for (auto [Rows, Columns] : {std::pair{4, 4}, {3, 5}, {5, 3}, {8, 4}, {6, 6}})
      for (bool WithDiagonal : {true, false}) {
        auto [Ranks, Values] = transposed(Block, Rows, Columns, WithDiagonal);
        EXPECT_TRUE(finds(setOf(Ranks), Values)) << Block << ", " << Rows << "x" << Columns;
        if (WithDiagonal)
          continue;
        Grid G;
        finds(setOf(Ranks), Values, &G);
        EXPECT_EQ(G.Of, Grid::World) << "places do not say it without the diagonal";
        std::swap(Values[Values.size() / 2], Values[Values.size() / 2 + 1]);
        EXPECT_FALSE(finds(setOf(Ranks), Values)) << "two are exchanged";
      }
  // Of 3 x 3 ranks without the diagonal there are six.
  auto [Ranks, Values] = transposed(1, 3, 3, false);
  EXPECT_FALSE(finds(setOf(Ranks), Values)) << "too few";
  // The first two of those that are there are not neighbours.
  std::tie(Ranks, Values) = transposed(1, 6, 6, true);
  for (ptrdiff_t Missing : {20, 8, 1}) {
    Ranks.erase(Ranks.begin() + Missing);
    Values.erase(Values.begin() + Missing);
  }
  EXPECT_TRUE(finds(setOf(Ranks), Values));
}

TEST(GridSearch, NoGridOfRandomValues) {
  std::mt19937 Random(2);
  for (int Round = 0; Round < 2000; ++Round) {
    const RankSet Ranks = randomRanks(Random, 60);
    std::vector<int64_t> Values;
    for (uint64_t I = 0; I < Ranks.size(); ++I)
      Values.push_back(static_cast<int64_t>(Random() % (Round % 2 ? 5 : 1000)) - (Round % 3 == 0));
    finds(Ranks, Values); // is right if there is one by chance
  }
}

/// The neighbour of each rank of a torus.
static std::vector<int64_t> besides(const std::vector<uint64_t> &Extents, const std::vector<uint64_t> &Shifts,
                                    uint64_t Size) {
  std::vector<int64_t> Out;
  for (uint64_t R = 0; R < Size; ++R) {
    uint64_t To = 0, Stride = 1;
    for (size_t D = 0; D < Extents.size(); Stride *= Extents[D++])
      To += (R / Stride + Shifts[D]) % Extents[D] * Stride;
    Out.push_back(static_cast<int64_t>(To));
  }
  return Out;
}

TEST(GridSearch, NeighboursInATorusAreFound) {
  std::mt19937 Random(3);
  for (int Round = 0; Round < 200; ++Round) {
    std::vector<uint64_t> Extents, Shifts;
    uint64_t Size = 1;
    for (unsigned D = 2 + Random() % 3; D--; Size *= Extents.back()) {
      Extents.push_back(2 + Random() % 4);
      Shifts.push_back(Random() % Extents.back());
    }
    // Some ranks, in any order.
    std::vector<int64_t> Own(Size), All = besides(Extents, Shifts, Size), Values;
    std::iota(Own.begin(), Own.end(), 0);
    std::shuffle(Own.begin(), Own.end(), Random);
    Own.resize(4 + Random() % (Size - 3));
    for (int64_t R : Own)
      Values.push_back(All[static_cast<size_t>(R)]);
    const auto G = findNeighbour(Own, static_cast<int64_t>(Size), Values);
    ASSERT_TRUE(G) << Round;
    EXPECT_EQ(G->Of, Grid::Own);
    for (size_t I = 0; I < Own.size(); ++I)
      EXPECT_EQ(G->at(static_cast<uint64_t>(Own[I]), static_cast<int64_t>(Size)), Values[I]);
  }
}

TEST(GridSearch, NoNeighbourWhereThereIsNone) {
  std::vector<int64_t> Own(16), Values = besides({4, 4}, {1, 3}, 16);
  std::iota(Own.begin(), Own.end(), 0);
  EXPECT_TRUE(findNeighbour(Own, 16, Values));
  for (size_t I = 0; I < Own.size(); ++I) {
    auto Others = Values;
    for (int64_t V : {int64_t(-1), int64_t(16), (Values[I] + 1) % 16}) {
      Others[I] = V;
      EXPECT_FALSE(findNeighbour(Own, 16, Others)) << I << " has " << V;
    }
  }
  auto Outside = Own;
  Outside[3] = 16;
  EXPECT_FALSE(findNeighbour(Outside, 16, Values));
  // Fewer than four; a size that is a prime, or too large.
  EXPECT_FALSE(findNeighbour({0, 1, 2}, 16, {Values[0], Values[1], Values[2]}));
  EXPECT_TRUE(findNeighbour({0, 1, 2, 3}, 16, {Values[0], Values[1], Values[2], Values[3]}));
  EXPECT_FALSE(findNeighbour({0, 1, 2, 3, 4, 5, 6}, 7, {1, 2, 3, 4, 5, 6, 0}));
  EXPECT_TRUE(findNeighbour({0, 1, 2, 3}, Grid::Limit, {1, 0, 3, 2}));
  EXPECT_FALSE(findNeighbour({0, 1, 2, 3}, int64_t(Grid::Limit) * 2, {0, 1, 2, 3}));
}
