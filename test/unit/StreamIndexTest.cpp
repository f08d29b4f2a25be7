// trace/sequences/StreamIndex.h, StreamIndex.cpp: looking into a stream against going through it.
#include "trace/sequences/StreamIndex.h"

#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;

TEST(StreamIndex, FindsWhatStandsAtEachPlace) {
  for (unsigned Seed = 0; Seed < 300; ++Seed) {
    std::mt19937 Random(Seed);
    // Loops in loops, with runs of constants and counters.
    std::vector<int64_t> Values;
    for (unsigned Outer = Random() % 5; Outer--;)
      for (unsigned I = 0; I < 3 + Seed % 4; ++I) {
        for (int64_t J = 0; J < 1 + int64_t(Seed % 9); ++J)
          Values.push_back(J * 7);
        Values.push_back(Seed % 3 ? static_cast<int64_t>(Outer) : static_cast<int64_t>(Random()));
        if (I % 2)
          Values.insert(Values.end(), Seed % 6, INT64_MIN + Outer);
      }
    IntStream S;
    for (int64_t V : Values)
      S.append(V);
    const IntStreamData D = S.data();
    const StreamIndex Index(D);
    ASSERT_EQ(Index.length(), Values.size());
    // The same numbers as steps: a place is behind their sum.
    IntStreamData Steps = D;
    Steps.AreSteps = true;
    uint64_t Sum = 0, SumOfSums = 0;
    for (size_t I = 0; I <= Values.size(); ++I) {
      ASSERT_EQ(Index.sumBefore(D, I), Sum) << Seed << ", place " << I;
      ASSERT_EQ(Index.sumBefore(Steps, I), SumOfSums) << Seed << ", place " << I;
      auto Behind = Index.cursorAt(D, I), BehindSteps = Index.cursorAt(Steps, I);
      uint64_t At = Sum;
      int64_t V;
      for (size_t J = I; J < std::min(I + 20, Values.size()); ++J) {
        ASSERT_TRUE(Behind.next(V));
        ASSERT_EQ(V, Values[J]) << Seed << ", place " << J << " from " << I;
        ASSERT_TRUE(BehindSteps.next(V));
        ASSERT_EQ(static_cast<uint64_t>(V), At += static_cast<uint64_t>(Values[J]));
      }
      if (I == Values.size()) {
        ASSERT_FALSE(Behind.next(V));
        break;
      }
      ASSERT_EQ(Index.at(D, I), Values[I]) << Seed << ", place " << I;
      SumOfSums += Sum += static_cast<uint64_t>(Values[I]);
    }
  }
}

TEST(StreamIndex, LooksFarIntoALongStream) {
  // 2^40 times two runs of 2^20 values: nobody could go through it.
  IntStreamData D;
  D.Runs = {{5, 3, 1 << 20}, {-1, -2, 1 << 20}};
  D.Order.Rules = {{{1, true, uint64_t(1) << 40}}, {{0, false, 1}, {1, false, 1}}};
  const StreamIndex Index(D);
  EXPECT_EQ(Index.length(), uint64_t(1) << 61);
  const uint64_t Period = uint64_t(1) << 21, Far = 123456789 * Period;
  EXPECT_EQ(Index.at(D, Far), 5);
  EXPECT_EQ(Index.at(D, Far + 1000), 5 + 3000);
  EXPECT_EQ(Index.at(D, Far + Period / 2), -1);
  EXPECT_EQ(Index.at(D, Far + Period - 1), -1 - 2 * int64_t((1 << 20) - 1));
}
