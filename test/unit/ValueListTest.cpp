// trace/ranks/ValueList.h, ValueList.cpp: lists as they are and compressed, against the plain values.
#include "trace/ranks/ValueList.h"
#include "test/unit/Ranks.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace pilgrim;
using namespace pilgrim::test;

/// As random as trees are, or with linear runs, or how far away from the rank a partner is.
static std::vector<int64_t> randomValues(std::mt19937 &Random, const RankSet &Ranks) {
  std::vector<int64_t> Out;
  const auto Kind = Random() % 3;
  const int64_t Unit = 1 + Random() % 6;
  Ranks.forEach([&](uint32_t R) {
    const auto Few = static_cast<int64_t>(Random() % 3) - 1;
    Out.push_back(Kind == 0 ? Few * Unit : Kind == 1 ? R % 17 * 3 * Unit - 40 : int64_t(R) + Few * 16);
  });
  return Out;
}

TEST(ValueList, CompressedItHasTheSameValues) {
  unsigned Relative = 0;
  for (unsigned Seed = 0; Seed < 400; ++Seed) {
    std::mt19937 Random(Seed);
    const RankSet Ranks = randomRanks(Random, 120);
    const auto Values = randomValues(Random, Ranks);
    const ValueList Plain(Values), Short = Plain.compressed(Ranks);
    EXPECT_TRUE(Plain.isPlain());
    EXPECT_FALSE(Short.isPlain());
    ByteWriter W;
    Plain.write(W, Ranks);
    ASSERT_TRUE(ValueList::isHead(W.Data[0]));
    Relative += W.Data[0] == ValueList::RelativeHead;
    ByteReader R({W.Data.data() + 1, W.Data.size() - 1});
    const ValueList Read = ValueList::read(R, W.Data[0], Ranks.size());
    EXPECT_TRUE(R.ok() && R.atEnd());
    ByteWriter Again;
    Read.write(Again, Ranks);
    EXPECT_EQ(Again.Data, W.Data);
    for (size_t I = 0; I < Values.size(); ++I) {
      ASSERT_EQ(Plain.at(I, Ranks.at(I)), Values[I]);
      ASSERT_EQ(Short.at(I, Ranks.at(I)), Values[I]);
      ASSERT_EQ(Read.at(I, Ranks.at(I)), Values[I]);
    }
    const auto [Least, Most] = std::minmax_element(Values.begin(), Values.end());
    EXPECT_EQ(Plain.range(), std::pair(*Least, *Most));
    // Of relative ones neither is known.
    if (const auto Range = Short.range()) {
      EXPECT_EQ(*Range, std::pair(*Least, *Most));
      int64_t Unit = 0;
      for (int64_t V : Values)
        Unit = std::gcd(Unit, V - Values[0]);
      EXPECT_EQ(Short.unit(), static_cast<uint64_t>(Unit));
    } else {
      EXPECT_EQ(W.Data[0], ValueList::RelativeHead);
      EXPECT_EQ(Short.unit(), 0u);
    }
  }
  EXPECT_GT(Relative, 50u);
  EXPECT_LT(Relative, 350u);
}

/// Bytes, written with that head; 0 if the other one was written.
static size_t sizeWithHead(const std::vector<int64_t> &Values, const RankSet &Ranks, uint8_t Head) {
  ByteWriter W;
  ValueList(Values).write(W, Ranks);
  return W.Data[0] == Head ? W.Data.size() : 0;
}

TEST(ValueList, TheShorterWayIsTaken) {
  const RankSet Ranks = RankSet::below(64);
  std::vector<int64_t> Partners, Few;
  for (int64_t R = 0; R < 64; ++R) {
    Partners.push_back(R % 3 ? R - 1 : R + 2);
    Few.push_back(R % 3 * 100);
  }
  EXPECT_LT(sizeWithHead(Partners, Ranks, ValueList::RelativeHead) - 1, 20u);
  EXPECT_LT(sizeWithHead(Few, Ranks, ValueList::ListHead) - 1, 20u);
}

