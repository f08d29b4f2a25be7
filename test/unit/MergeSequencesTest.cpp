// trace/merge/MergeSequences.h, MergeSequences.cpp: which sequences become one; each rank keeps its calls.
#include "trace/merge/MergeSequences.h"
#include "test/unit/Sequences.h"
#include "test/unit/Tables.h"

#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
/// A call of a function with one value; or, of no value, an activation of a node.
struct Step {
  uint32_t Function;
  int64_t Value;
  bool IsNode = false;
  auto operator<=>(const Step &) const = default;
};
using Steps = std::vector<Step>;
} // namespace

static constexpr uint32_t World = 16;

static RankedItems sequence(Group &G, const RankSet &Ranks, const Steps &Of) {
  std::vector<Step> Known;
  TerminalList Terminals;
  for (const Step &S : Of) {
    auto At = std::find(Known.begin(), Known.end(), S);
    Terminals.push_back(static_cast<uint32_t>(At - Known.begin()));
    if (At == Known.end())
      Known.push_back(S);
  }
  RankedItems X{Ranks, build(Terminals), {}};
  // A site for each function, which the sides number in their own ways.
  for (const Step &S : Known)
    if (S.IsNode)
      X.Items.push_back({true, S.Function});
    else
      X.Items.push_back({false, add(G, TableId::Signatures,
                                    {call(Ranks, S.Function, {S.Value}, addSite(G, "app", S.Function) + 1)})});
  return X;
}

/// Those of one rank, in a result. All its nodes are as they were, plus ten.
static Steps stepsOf(const Group &G, const Sequences &L, uint32_t Rank) {
  Steps Out;
  unsigned Own = 0;
  for (const RankedItems &X : L) {
    if (!X.Ranks.contains(Rank))
      continue;
    ++Own;
    for (uint32_t T : expand(X.of(Rank, World))) {
      const Item &I = X.Items[T];
      if (I.IsNode) {
        Out.push_back({I.Index - 10, 0, true});
      } else if (const Variant *V = G.find(TableId::Signatures, I.Index, Rank)) {
        EXPECT_EQ(G.table(TableId::Sites)[V->Tokens[1] - 1][0].Words[0].single().C, V->Tokens[0]);
        Out.push_back({V->Tokens[0], V->Words[0].eval(Rank, {Rank, World})});
      }
    }
  }
  EXPECT_EQ(Own, 1u) << "rank " << Rank;
  return Out;
}

/// Of two sides, each of which has sequences of different ranks. Gives the result, which was compared with Of.
static Sequences merged(const std::vector<std::pair<RankSet, Steps>> &A,
                        const std::vector<std::pair<RankSet, Steps>> &B) {
  Group Sides[2];
  Sequences Lists[2];
  const std::vector<std::pair<RankSet, Steps>> *Of[] = {&A, &B};
  for (unsigned S = 0; S < 2; ++S)
    for (const auto &[Ranks, Steps] : *Of[S])
      Lists[S].push_back(sequence(Sides[S], Ranks, Steps));
  TableMerge M(Sides[0], Sides[1], World);
  const std::vector<uint32_t> Nodes{10, 11, 12, 13};
  KnownAlignments Known;
  Sequences Out = mergeSequences(M, Known, TableId::Signatures, {Lists[0], M.Sides[0], Nodes},
                                 {Lists[1], M.Sides[1], Nodes}, World, nullptr);
  for (unsigned S = 0; S < 2; ++S)
    for (const auto &[Ranks, Steps] : *Of[S])
      Ranks.forEach([&](uint32_t R) { EXPECT_EQ(stepsOf(M.Out, Out, R), Steps) << "rank " << R; });
  return Out;
}

static Steps repeated(const Steps &Of, unsigned Times) {
  Steps Out;
  while (Times--)
    Out.insert(Out.end(), Of.begin(), Of.end());
  return Out;
}

TEST(MergeSequences, EqualAlignedLongerAndShorterOnesAreJoined) {
  const RankSet A = RankSet::below(2), B = RankSet::between(2, 5);
  const Steps Ring{{1, 5}, {2, 6}, {1, 7}};
  auto Number = [&](const Steps &X, const Steps &Y) { return merged({{A, X}}, {{B, Y}}).size(); };
  EXPECT_EQ(Number(Ring, Ring), 1u);
  EXPECT_EQ(Number(Ring, {{1, 6}, {2, 5}, {1, 9}}), 1u) << "other values";
  EXPECT_EQ(Number(repeated(Ring, 9), repeated({{1, 5}, {2, 6}, {1, 5}}, 9)), 1u) << "equal in other ways";
  EXPECT_EQ(Number(repeated(Ring, 9), repeated(Ring, 12)), 1u) << "not as often";
  EXPECT_EQ(Number(repeated({{1, 5}, {2, 6}, {3, 7}, {4, 1}}, 9), repeated({{1, 5}, {3, 7}, {4, 1}}, 9)), 1u)
      << "fewer";
  EXPECT_EQ(Number(repeated({{1, 5}, {1, 5}, {1, 6}, {1, 6}}, 3), repeated({{1, 5}, {1, 6}, {1, 6}, {1, 5}}, 3)), 1u)
      << "as long together";
  EXPECT_EQ(Number({{1, 1}, {2, 2}}, {{3, 1}, {4, 2}}), 1u) << "of one shape";
  EXPECT_EQ(Number({{1, 1}, {2, 2}, {3, 3}}, {{7, 1}, {8, 2}}), 2u);
}

