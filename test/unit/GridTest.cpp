// trace/ranks/Grid.h, Grid.cpp: grids against counting through their digits.
#include "trace/ranks/Grid.h"
#include "test/unit/Ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

using namespace pilgrim;
using namespace pilgrim::test;

static int64_t sum(int64_t A, int64_t B) { return static_cast<int64_t>(static_cast<uint64_t>(A) + uint64_t(B)); }

/// Of places or world ranks.
static Grid randomGrid(std::mt19937 &Random, Grid::Basis Of, const std::vector<int64_t> &Weights) {
  Grid G;
  G.Of = Of;
  G.Dimensions = 1 + Random() % Grid::MaxDimensions;
  G.First = static_cast<int64_t>(Random() % 100) - 50;
  for (uint32_t D = 0; D < G.Dimensions; ++D)
    G.In[D] = {D + 1 < G.Dimensions ? 1 + Random() % 5 : 1, 0, Weights[Random() % Weights.size()]};
  return G;
}

/// The first N values, found by counting up: a digit that reaches its extent goes back to 0.
static std::vector<int64_t> valuesOf(const Grid &G, size_t N) {
  std::vector<int64_t> Out;
  uint64_t Digit[Grid::MaxDimensions] = {};
  int64_t V = G.First;
  for (size_t I = 0; I < N; ++I) {
    Out.push_back(V);
    for (uint32_t D = 0; D < G.Dimensions; ++D) {
      V = sum(V, G.In[D].Weight);
      if (++Digit[D] < G.In[D].Extent || D + 1 == G.Dimensions)
        break;
      for (; Digit[D]; --Digit[D])
        V = sum(V, static_cast<int64_t>(-static_cast<uint64_t>(G.In[D].Weight)));
    }
  }
  return Out;
}

static const std::vector<int64_t> Weights{0, 1, -1, 4, -6, 15, 1000, -30};

TEST(Grid, ValuesAreSumsOverTheDigits) {
  std::mt19937 Random(1);
  const std::vector<int64_t> Extreme{INT64_MAX, INT64_MIN, 3, -7};
  for (int Round = 0; Round < 400; ++Round) {
    const Grid G = randomGrid(Random, Round % 2 ? Grid::Place : Grid::World, Round % 4 < 2 ? Weights : Extreme);
    const auto Values = valuesOf(G, 400);
    for (size_t X = 0; X < Values.size(); ++X)
      ASSERT_EQ(G.at(X, 0), Values[X]) << Round << ", " << X;
  }
}

TEST(Grid, RangeAndUnitAreThoseOfAllValues) {
  std::mt19937 Random(2);
  for (int Round = 0; Round < 2000; ++Round) {
    const Grid G = randomGrid(Random, Grid::Place, Weights);
    const auto Values = valuesOf(G, 1 + Random() % 200);
    const auto [Least, Most] = std::minmax_element(Values.begin(), Values.end());
    const auto Range = G.range(Values.size());
    ASSERT_TRUE(Range);
    EXPECT_EQ(*Range, std::pair(*Least, *Most)) << Round;
    int64_t Unit = 0;
    for (int64_t V : Values)
      Unit = std::gcd(Unit, V - Values[0]);
    EXPECT_EQ(G.unit(Values.size()), static_cast<uint64_t>(Unit)) << Round;
  }
}

TEST(Grid, WhatWrapsRoundHasNoRange) {
  Grid G{Grid::Place, 1, INT64_MAX - 10, {{1, 0, 5}}};
  EXPECT_EQ(G.range(3), std::pair(INT64_MAX - 10, INT64_MAX));
  EXPECT_EQ(G.unit(3), 5u);
  EXPECT_EQ(G.range(4), std::nullopt);
  EXPECT_EQ(G.unit(4), 0u);
  EXPECT_EQ(G.range(0), std::nullopt);
  G = {Grid::Place, 1, INT64_MIN + 10, {{1, 0, -5}}};
  EXPECT_EQ(G.range(3), std::pair(INT64_MIN, INT64_MIN + 10));
  EXPECT_EQ(G.range(4), std::nullopt);
  // Both ends can be said, but not how far they are from each other.
  G = {Grid::Place, 1, -2, {{1, 0, INT64_MAX}}};
  EXPECT_EQ(G.unit(2), static_cast<uint64_t>(INT64_MAX));
  G = {Grid::Place, 2, -2, {{2, 0, INT64_MAX}, {1, 0, -1}}};
  EXPECT_TRUE(G.range(3));
  EXPECT_EQ(G.unit(3), 0u);
  // Of the others there is no range, and of a torus no unit.
  G.Of = Grid::World;
  EXPECT_EQ(G.range(2), std::nullopt);
  G = {Grid::World, 1, 0, {{1, 0, 12}}};
  EXPECT_EQ(G.unit(2), 12u);
  EXPECT_EQ(G.unit(1), 0u);
  G.First = int64_t(1) << 37;
  EXPECT_EQ(G.unit(2), 0u);
  G = {Grid::World, 1, 0, {{1, 0, -(int64_t(1) << 37)}}};
  EXPECT_EQ(G.unit(2), 0u);
  G = {Grid::Own, 1, 0, {{1, 1, 1}}};
  EXPECT_EQ(G.unit(2), 0u);
}