TEST(ValueList, RescaledItHasTheSameSteps) {
  for (unsigned Seed = 0; Seed < 200; ++Seed) {
    std::mt19937 Random(Seed);
    const RankSet Ranks = RankSet::below(8 + Random() % 60);
    const ValueList Short = ValueList(randomValues(Random, Ranks)).compressed(Ranks);
    const uint64_t Unit = Short.unit(), NewUnit = 1 + Random() % 50;
    if (!Unit)
      continue;
    const int64_t From = Short.at(0, 0), To = static_cast<int64_t>(Random() % 1000) - 500;
    const ValueList Other = Short.rescaled(From, Unit, To, NewUnit);
    for (uint32_t R = 0; R < Ranks.size(); ++R)
      EXPECT_EQ(Other.at(R, R), To + (Short.at(R, R) - From) / int64_t(Unit) * int64_t(NewUnit));
  }
}

static IntStreamData oneRun(int64_t First, int64_t Stride, uint64_t Count) {
  IntStreamData D;
  D.Runs.push_back({First, Stride, Count});
  D.Order.Rules[0] = {{0, false, 1}};
  return D;
}

TEST(ValueList, WhatWrapsRoundHasNoRange) {
  auto Of = [](int64_t First, int64_t Stride, uint64_t Count) {
    return ValueList(oneRun(First, Stride, Count), false);
  };
  EXPECT_EQ(Of(INT64_MAX - 10, 5, 3).range(), std::pair(INT64_MAX - 10, INT64_MAX));
  EXPECT_EQ(Of(INT64_MAX - 10, 5, 4).range(), std::nullopt);
  EXPECT_EQ(Of(INT64_MIN + 10, -5, 3).range(), std::pair(INT64_MIN, INT64_MIN + 10));
  EXPECT_EQ(Of(INT64_MIN + 10, -5, 4).range(), std::nullopt);
  EXPECT_EQ(Of(INT64_MAX - 10, 5, 4).unit(), 0u);
  EXPECT_EQ(Of(-1, INT64_MAX, 2).unit(), static_cast<uint64_t>(INT64_MAX));
  // From the least to the largest is more than a number can say.
  IntStreamData Far = oneRun(INT64_MIN, 0, 1);
  Far.Runs.push_back({INT64_MAX, 0, 1});
  Far.Order.Rules[0].push_back({1, false, 1});
  EXPECT_EQ(ValueList(Far, false).range(), std::pair(INT64_MIN, INT64_MAX));
  EXPECT_EQ(ValueList(Far, false).unit(), 0u);
  EXPECT_EQ(ValueList(std::vector<int64_t>()).range(), std::nullopt);
  EXPECT_EQ(ValueList(IntStreamData(), false).range(), std::nullopt);
}

TEST(ValueList, ReadersTakeAsManyValuesAsRanks) {
  const auto Bytes = written(oneRun(3, 1, 8));
  for (uint64_t Ranks : {7, 8, 9}) {
    ByteReader R(Bytes);
    ValueList::read(R, ValueList::ListHead, Ranks);
    EXPECT_EQ(R.ok(), Ranks == 8);
  }
  ByteReader Stream(Bytes), List(Bytes);
  IntStreamData::read(Stream);
  ValueList::read(List, ValueList::ListHead, 8);
  EXPECT_LT(List.memoryLeft(), Stream.memoryLeft()) << "the index takes memory";
  // A list takes memory for its values, a stream for its runs.
  const RankSet Ranks = RankSet::below(1000);
  std::vector<int64_t> Values(1000);
  std::iota(Values.begin(), Values.end(), 0);
  EXPECT_GE(ValueList(Values).memory(), 8000u);
  EXPECT_LT(ValueList(Values).compressed(Ranks).memory(), 1000u);
}