TEST(MergeSequences, GapsThatAreThereAlreadyCostNothingIfCallsAreAlike) {
  // Two functions of many are called on both sides, with values that differ by More. One rank of each side lacks calls.
  auto Number = [&](uint32_t Ranks, int64_t More) {
    Group Sides[2];
    Sequences Lists[2];
    for (unsigned S = 0; S < 2; ++S) {
      const RankSet Own = RankSet::between(S * Ranks, S * Ranks + Ranks - 1);
      Steps Of;
      for (uint32_t F = S * 8; F < 10 + S * 9; ++F)
        Of.push_back({F, F + S * More});
      Lists[S].push_back(sequence(Sides[S], Own, Of));
      for (Entry &E : Sides[S].table(TableId::Signatures))
        E.own()[0].Ranks = Own.without(RankSet(Own.last()));
    }
    TableMerge M(Sides[0], Sides[1], World);
    KnownAlignments Known;
    return mergeSequences(M, Known, TableId::Signatures, {Lists[0], M.Sides[0], {}}, {Lists[1], M.Sides[1], {}}, World,
                          nullptr)
        .size();
  };
  EXPECT_EQ(Number(2, 5), 1u) << "on few ranks";
  EXPECT_EQ(Number(8, 0), 1u) << "the same values";
  EXPECT_EQ(Number(8, 5), 2u);
}

TEST(MergeSequences, ActivationsAreNeverMissing) {
  const RankSet A = RankSet::below(2), B = RankSet::between(2, 5);
  auto Number = [&](const Steps &X, const Steps &Y) { return merged({{A, X}}, {{B, Y}}).size(); };
  const Step Node{1, 0, true}, Other{2, 0, true};
  EXPECT_EQ(Number({Node, {1, 5}}, {Node, {1, 6}}), 1u);
  EXPECT_EQ(Number({Node, {1, 5}}, {Other, {1, 6}}), 2u) << "not of one shape: other nodes";
  EXPECT_EQ(Number(repeated({Node, {1, 5}, {2, 1}}, 9), repeated({Node, {2, 1}}, 9)), 1u);
  EXPECT_EQ(Number(repeated({Node, {1, 5}, {2, 1}}, 9), repeated({{1, 5}, {2, 1}}, 9)), 2u);
  EXPECT_EQ(Number(repeated({{1, 5}, {2, 1}}, 9), repeated({Node, {1, 5}, {2, 1}}, 9)), 2u);
}

TEST(MergeSequences, EachIsJoinedOnce) {
  // Two of the left side are like one of the right side, and the other way round.
  const Steps X{{1, 5}, {2, 6}}, Y{{1, 5}, {3, 6}, {3, 5}};
  const auto Out =
      merged({{RankSet(0), X}, {RankSet(1), X}, {RankSet(2), Y}}, {{RankSet(4), Y}, {RankSet(5), X}, {RankSet(6), Y}});
  ASSERT_EQ(Out.size(), 4u);
  std::multiset<uint64_t> Sizes;
  for (const RankedItems &S : Out)
    Sizes.insert(S.Ranks.size());
  EXPECT_EQ(Sizes, (std::multiset<uint64_t>{1, 1, 2, 2}));
}

TEST(MergeSequences, RandomSequencesKeepTheirCalls) {
  size_t Joined = 0, All = 0;
  for (unsigned Seed = 0; Seed < 400 && !::testing::Test::HasFailure(); ++Seed) {
    std::mt19937 Random(Seed);
    // A body, from which each set of ranks leaves some out, changes values, or goes through it more often.
    Steps Body;
    for (unsigned I = 1 + Random() % 6; I--;)
      Body.push_back({static_cast<uint32_t>(Random() % 4), static_cast<int64_t>(Random() % 4), Random() % 6 == 0});
    for (Step &S : Body)
      if (S.IsNode)
        S.Value = 0;
    std::vector<std::pair<RankSet, Steps>> Sides[2];
    for (uint32_t R = 0; R < World; R += 2) {
      Steps Own;
      for (const Step &S : repeated(Body, 3)) {
        if (Random() % 8 == 0)
          continue;
        Own.push_back(S);
        if (!S.IsNode && Random() % 3 == 0)
          Own.back().Value = static_cast<int64_t>(Random() % 3);
      }
      if (!Own.empty())
        Sides[Random() % 2].push_back({RankSet::between(R, R + 1), repeated(Own, 1 + Random() % 3)});
    }
    All += Sides[0].size() + Sides[1].size();
    Joined += Sides[0].size() + Sides[1].size() - merged(Sides[0], Sides[1]).size();
  }
  EXPECT_GT(Joined * 8, All);
}

