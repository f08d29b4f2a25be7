// Looking into a grammar anywhere, against the sequence that it says.
#include "trace/sequences/Sequence.h"

#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;

namespace {

TEST(Sequence, EveryPlaceIsFound) {
  std::mt19937 Random(7);
  for (int Round = 0; Round < 50; ++Round) {
    Grammar G;
    std::vector<uint32_t> Plain;
    for (int Part = 0; Part < 8; ++Part) {
      std::vector<uint32_t> Body;
      for (uint32_t I = 0, N = 1 + Random() % 5; I < N; ++I)
        Body.push_back(Random() % 4);
      for (uint32_t Times = 1 + Random() % 9; Times; --Times)
        for (uint32_t T : Body) {
          G.append(T);
          Plain.push_back(T);
        }
    }
    const GrammarData D = G.data();
    const pilgrim::Sequence S(D);
    ASSERT_EQ(S.length(), Plain.size());
    std::vector<pilgrim::Sequence::Run> Runs;
    for (size_t I = 0; I < Plain.size(); ++I) {
      ASSERT_EQ(S.at(I), Plain[I]) << I;
      ASSERT_EQ(S.at(I, Runs), Plain[I]) << I;
      for (const auto &R : Runs) {
        ASSERT_LE(I + R.Left, Plain.size());
        for (uint64_t J = R.Period; J < R.Left; ++J)
          ASSERT_EQ(Plain[I + J], Plain[I + J - R.Period]);
      }
    }
  }
}

TEST(Sequence, WhatStandsBeforeAndBehindAPlace) {
  std::mt19937 Random(8);
  for (int Round = 0; Round < 50; ++Round) {
    Grammar G;
    std::vector<uint32_t> Plain;
    for (int Part = 0; Part < 6; ++Part)
      for (uint32_t Times = 1 + Random() % 9, First = Random() % 4; Times; --Times)
        for (uint32_t I = 0; I < 1 + First; ++I) {
          G.append((First + I * I) % 5);
          Plain.push_back((First + I * I) % 5);
        }
    const GrammarData D = G.data();
    const pilgrim::Sequence S(D);
    std::vector<uint64_t> Counts(D.terminals(), 0);
    for (size_t I = 0; I <= Plain.size(); ++I) {
      ASSERT_EQ(S.countsBefore(I), Counts) << I;
      GrammarData::Cursor C = S.cursorAt(I);
      uint32_t T;
      for (size_t J = I; J < Plain.size(); ++J) {
        ASSERT_TRUE(C.next(T));
        ASSERT_EQ(T, Plain[J]);
      }
      ASSERT_FALSE(C.next(T));
      if (I < Plain.size())
        ++Counts[Plain[I]];
    }
  }
}

TEST(Sequence, LongOnesTakeNoTime) {
  GrammarData D;
  D.Rules = {{{1, true, uint64_t(1) << 30}, {2, false, 1}}, {{0, false, 3}, {1, false, uint64_t(1) << 20}}};
  const pilgrim::Sequence S(D);
  const uint64_t Round = 3 + (uint64_t(1) << 20);
  EXPECT_EQ(S.length(), (Round << 30) + 1);
  EXPECT_EQ(S.at(Round << 30), 2u);
  EXPECT_EQ(S.at((Round << 30) - 1), 1u);
  EXPECT_EQ(S.at(Round * 123456789 + 2), 0u);
  EXPECT_EQ(S.at(Round * 123456789 + 3), 1u);
}

} // namespace
