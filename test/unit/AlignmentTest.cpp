// Two sequences side by side against both of them expanded.
#include "trace/sequences/Alignment.h"
#include "test/unit/Sequences.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <random>
#include <set>

using namespace pilgrim;
using namespace pilgrim::test;

/// The largest piece of memory that was asked for since this was set to 0.
static size_t LargestAllocation = 0;
[[gnu::noinline]] void *operator new(size_t N) {
  LargestAllocation = std::max(LargestAllocation, N);
  void *P = std::malloc(N);
  if (!P)
    std::abort();
  return P;
}
[[gnu::noinline]] void operator delete(void *P) noexcept { std::free(P); }
[[gnu::noinline]] void operator delete(void *P, size_t) noexcept { std::free(P); }

/// All terminals may be pairs.
static std::vector<uint64_t> same(const GrammarData &G) { return std::vector<uint64_t>(G.terminals(), 1); }
static std::optional<Alignment> alignAny(const GrammarData &A, const GrammarData &B) {
  return align({A, same(A), {}}, {B, same(B), {}});
}

static size_t none(uint32_t, uint32_t) { return 0; }

static void expectPairs(const Alignment &Both, const TerminalList &A, const TerminalList &B) {
  TerminalList S = expand(Both.Order);
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
static TerminalList coarser(const TerminalList &S, std::mt19937 &Random) {
  std::vector<uint32_t> Class(16), Number(16, UINT32_MAX);
  for (uint32_t &C : Class)
    C = Random() % 16;
  TerminalList Out;
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
static void addLoops(TerminalList &S, std::mt19937 &Random, unsigned Depth) {
  for (unsigned I = 1 + Random() % 4; I-- > 0;) {
    TerminalList Once;
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
    TerminalList S;
    addLoops(S, Random, 4);
    TerminalList A = coarser(S, Random), B = coarser(S, Random);
    auto Both = alignAny(build(A), build(B));
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
    TerminalList S;
    for (unsigned N = Random() % 3000; N-- > 0;)
      S.push_back(Random() % 16);
    TerminalList A = coarser(S, Random), B = coarser(S, Random);
    if (auto Both = alignAny(build(A), build(B)))
      expectPairs(*Both, A, B);
  }
}

TEST(Alignment, LongLoopsAreNotExpanded) {
  constexpr uint64_t N = 1000000007;
  // (0 1 0)^N, from its second element on in a rule; (0 1 2)^N.
  GrammarData A, B;
  A.Rules = {{{0, false, 1}, {1, true, N - 1}, {1, false, 1}, {0, false, 1}}, {{1, false, 1}, {0, false, 2}}};
  B.Rules = {{{1, true, N}}, {{0, false, 1}, {1, false, 1}, {2, false, 1}}};
  auto Both = alignAny(A, B);
  ASSERT_TRUE(Both);
  EXPECT_EQ(Both->Order.length(), 3 * N);
  EXPECT_EQ(Both->Order.terminalCounts(), (std::vector<uint64_t>{N, N, N}));
  EXPECT_EQ(Both->Pairs, (std::vector<std::pair<uint32_t, uint32_t>>{{0, 0}, {1, 1}, {0, 2}}));
  EXPECT_LE(Both->Order.Rules.size(), 3u);
  // Periods 4 and 6.
  A.Rules = {{{1, true, 3 * N}}, {{0, false, 3}, {1, false, 1}}};
  B.Rules = {{{1, true, 2 * N}}, {{0, false, 5}, {1, false, 1}}};
  Both = alignAny(A, B);
  ASSERT_TRUE(Both);
  EXPECT_EQ(Both->Order.length(), 12 * N);
  EXPECT_EQ(Both->Order.terminalCounts(), (std::vector<uint64_t>{N * 8, N * 2, N, N}));
}

TEST(Alignment, RepetitionsBeginAsEarlyAsPossible) {
  // Of three sizes, each after its neighbour: one side is said from the second element on.
  for (unsigned Times : {3, 100, 100000}) {
    const GrammarData A{{{{1, true, Times}}, {{0, false, 2}, {1, false, 2}}}, {}};
    const GrammarData B{
        {{{0, false, 1}, {1, true, Times - 1}, {1, false, 2}, {0, false, 1}}, {{1, false, 2}, {0, false, 2}}}, {}};
    for (const auto &[X, Y] : {std::pair(&A, &B), std::pair(&B, &A)}) {
      std::optional<Alignment> Both = alignAny(*X, *Y);
      ASSERT_TRUE(Both);
      const std::vector<std::vector<GrammarSymbol>> Expected{
          {{1, true, Times}}, {{0, false, 1}, {1, false, 1}, {2, false, 1}, {3, false, 1}}};
      EXPECT_EQ(Both->Order.Rules, Expected);
    }
  }
}

TEST(Alignment, IsRefused) {
  GrammarData A = build({0, 1, 0, 1}), B = build({0, 0, 1, 1});
  EXPECT_TRUE(alignAny(A, B));
  EXPECT_FALSE(alignAny(A, build({0, 0, 1}))) << "not of one length";
  EXPECT_FALSE(align({A, {0, 1}, {}}, {B, {0, 1}, {}})) << "0 and 1 are side by side";
  // Nothing repeats in both.
  std::mt19937 Random(1);
  TerminalList S;
  for (size_t I = 0; I < 100000; ++I)
    S.push_back(Random() % 2);
  EXPECT_FALSE(alignAny(build(S), build(TerminalList(100000, 0))));
}

/// What a side has of the result.
static TerminalList sideOf(const Alignment &Both, bool First) {
  TerminalList S;
  for (uint32_t P : expand(Both.Order)) {
    uint32_t T = First ? Both.Pairs[P].first : Both.Pairs[P].second;
    if (T != Alignment::None)
      S.push_back(T);
  }
  return S;
}

/// Without some of its values, and numbered anew; Keys: what they were.
static TerminalList lacking(const TerminalList &S, std::mt19937 &Random, std::vector<uint64_t> &Keys) {
  std::vector<uint32_t> Number(16, UINT32_MAX);
  std::vector<bool> Lacks(16);
  for (size_t I = 0; I < 16; ++I)
    Lacks[I] = Random() % 4 == 0;
  TerminalList Out;
  for (uint32_t V : S) {
    if (Lacks[V])
      continue;
    if (Number[V] == UINT32_MAX) {
      Number[V] = static_cast<uint32_t>(Keys.size());
      Keys.push_back(V);
    }
    Out.push_back(Number[V]);
  }
  return Out;
}

TEST(Alignment, GapsInRandomLoops) {
  size_t Apart = 0, Together = 0;
  for (unsigned Seed = 0; Seed < 1000; ++Seed) {
    std::mt19937 Random(Seed);
    TerminalList S;
    addLoops(S, Random, 4);
    std::vector<uint64_t> KeysA, KeysB;
    TerminalList A = lacking(S, Random, KeysA), B = lacking(S, Random, KeysB);
    auto Both = alignWithGaps({build(A), KeysA, {}}, {build(B), KeysB, {}}, none);
    ASSERT_TRUE(Both);
    ASSERT_EQ(sideOf(*Both, true), A);
    ASSERT_EQ(sideOf(*Both, false), B);
    for (auto [X, Y] : Both->Pairs)
      EXPECT_TRUE(X == Alignment::None || Y == Alignment::None || KeysA[X] == KeysB[Y]);
    Apart += costOf(build(A)) + costOf(build(B));
    Together += costOf(*Both);
  }
  EXPECT_LT(Together, Apart);
}

TEST(Alignment, NothingGainsMoreThanWhatIsFound) {
  // Sequences without repetition, from alike to having nothing in common, against a whole table.
  for (unsigned Seed = 0; Seed < 400; ++Seed) {
    std::mt19937 Random(Seed);
    const unsigned Terminals = 2 + Random() % 12, Keys = 1 + Random() % Terminals, Edits = Random() % 60;
    TerminalList Of[2];
    for (unsigned I = 0, N = Random() % 80; I < N; ++I)
      Of[0].push_back(Random() % Terminals);
    Of[1] = Of[0];
    for (unsigned I = 0; I < Edits; ++I) {
      TerminalList &S = Of[Random() % 2];
      const auto At = S.begin() + static_cast<std::ptrdiff_t>(Random() % (S.size() + 1));
      if (Random() % 2 || At == S.end())
        S.insert(At, Random() % Terminals);
      else
        S.erase(At);
    }
    std::vector<uint64_t> KeyOf;
    for (unsigned T = 0; T < Terminals; ++T)
      KeyOf.push_back(Random() % Keys);
    auto Differences = [&](uint32_t X, uint32_t Y) -> size_t { return (X * 5 + Y * 3 + Seed) % 6; };
    auto Gain = [&](uint32_t X, uint32_t Y) -> uint64_t {
      constexpr uint64_t By[] = {7, 5, 3, 2, 1, 1};
      return KeyOf[X] == KeyOf[Y] ? By[Differences(X, Y)] : 0;
    };
    const TerminalList &A = Of[0], &B = Of[1];
    std::vector<std::vector<uint64_t>> Best(A.size() + 1, std::vector<uint64_t>(B.size() + 1, 0));
    for (size_t I = A.size(); I-- > 0;)
      for (size_t J = B.size(); J-- > 0;)
        Best[I][J] = std::max({Best[I + 1][J], Best[I][J + 1], Gain(A[I], B[J]) + Best[I + 1][J + 1]});
    GrammarData Flat[2];
    for (int I = 0; I < 2; ++I)
      for (uint32_t T : Of[I])
        Flat[I].Rules[0].push_back({T, false, 1});
    const auto Both = alignWithGaps({Flat[0], KeyOf, {}}, {Flat[1], KeyOf, {}}, Differences);
    ASSERT_TRUE(Both);
    ASSERT_EQ(sideOf(*Both, true), A);
    ASSERT_EQ(sideOf(*Both, false), B);
    uint64_t Gained = 0;
    for (uint32_t P : expand(Both->Order))
      if (const auto [X, Y] = Both->Pairs[P]; X != Alignment::None && Y != Alignment::None)
        Gained += Gain(X, Y);
    ASSERT_EQ(Gained, Best[0][0]) << Seed;
  }
}

TEST(Alignment, GapsInLongLoops) {
  constexpr uint64_t N = 1000000007;
  // (0 1 2 3)^N; (0 2)^N between others; 1^N
  GrammarData A, B, C;
  A.Rules = {{{1, true, N}}, {{0, false, 1}, {1, false, 1}, {2, false, 1}, {3, false, 1}}};
  B.Rules = {{{0, false, 1}, {1, true, N}, {2, false, 3}}, {{1, false, 1}, {0, false, 1}}};
  C.Rules = {{{0, false, N}}};
  auto Both = alignWithGaps({A, {10, 11, 12, 13}, {}}, {B, {12, 10, 14}, {}}, none);
  ASSERT_TRUE(Both);
  constexpr uint32_t None = Alignment::None;
  EXPECT_EQ(Both->Pairs,
            (std::vector<std::pair<uint32_t, uint32_t>>{{None, 0}, {0, 1}, {1, None}, {2, 0}, {3, None}, {None, 2}}));
  EXPECT_EQ(Both->Order.terminalCounts(), (std::vector<uint64_t>{1, N, N, N, N, 3}));
  Both = alignWithGaps({A, {10, 11, 12, 13}, {}}, {C, {11}, {}}, none);
  ASSERT_TRUE(Both);
  EXPECT_EQ(Both->Pairs, (std::vector<std::pair<uint32_t, uint32_t>>{{0, None}, {1, 0}, {2, None}, {3, None}}));
  EXPECT_EQ(Both->Order, A);
  // Nothing in common: by their places.
  Both = alignWithGaps({build({0, 1}), {1, 2}, {30, 50}}, {build({0, 1}), {3, 4}, {20, 40}}, none);
  ASSERT_TRUE(Both);
  EXPECT_EQ(Both->Pairs, (std::vector<std::pair<uint32_t, uint32_t>>{{None, 0}, {0, None}, {None, 1}, {1, None}}));
}

TEST(Alignment, LoopsOfDifferentLengthStandSideBySideOnce) {
  // (0 1 2)^10 (3 4)^10 and (0 1 2 3)^10 (4 5 6)^10, all of one site: each call of a loop beside one of the other's.
  auto Loops = [](std::initializer_list<unsigned> Lengths) {
    TerminalList S;
    uint32_t First = 0;
    for (unsigned Length : Lengths) {
      for (unsigned I = 0; I < 10 * Length; ++I)
        S.push_back(First + I % Length);
      First += Length;
    }
    return S;
  };
  TerminalList A = Loops({3, 2}), B = Loops({4, 3});
  auto Both = alignWithGaps({build(A), same(build(A)), {}}, {build(B), same(build(B)), {}}, none);
  ASSERT_TRUE(Both);
  EXPECT_EQ(sideOf(*Both, true), A);
  EXPECT_EQ(sideOf(*Both, false), B);
  EXPECT_EQ(Both->Pairs.size(), 7u);
}

TEST(Alignment, WhatIsTooMuchWorkIsRefusedBeforeItTakesMemory) {
  // 2^14 times 2^14 pairs.
  TerminalList S(1 << 14);
  for (uint32_t I = 0; I < S.size(); ++I)
    S[I] = I;
  GrammarData G = build(S);
  std::vector<uint64_t> Keys = same(G);
  LargestAllocation = 0;
  EXPECT_FALSE(alignWithGaps({G, Keys, {}}, {G, Keys, {}}, none));
  EXPECT_LT(LargestAllocation, size_t(1) << 20);
}

TEST(Alignment, HashOfKeys) {
  std::vector<uint64_t> Keys{5, 7, 5, UINT64_MAX};
  auto Of = [&](const TerminalList &S) { return hashOfKeys({build(S), Keys, {}}); };
  EXPECT_EQ(Of({0, 1, 0, 1, 0, 1, 3}), Of({0, 1, 2, 1, 0, 1, 3}));
  EXPECT_EQ(Of({0, 0, 0, 0, 0}), Of({0, 2, 2, 0, 0}));
  EXPECT_NE(Of({0, 1, 0, 1}), Of({0, 1, 1, 0}));
  EXPECT_NE(Of({0, 0}), Of({0, 0, 0}));
  EXPECT_NE(Of({0, 1}), Of({1, 0}));
  EXPECT_NE(Of({}), Of({0}));
  GrammarData Long, Same;
  Long.Rules = {{{1, true, 500000000}}, {{0, false, 1}, {2, false, 1}}};
  Same.Rules = {{{0, false, 1000000000}}};
  EXPECT_EQ(hashOfKeys({Long, Keys, {}}), hashOfKeys({Same, Keys, {}}));
}
