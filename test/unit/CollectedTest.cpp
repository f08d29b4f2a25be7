//===- CollectedTest.cpp - what waits to be sealed against a vector --------===//
#include "trace/sequences/Collected.h"

#include <gtest/gtest.h>
#include <random>

using namespace pilgrim;

namespace {

/// Numbers of all sizes.
uint64_t number(std::mt19937_64 &R) { return R() >> (R() % 64); }

template <typename Element, typename Make> void compare(Make &&New) {
  std::mt19937_64 R(1);
  Collected<Element> C;
  std::vector<Element> Wanted;
  EXPECT_TRUE(C.empty());
  EXPECT_EQ(C.all(), Wanted);
  for (size_t N = 1; N <= 3000; ++N) {
    Wanted.push_back(New(R));
    C.push_back(Wanted.back());
    ASSERT_EQ(C.size(), N);
    ASSERT_EQ(C.back(), Wanted.back());
    if (N < 20 || N % 500 == 0) {
      ASSERT_EQ(C.all(), Wanted);
    }
  }
  for (size_t N : {0, 1, 2, 3, 700}) { // several at once
    const std::vector<Element> More(Wanted.begin(), Wanted.begin() + static_cast<ptrdiff_t>(N));
    C.append(More);
    Wanted.insert(Wanted.end(), More.begin(), More.end());
    ASSERT_EQ(C.size(), Wanted.size());
    ASSERT_EQ(C.all(), Wanted);
  }
  C.clear();
  EXPECT_TRUE(C.empty());
  const std::vector<Element> Few(Wanted.begin(), Wanted.begin() + 3);
  C.append(Few);
  EXPECT_EQ(C.all(), Few);
  C.clear();
  C.push_back(Wanted[7]);
  EXPECT_EQ(C.all(), std::vector{Wanted[7]});
}

TEST(Collected, Items) {
  compare<RepeatedTerminal>(
      [](std::mt19937_64 &R) { return RepeatedTerminal{static_cast<uint32_t>(number(R)), R() % 2 ? 1 : number(R)}; });
}
TEST(Collected, Values) {
  compare<int64_t>([](std::mt19937_64 &R) { return static_cast<int64_t>(R() % 2 ? number(R) : -number(R)); });
}
TEST(Collected, Text) {
  compare<uint8_t>([](std::mt19937_64 &R) { return static_cast<uint8_t>(R()); });
}

/// The last item is repeated while it is the last.
TEST(Collected, TheLastOneCanBeChanged) {
  Collected<RepeatedTerminal> C;
  for (uint32_t I = 0; I < 10; ++I) {
    C.push_back({I, 1});
    for (uint32_t J = 0; J < I; ++J)
      ++C.back().Count;
  }
  for (uint32_t I = 0; I < 10; ++I)
    EXPECT_EQ(C.all()[I], (RepeatedTerminal{I, I + 1}));
}

/// What this is for.
TEST(Collected, SmallItemsTakeAByteOrTwo) {
  Collected<RepeatedTerminal> C;
  for (uint32_t I = 0; I < 10000; ++I)
    C.push_back({I % 50, 1});
  EXPECT_LE(C.memory(), 20000u);
}

} // namespace
