// trace/ranks/RankedItems.h, RankedItems.cpp: shared sequences against a plain list for each rank.
#include "trace/ranks/RankedItems.h"
#include "test/unit/Ranks.h"
#include "test/unit/Sequences.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

/// A loop of loops: two items of the body are repeated as often as Inner says; IsAlone: and that is all. A grammar that
/// Sequitur could have made.
static RankedItems loops(uint32_t Rank, uint64_t Outer, uint64_t Inner0, uint64_t Inner1, bool IsAlone = false) {
  RankedItems X{RankSet(Rank), {}, {{false, 10}, {true, 4}, {false, 11}}};
  X.Order.Rules = {{{1, true, Outer}, {2, false, 1}}, {{0, false, Inner0}, {1, false, 1}, {0, false, Inner1}}};
  if (IsAlone)
    X.Order.Rules[0].pop_back();
  return X;
}

static TerminalList loopsOf(uint64_t Outer, uint64_t Inner0, uint64_t Inner1, bool IsAlone = false) {
  TerminalList S;
  for (uint64_t I = 0; I < Outer; ++I) {
    S.insert(S.end(), Inner0, 0);
    S.push_back(1);
    S.insert(S.end(), Inner1, 0);
  }
  if (!IsAlone)
    S.push_back(2);
  return S;
}

/// Compares all there is to ask with the sequences of the ranks.
static void check(const RankedItems &X, const std::map<uint32_t, TerminalList> &Of, uint32_t World) {
  const auto Calls = X.calls(World);
  for (const auto &[Rank, Wanted] : Of) {
    ASSERT_TRUE(X.Ranks.contains(Rank));
    EXPECT_EQ(expand(X.of(Rank, World)), Wanted) << "rank " << Rank;
    ASSERT_EQ(Calls.size(), 1 + *std::max_element(Wanted.begin(), Wanted.end()));
    for (uint32_t Item = 0; Item < Calls.size(); ++Item)
      EXPECT_EQ(Calls[Item].of(Rank), static_cast<uint64_t>(std::count(Wanted.begin(), Wanted.end(), Item)));
  }
  EXPECT_EQ(X.Ranks.size(), Of.size());
  EXPECT_TRUE(X.isSane(World));
  RankSet Seen;
  std::set<TerminalList> Sequences;
  forEachPart({X}, World, [&](const RankedItems &Part) {
    EXPECT_TRUE(Part.Functions.empty());
    EXPECT_EQ(Part.Items, X.Items);
    EXPECT_TRUE(Sequences.insert(expand(Part.Order)).second) << "ranks with equal counts are one part";
    EXPECT_TRUE(Seen.common(Part.Ranks).empty());
    Seen.unite(Part.Ranks);
    Part.Ranks.forEach([&](uint32_t R) { EXPECT_EQ(expand(Part.Order), Of.at(R)); });
  });
  EXPECT_EQ(Seen, X.Ranks);
}

TEST(RankedItems, EachRankKeepsItsSequence) {
  for (unsigned Seed = 0; Seed < 100 && !::testing::Test::HasFailure(); ++Seed) {
    std::mt19937 Random(Seed);
    const uint32_t World = 2 + Random() % 14;
    const uint64_t Begin[3] = {2 + Random() % 4, 1 + Random() % 3, 1 + Random() % 3};
    std::vector<RankedItems> Parts;
    std::map<uint32_t, TerminalList> Of;
    for (uint32_t R = 0; R < World; ++R) {
      const uint64_t Outer = Begin[0] + (Seed % 2 ? R : 0), Inner0 = Begin[1] + (Seed % 3 ? Random() % 3 : 0),
                     Inner1 = Begin[2] + (Seed % 5 == 0 ? R / 2 : 0);
      Parts.push_back(loops(R, Outer, Inner0, Inner1, Seed % 7 == 0));
      Of[R] = loopsOf(Outer, Inner0, Inner1, Seed % 7 == 0);
    }
    while (Parts.size() > 1) {
      std::swap(Parts[Random() % Parts.size()], Parts.back());
      const RankedItems Last = Parts.back();
      Parts.pop_back();
      ASSERT_TRUE(Parts[Random() % Parts.size()].join(Last, World));
    }
    check(Parts[0], Of, World);
    Shortener Known;
    chooseByRank(Parts[0].Functions, Parts[0].Ranks, World, Known);
    check(Parts[0], Of, World);
  }
}