TEST(Grid, ExtentsMayBeLongerThanAnyCount) {
  const Grid G{Grid::Place, 3, 0, {{2, 0, 1}, {uint64_t(1) << 63, 0, 10}, {1, 0, 100}}};
  EXPECT_EQ(G.range(10), std::pair(int64_t(0), int64_t(41)));
  EXPECT_EQ(G.range(1), std::pair(int64_t(0), int64_t(0)));
  EXPECT_EQ(G.unit(10), 1u);
  EXPECT_EQ(G.at(9, 0), 41);
}

TEST(Grid, ATorusMovesEachCoordinate) {
  std::mt19937 Random(3);
  for (int Round = 0; Round < 300; ++Round) {
    Grid G;
    G.Of = Grid::Own;
    G.Dimensions = 1 + Random() % Grid::MaxDimensions;
    uint64_t Extents[Grid::MaxDimensions], Size = 1;
    for (uint32_t D = 0; D < G.Dimensions; ++D) {
      Extents[D] = 1 + Random() % 5;
      G.In[D] = {D + 1 < G.Dimensions ? Extents[D] : 1, Random() % Extents[D], static_cast<int64_t>(Size)};
      Size *= Extents[D];
    }
    for (uint64_t X = 0; X < Size; ++X) {
      uint64_t Rest = X, To = 0, Stride = 1;
      for (uint32_t D = 0; D < G.Dimensions; ++D) {
        To += (Rest % Extents[D] + G.In[D].Shift) % Extents[D] * Stride;
        Rest /= Extents[D];
        Stride *= Extents[D];
      }
      ASSERT_EQ(G.at(X, static_cast<int64_t>(Size)), static_cast<int64_t>(To));
      // A number that is not in the torus stays as far away.
      EXPECT_EQ(G.at(X + 3 * Size, static_cast<int64_t>(Size)), static_cast<int64_t>(To + 3 * Size));
    }
    EXPECT_EQ(G.at(Grid::Limit + 1, 7), int64_t(Grid::Limit) + 1);
    EXPECT_EQ(G.at(5, int64_t(Grid::Limit) + 1), 5);
  }
  const Grid G{Grid::Own, 1, 0, {{1, 1, 1}}};
  EXPECT_EQ(G.at(Grid::Limit - 1, Grid::Limit), 0);
  EXPECT_EQ(G.at(4, 0), 4) << "a size that is not known";
  EXPECT_EQ(G.at(4, -3), 4);
}

TEST(Grid, ReadingGivesWhatWasWritten) {
  std::mt19937 Random(4);
  for (int Round = 0; Round < 500; ++Round) {
    Grid G = randomGrid(Random, Round % 2 ? Grid::Place : Grid::World, Weights);
    if (Round % 3 == 0) {
      G.Of = Grid::Own;
      G.First = 0;
      int64_t Stride = 1;
      for (uint32_t D = 0; D < G.Dimensions; ++D) {
        G.In[D].Shift = Random() % (D + 1 < G.Dimensions ? G.In[D].Extent : 100);
        G.In[D].Weight = Stride;
        Stride *= static_cast<int64_t>(G.In[D].Extent);
      }
    }
    const auto Bytes = written(G);
    ASSERT_TRUE(Grid::isHead(Bytes[0]));
    for (size_t Cut = 1; Cut <= Bytes.size(); ++Cut) {
      ByteReader R({Bytes.data() + 1, Cut - 1});
      const Grid Back = Grid::read(R, Bytes[0]);
      EXPECT_EQ(R.ok(), Cut == Bytes.size());
      if (R.ok()) {
        EXPECT_EQ(Back, G);
        EXPECT_TRUE(R.atEnd());
      }
    }
  }
}

TEST(Grid, DamagedGridsAreRefused) {
  auto Reads = [](uint8_t Head, std::initializer_list<uint64_t> Numbers) {
    ByteWriter W;
    for (uint64_t N : Numbers)
      W.varint(N);
    ByteReader R(W.Data);
    Grid::read(R, Head);
    return R.ok() && R.atEnd();
  };
  // Dimensions, then (but of a torus) the first value, then extents and weights, or extents and shifts.
  EXPECT_FALSE(Reads(Grid::PlaceHead, {0, 2}));
  EXPECT_TRUE(Reads(Grid::PlaceHead, {1, 2, 2}));
  EXPECT_TRUE(Reads(Grid::WorldHead, {4, 2, 1, 2, 1, 2, 1, 2, 2}));
  EXPECT_FALSE(Reads(Grid::WorldHead, {5, 2, 1, 2, 1, 2, 1, 2, 1, 2, 2}));
  EXPECT_FALSE(Reads(Grid::PlaceHead, {2, 2, 0, 2, 2})) << "an empty extent";
  EXPECT_TRUE(Reads(Grid::OwnHead, {2, 3, 2, 5}));
  EXPECT_FALSE(Reads(Grid::OwnHead, {2, 3, 3, 5})) << "a shift once round";
  EXPECT_TRUE(Reads(Grid::OwnHead, {1, Grid::Limit}));
  EXPECT_FALSE(Reads(Grid::OwnHead, {1, Grid::Limit + 1}));
  EXPECT_TRUE(Reads(Grid::OwnHead, {3, 1 << 12, 0, 1 << 12, 0, 0}));
  EXPECT_FALSE(Reads(Grid::OwnHead, {3, 1 << 12, 0, (1 << 12) + 1, 0, 0})) << "too large a torus";
  EXPECT_FALSE(Reads(Grid::OwnHead, {3, uint64_t(1) << 40, 0, uint64_t(1) << 40, 0, 0}));
}
