// Two sequences side by side against both of them expanded.
#include "trace/Alignment.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace pilgrim;

using Sequence = std::vector<uint32_t>;

static GrammarData build(const Sequence &S) {
  Grammar G;
  for (uint32_t V : S)
    G.append(V);
  return G.data();
}

static Sequence expand(const GrammarData &D) {
  Sequence S;
  GrammarData::Cursor C(D);
  for (uint32_t T; C.next(T);)
    S.push_back(T);
  return S;
}

static bool any(uint32_t, uint32_t) { return true; }

static void expectPairs(const Alignment &Both, const Sequence &A, const Sequence &B) {
  Sequence S = expand(Both.Order);
  ASSERT_EQ(S.size(), A.size());
  uint32_t New = 0;
  std::set<std::pair<uint32_t, uint32_t>> Distinct(Both.Pairs.begin(), Both.Pairs.end());
  EXPECT_EQ(Distinct.size(), Both.Pairs.size());
  for (size_t I = 0; I < S.size(); ++I) {
    ASSERT_LE(S[I], New) << "in the order of their first use";
    New = std::max(New, S[I] + 1);
    ASSERT_EQ(Both.Pairs[S[I]], std::pair(A[I], B[I])) << "at " << I;
  }
  EXPECT_EQ(New, Both.Pairs.size());
}

/// S with some of its values made equal, and numbered anew.
static Sequence coarser(const Sequence &S, std::mt19937 &Random) {
  std::vector<uint32_t> Class(16), Number(16, UINT32_MAX);
  for (uint32_t &C : Class)
    C = Random() % 16;
  Sequence Out;
  uint32_t New = 0;
  for (uint32_t V : S) {
    uint32_t &N = Number[Class[V]];
    if (N == UINT32_MAX)
      N = New++;
    Out.push_back(N);
  }
  return Out;
}

/// Loops in loops.
static void addLoops(Sequence &S, std::mt19937 &Random, unsigned Depth) {
  for (unsigned I = 1 + Random() % 4; I-- > 0;) {
    Sequence Once;
    if (Depth && Random() % 2)
      addLoops(Once, Random, Depth - 1);
    else
      Once.push_back(Random() % 16);
    for (unsigned N = 1 + Random() % 7; N-- > 0;)
      S.insert(S.end(), Once.begin(), Once.end());
  }
}

TEST(Alignment, RandomLoops) {
  unsigned Found = 0;
  for (unsigned Seed = 0; Seed < 1000; ++Seed) {
    std::mt19937 Random(Seed);
    Sequence S;
    addLoops(S, Random, 4);
    Sequence A = coarser(S, Random), B = coarser(S, Random);
    auto Both = align(build(A), build(B), SIZE_MAX, any);
    if (!Both)
      continue;
    ++Found;
    expectPairs(*Both, A, B);
  }
  EXPECT_GT(Found, 970u);
}

TEST(Alignment, WhatDoesNotRepeatIsStillRightOrRefused) {
  for (unsigned Seed = 0; Seed < 300; ++Seed) {
    std::mt19937 Random(Seed);
    Sequence S;
    for (unsigned N = Random() % 3000; N-- > 0;)
      S.push_back(Random() % 16);
    Sequence A = coarser(S, Random), B = coarser(S, Random);
    if (auto Both = align(build(A), build(B), SIZE_MAX, any))
      expectPairs(*Both, A, B);
  }
}

TEST(Alignment, LongLoopsAreNotExpanded) {
  constexpr uint64_t N = 1000000007;
  // (0 1 0)^N, from its second element on in a rule; (0 1 2)^N.
  GrammarData A, B;
  A.Rules = {{{0, false, 1}, {1, true, N - 1}, {1, false, 1}, {0, false, 1}}, {{1, false, 1}, {0, false, 2}}};
  B.Rules = {{{1, true, N}}, {{0, false, 1}, {1, false, 1}, {2, false, 1}}};
  auto Both = align(A, B, 4, any);
  ASSERT_TRUE(Both);
  EXPECT_EQ(Both->Order.length(), 3 * N);
  EXPECT_EQ(Both->Order.terminalCounts(), (std::vector<uint64_t>{N, N, N}));
  EXPECT_EQ(Both->Pairs, (std::vector<std::pair<uint32_t, uint32_t>>{{0, 0}, {1, 1}, {0, 2}}));
  EXPECT_LE(costOf(Both->Order, 0), 8u);
  // Periods 4 and 6.
  A.Rules = {{{1, true, 3 * N}}, {{0, false, 3}, {1, false, 1}}};
  B.Rules = {{{1, true, 2 * N}}, {{0, false, 5}, {1, false, 1}}};
  Both = align(A, B, 4, any);
  ASSERT_TRUE(Both);
  EXPECT_EQ(Both->Order.length(), 12 * N);
  EXPECT_EQ(Both->Order.terminalCounts(), (std::vector<uint64_t>{N * 8, N * 2, N, N}));
}

TEST(Alignment, IsRefused) {
  GrammarData A = build({0, 1, 0, 1}), B = build({0, 0, 1, 1});
  EXPECT_TRUE(align(A, B, 4, any));
  EXPECT_FALSE(align(A, B, 3, any)) << "too many pairs";
  EXPECT_FALSE(align(A, build({0, 0, 1}), 4, any)) << "not of one length";
  EXPECT_FALSE(align(A, B, 4, [](uint32_t X, uint32_t Y) { return X == Y; })) << "0 and 1 are side by side";
  // Nothing repeats in both.
  std::mt19937 Random(1);
  Sequence S, T(100000);
  for (size_t I = 0; I < T.size(); ++I)
    S.push_back(Random() % 2);
  EXPECT_FALSE(align(build(S), build(Sequence(99999, 0)), SIZE_MAX, any));
}

TEST(Alignment, HashOfKeys) {
  std::vector<uint64_t> Keys{5, 7, 5, UINT64_MAX};
  auto Of = [&](const Sequence &S) { return hashOfKeys(build(S), Keys); };
  EXPECT_EQ(Of({0, 1, 0, 1, 0, 1, 3}), Of({0, 1, 2, 1, 0, 1, 3}));
  EXPECT_EQ(Of({0, 0, 0, 0, 0}), Of({0, 2, 2, 0, 0}));
  EXPECT_NE(Of({0, 1, 0, 1}), Of({0, 1, 1, 0}));
  EXPECT_NE(Of({0, 0}), Of({0, 0, 0}));
  EXPECT_NE(Of({0, 1}), Of({1, 0}));
  EXPECT_NE(Of({}), Of({0}));
  GrammarData Long, Same;
  Long.Rules = {{{1, true, 500000000}}, {{0, false, 1}, {2, false, 1}}};
  Same.Rules = {{{0, false, 1000000000}}};
  EXPECT_EQ(hashOfKeys(Long, Keys), hashOfKeys(Same, Keys));
}
