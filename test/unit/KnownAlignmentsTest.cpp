// trace/merge/KnownAlignments.h and KnownAlignments.cpp: the same sequences are aligned once, and others are not taken
// for them.
#include "trace/merge/KnownAlignments.h"

#include <gtest/gtest.h>

using namespace pilgrim;

static GrammarData sequence(uint32_t Terminals) {
  GrammarData G;
  for (uint32_t I = 0; I < Terminals; ++I)
    G.Rules[0].push_back({I, false, 1});
  return G;
}

TEST(KnownAlignments, OnceForEachPair) {
  const GrammarData Long = sequence(4), Short = sequence(3);
  size_t Asked = 0;
  auto Differences = [&](uint32_t, uint32_t) {
    ++Asked;
    return size_t(0);
  };
  KnownAlignments Known;
  auto Find = [&](std::vector<uint64_t> A, std::vector<uint64_t> B, uint64_t Words) {
    Asked = 0;
    const auto Both = Known.find({Long, A}, {Short, B}, Words, Differences);
    EXPECT_EQ(Both->Pairs, alignWithGaps({Long, A}, {Short, B}, [](uint32_t, uint32_t) { return 0; })->Pairs);
    return Asked > 0;
  };
  EXPECT_TRUE(Find({1, 2, 3, 4}, {1, 3, 4}, 5));
  EXPECT_FALSE(Find({1, 2, 3, 4}, {1, 3, 4}, 5));
  EXPECT_TRUE(Find({1, 2, 3, 4}, {1, 3, 4}, 6)) << "other words";
  EXPECT_TRUE(Find({1, 2, 3, 4}, {1, 2, 4}, 5)) << "other keys";
  EXPECT_FALSE(Find({1, 2, 3, 4}, {1, 3, 4}, 6));
}