TEST(RankedItems, TheWholeRepeatedByRank) {
  // Rule 1 as often as the rank says: what calls() looks at by itself.
  const uint32_t World = 300;
  RankedItems All;
  std::map<uint32_t, TerminalList> Of;
  for (uint32_t R = 0; R < World; ++R) {
    RankedItems X{RankSet(R), {}, {{false, 0}, {false, 1}}};
    X.Order.Rules = {{{1, true, R + 2}}, {{0, false, 1}, {1, false, 1}, {0, false, 1}}};
    EXPECT_TRUE(X.repeats());
    Of[R] = expand(X.Order);
    if (R)
      EXPECT_TRUE(All.join(X, World));
    else
      All = X;
  }
  EXPECT_TRUE(All.repeats());
  ASSERT_EQ(All.Functions.size(), 1u);
  const auto Calls = All.calls(World);
  ASSERT_EQ(Calls.size(), 2u);
  for (uint32_t R = 0; R < World; ++R) {
    EXPECT_EQ(Calls[0].of(R), 2 * (R + 2));
    EXPECT_EQ(Calls[1].of(R), R + 2);
    EXPECT_EQ(expand(All.of(R, World)), Of[R]);
  }
  // Where more than that is a function it does not repeat.
  All.Functions.emplace(2, RankFn(3));
  EXPECT_FALSE(All.repeats());
  EXPECT_FALSE(loops(0, 2, 2, 2).repeats());
  RankedItems Alone;
  Alone.Order.Rules = {{{0, false, 5}}};
  EXPECT_FALSE(Alone.repeats()) << "a terminal is no rule";
  Alone.Order.Rules = {{{2, true, 5}}, {{0, false, 2}}, {{1, true, 2}}};
  EXPECT_FALSE(Alone.repeats()) << "not rule 1";
}

TEST(RankedItems, OtherRulesAreNotJoined) {
  const RankedItems A = loops(0, 3, 2, 2);
  auto Joins = [&](auto &&Change) {
    RankedItems X = A, Y = loops(1, 4, 2, 2);
    Change(Y.Order.Rules);
    const bool Joined = X.join(Y, 2);
    EXPECT_TRUE(Joined || (X.Ranks == A.Ranks && X.Order == A.Order && X.Functions.empty()));
    return Joined;
  };
  using Rules = std::vector<std::vector<GrammarSymbol>>;
  EXPECT_TRUE(Joins([](Rules &) {}));
  EXPECT_FALSE(Joins([](Rules &R) { R[1][0].Value = 2; }));
  EXPECT_FALSE(Joins([](Rules &R) { R[0][1].IsRule = true; }));
  EXPECT_FALSE(Joins([](Rules &R) { R[1].push_back({1, false, 1}); }));
  EXPECT_FALSE(Joins([](Rules &R) { R.push_back({{0, false, 2}}); }));
  // Too many places that differ.
  RankedItems X{RankSet(0), {}, {{false, 0}, {false, 1}}}, Y{RankSet(1), {}, X.Items};
  for (uint32_t I = 0; I < 65; ++I) {
    X.Order.Rules[0].push_back({I % 2, false, 2});
    Y.Order.Rules[0].push_back({I % 2, false, 3});
  }
  EXPECT_FALSE(X.join(Y, 2));
  X.Order.Rules[0].pop_back();
  Y.Order.Rules[0].pop_back();
  EXPECT_TRUE(X.join(Y, 2));
}

TEST(RankedItems, CountsThatNoSequenceHasAreNotSane) {
  auto IsSane = [](std::vector<std::vector<GrammarSymbol>> Rules, uint32_t Place, std::vector<int64_t> Counts) {
    RankedItems X{RankSet::below(static_cast<uint32_t>(Counts.size())), {}, {{false, 0}}};
    X.Order.Rules = std::move(Rules);
    X.Functions.emplace(Place, RankFn::ofValues(Counts, X.Ranks));
    return X.isSane(static_cast<uint32_t>(Counts.size()));
  };
  constexpr int64_t Limit = int64_t(1) << 60;
  EXPECT_TRUE(IsSane({{{0, false, 2}}}, 0, {1, 2, Limit}));
  EXPECT_FALSE(IsSane({{{0, false, 2}}}, 0, {1, 2, Limit + 1}));
  EXPECT_FALSE(IsSane({{{0, false, 2}}}, 0, {1, 0, 5}));
  EXPECT_FALSE(IsSane({{{0, false, 2}}}, 0, {1, -1, 5}));
  // Alone in a rule that is not the first, one is too few.
  EXPECT_TRUE(IsSane({{{1, true, 2}}, {{0, false, 2}}}, 1, {2, 3}));
  EXPECT_FALSE(IsSane({{{1, true, 2}}, {{0, false, 2}}}, 1, {2, 1}));
  EXPECT_TRUE(IsSane({{{1, true, 2}}, {{0, false, 2}, {0, false, 1}}}, 1, {2, 1}));
  // All together would be too long.
  EXPECT_TRUE(IsSane({{{1, true, 2}}, {{0, false, 3}}}, 0, {2, Limit}));
  EXPECT_FALSE(IsSane({{{1, true, 2}}, {{0, false, 4}}}, 0, {2, Limit}));
}