TEST(MergeSequences, ComparingIsGivenUpWhereItComesToNothing) {
  std::mt19937 Random(1);
  auto RandomSteps = [&](uint32_t Function, size_t Number, int64_t Values) {
    Steps Out;
    while (Out.size() < Number)
      Out.push_back({Function, static_cast<int64_t>(Random() % static_cast<uint32_t>(Values))});
    return Out;
  };
  // Two that repeat something, but not equally long, are together as long as their length.
  const unsigned Lengths[2][7] = {{401, 409, 419, 421, 431, 433, 439}, {443, 449, 457, 461, 463, 467, 479}};
  std::vector<std::pair<RankSet, Steps>> Sides[2];
  for (unsigned S = 0; S < 2; ++S)
    for (unsigned I = 0; I < 7; ++I) {
      Steps Own = repeated(RandomSteps(1, Lengths[S][I], 4), 20000 / Lengths[S][I] + 1);
      Own.resize(20000);
      Sides[S].push_back({RankSet(S * 8 + I), std::move(Own)});
    }
  EXPECT_EQ(merged(Sides[0], Sides[1]).size(), 14u);
  const Steps Left = RandomSteps(2, 2000, 3);
  Steps Right = Left;
  for (Step &X : Right)
    X.Value %= 2;
  EXPECT_EQ(merged({{RankSet(7), Left}}, {{RankSet(15), Right}}).size(), 1u);
  Sides[1].push_back({RankSet(15), Right});
  auto With = [&](size_t Place) {
    auto A = Sides[0];
    A.insert(A.begin() + static_cast<ptrdiff_t>(Place), {RankSet(7), Left});
    return merged(A, Sides[1]).size();
  };
  EXPECT_EQ(With(0), 15u);
  EXPECT_EQ(With(7), 16u) << "after many others";
}

TEST(MergeSequences, PathsAreJoinedIfTheirEventsAre) {
  auto Number = [](std::vector<std::vector<uint32_t>> PathsA, uint64_t TimesA,
                   std::vector<std::vector<uint32_t>> PathsB, uint64_t TimesB) {
    Group Sides[2];
    Sequences Lists[2];
    const std::vector<std::vector<uint32_t>> Of[] = {PathsA, PathsB};
    const uint64_t Times[] = {TimesA, TimesB};
    for (uint32_t S = 0; S < 2; ++S) {
      RankedItems &X = Lists[S].emplace_back();
      X.Ranks = RankSet(S);
      for (uint32_t I = 0; I < Of[S].size(); ++I) {
        X.Items.push_back({false, add(Sides[S], TableId::Paths, {variant(RankSet(S), Of[S][I])})});
        X.Order.Rules[0].push_back({I, false, Times[S]});
      }
    }
    TableMerge M(Sides[0], Sides[1], World);
    KnownAlignments Known;
    const Sequences Out = mergeSequences(M, Known, TableId::Paths, {Lists[0], M.Sides[0], {}},
                                         {Lists[1], M.Sides[1], {}}, World, nullptr);
    for (uint32_t S = 0; S < 2; ++S)
      for (const RankedItems &X : Out)
        if (X.Ranks.contains(S)) {
          TerminalList Wanted;
          for (uint32_t I = 0; I < Of[S].size(); ++I)
            Wanted.insert(Wanted.end(), Times[S], I);
          EXPECT_EQ(expand(X.of(S, World)), Wanted);
          for (uint32_t I = 0; I < Of[S].size(); ++I)
            EXPECT_EQ(M.Out.variant(TableId::Paths, X.Items[I].Index, S).Tokens, Of[S][I]);
        }
    return Out.size();
  };
  EXPECT_EQ(Number({{1, 2}, {1}}, 3, {{1, 2}, {1}}, 3), 1u);
  EXPECT_EQ(Number({{1, 2}, {1}}, 3, {{1, 3}, {}}, 3), 1u) << "the same order of other paths";
  EXPECT_EQ(Number({{1, 2}, {1}}, 3, {{1, 2}, {1}}, 4), 1u) << "not as often";
  EXPECT_EQ(Number({{1, 2}, {1}}, 3, {{1, 3}, {}}, 4), 2u);
  EXPECT_EQ(Number({{1, 2}, {1}}, 3, {{1, 2}}, 3), 2u);
}
