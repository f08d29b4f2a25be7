// trace/merge/Reorder.h, Reorder.cpp: calls that no rank has both of come to stand at one place each; each rank keeps
// its calls.
#include "trace/merge/Reorder.h"
#include "test/unit/Sequences.h"
#include "test/unit/Tables.h"

#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
/// A call of some ranks; its site is as far in the program as its function is in the table.
struct Step {
  RankSet Ranks;
  uint32_t Function;
  int64_t Value;
};
} // namespace

static constexpr uint32_t World = 8;

static RankSet ranks(std::initializer_list<uint32_t> Of) {
  RankSet Out;
  for (uint32_t R : Of)
    Out.unite(RankSet(R));
  return Out;
}

static EventData &only(Group &G) { return G.Nodes[0].Events[0]; }

/// Each step is a place of its own in one sequence.
static Group groupOf(const std::vector<Step> &Steps, const TerminalList &Order) {
  Group G;
  G.Nodes[0].Ranks = RankSet::below(World);
  RankedItems X{G.ranks(), build(Order), {}};
  std::map<uint32_t, uint32_t> Sites;
  for (const Step &S : Steps) {
    auto [Site, New] = Sites.try_emplace(S.Function, 0);
    if (New)
      Site->second = addSite(G, "app", S.Function);
    const auto Number = static_cast<uint32_t>(only(G).Measures.size());
    Measure M;
    M.Place = {S.Function, Site->second + 1, 0};
    M.Duration.add(Spread::of(10 + S.Function, S.Ranks.first()));
    M.addGap({GapPath::Call, 0, Number}, M.Duration);
    only(G).Measures.push_back(M);
    const Variant V = call(S.Ranks, S.Function, {S.Value}, Site->second + 1);
    X.Items.push_back({false, add(G, TableId::Signatures, measured({V}, {Number}))});
  }
  only(G).Items.push_back(X);
  G.Timed = true;
  return G;
}

static std::vector<std::pair<uint32_t, int64_t>> callsOf(Group &G, uint32_t Rank, uint32_t Event = 0) {
  std::vector<std::pair<uint32_t, int64_t>> Out;
  const RankedItems &X = G.Nodes[0].Events[Event].Items[0];
  for (uint32_t T : expand(X.Order))
    if (const Variant *V = G.find(TableId::Signatures, X.Items[T].Index, Rank))
      Out.emplace_back(V->Tokens[0], V->Words[0].eval(Rank, {Rank, World}));
  return Out;
}

static std::vector<uint32_t> functions(Group &G, uint32_t Event = 0) {
  std::vector<uint32_t> Out;
  const RankedItems &X = G.Nodes[0].Events[Event].Items[0];
  for (uint32_t T : expand(X.Order))
    Out.push_back(G.table(TableId::Signatures)[X.Items[T].Index][0].Tokens[0]);
  return Out;
}

static void expectReordered(const std::vector<Step> &Steps, const TerminalList &Order,
                            const std::vector<uint32_t> &Wanted) {
  Group G = groupOf(Steps, Order), Before = G;
  EXPECT_EQ(reorder(G, World), functions(Before) != Wanted);
  EXPECT_EQ(functions(G), Wanted);
  for (uint32_t R = 0; R < World; ++R)
    EXPECT_EQ(callsOf(G, R), callsOf(Before, R)) << "rank " << R;
}

TEST(Reorder, CallsComeToStandAtOnePlace) {
  expectReordered({{ranks({0}), 2, 5}, {ranks({1, 2}), 1, 5}, {ranks({2}), 2, 6}}, {0, 1, 2}, {1, 2});
  expectReordered(
      {{ranks({0}), 2, 5}, {ranks({0}), 3, 5}, {ranks({1, 2}), 1, 5}, {ranks({2}), 2, 6}, {ranks({1, 2}), 3, 6}},
      {0, 1, 2, 3, 4}, {1, 2, 3});
  // In a loop.
  expectReordered({{ranks({0}), 2, 5}, {ranks({1, 2}), 1, 5}, {ranks({2}), 2, 6}}, {0, 1, 2, 0, 1, 2, 0, 1, 2},
                  {1, 2, 1, 2, 1, 2});
}

TEST(Reorder, CallsOfOneRankStayInTheirOrder) {
  expectReordered({{ranks({0}), 2, 5}, {ranks({0, 2}), 1, 5}, {ranks({2}), 2, 6}}, {0, 1, 2}, {2, 1, 2});
  expectReordered({{ranks({0}), 2, 5}, {ranks({0, 1}), 4, 5}, {ranks({1, 2}), 1, 5}, {ranks({2}), 2, 6}}, {0, 1, 2, 3},
                  {2, 4, 1, 2});
  expectReordered({{ranks({0}), 2, 5}, {ranks({0}), 1, 5}}, {0, 1}, {2, 1});
}

TEST(Reorder, OthersStandInTheOrderOfTheProgram) {
  expectReordered({{ranks({0}), 3, 5}, {ranks({1}), 2, 5}, {ranks({2}), 1, 5}}, {0, 1, 2}, {1, 2, 3});
  expectReordered({{ranks({0}), 3, 5}, {ranks({1, 0}), 2, 5}, {ranks({2}), 1, 5}}, {0, 1, 2}, {1, 3, 2});
  // What all ranks have is not passed.
  expectReordered({{ranks({0}), 3, 5}, {RankSet::below(World), 2, 5}, {ranks({2}), 1, 5}}, {0, 1, 2}, {3, 2, 1});
}

TEST(Reorder, WorkIsBoundedInAllEventsTogether) {
  // Function 2 comes to stand at one place. The many calls behind it cannot be joined, which is found out for each.
  constexpr uint32_t Symbols = 512, Events = 8;
  std::vector<Step> Steps{{ranks({0}), 2, 5}, {ranks({1, 2}), 1, 5}, {ranks({2}), 2, 6}};
  TerminalList Order{0, 1, 2};
  while (Order.size() < Symbols) {
    Order.push_back(static_cast<uint32_t>(Steps.size()));
    Steps.push_back({ranks({0}), 3, static_cast<int64_t>(Steps.size())});
  }
  Group G = groupOf(Steps, Order);
  const EventData First = only(G);
  for (uint32_t E = 1; E < Events; ++E) {
    EventData &Own = G.Nodes[0].Events[E] = First;
    for (Item &I : Own.Items[0].Items) {
      Entry Same = G.table(TableId::Signatures)[I.Index];
      I.Index = add(G, TableId::Signatures, std::move(Same));
    }
  }
  Group Before = G;
  EXPECT_TRUE(reorder(G, World));
  const std::vector<uint32_t> AsBefore = functions(Before);
  std::vector<uint32_t> Wanted = AsBefore;
  Wanted.erase(Wanted.begin());
  EXPECT_EQ(functions(G, 0), Wanted);
  EXPECT_EQ(functions(G, Events - 1), AsBefore);
  for (uint32_t E = 0; E < Events; ++E)
    for (uint32_t R = 0; R < 3; ++R)
      EXPECT_EQ(callsOf(G, R, E), callsOf(Before, R, E)) << "event " << E << ", rank " << R;
}

TEST(Reorder, EachOrderOfTheSameCallsIsLookedAt) {
  // Events that share their calls' contents. Where ranks 1 and 2 are before rank 0, nothing changes.
  const std::vector<Step> Steps{{ranks({0}), 2, 5}, {ranks({1, 2}), 1, 5}, {ranks({2}), 3, 6}};
  Group G = groupOf(Steps, {1, 0, 2});
  for (const TerminalList &Order : {TerminalList{1, 0, 2}, {0, 1, 2}, {1, 2, 0}, {1, 0, 2}, {0, 1, 2}}) {
    const auto Event = static_cast<uint32_t>(G.Nodes[0].Events.size());
    EventData &E = G.Nodes[0].Events[Event] = only(G);
    E.Items[0].Order = build(Order);
    for (Item &I : E.Items[0].Items)
      I.Index = add(G, TableId::Signatures, Entry(G.table(TableId::Signatures)[I.Index]));
  }
  Group Before = G;
  EXPECT_TRUE(reorder(G, World));
  for (uint32_t Event = 0; Event < G.Nodes[0].Events.size(); ++Event) {
    EXPECT_EQ(functions(G, Event), (std::vector<uint32_t>{1, 2, 3})) << "event " << Event;
    for (uint32_t R = 0; R < World; ++R)
      EXPECT_EQ(callsOf(G, R, Event), callsOf(Before, R, Event)) << "event " << Event << ", rank " << R;
  }
}

TEST(Reorder, RandomSequencesKeepTheirCalls) {
  std::mt19937 Random(1);
  size_t Fewer = 0;
  for (unsigned Round = 0; Round < 500; ++Round) {
    std::vector<Step> Steps;
    for (unsigned I = 2 + Random() % 12; I-- > 0;) {
      RankSet Of;
      for (uint32_t R = 0; R < World; ++R)
        if (Random() % 4 == 0)
          Of.unite(RankSet(R));
      if (Of.empty())
        Of = RankSet::below(World);
      Steps.push_back({Of, static_cast<uint32_t>(Random() % 4), static_cast<int64_t>(Random() % 3)});
    }
    TerminalList Once, Order;
    for (uint32_t I = 0; I < Steps.size(); ++I)
      Once.push_back(I);
    if (Random() % 2)
      Once.push_back(static_cast<uint32_t>(Random() % Steps.size()));
    for (unsigned I = 1 + Random() % 5; I-- > 0;)
      Order.insert(Order.end(), Once.begin(), Once.end());
    Group G = groupOf(Steps, Order), Before = G;
    reorder(G, World);
    for (uint32_t R = 0; R < World; ++R)
      ASSERT_EQ(callsOf(G, R), callsOf(Before, R)) << "round " << Round << ", rank " << R;
    Fewer += only(G).Items[0].Items.size() < Steps.size();
    // Times remain those of the function.
    std::map<uint32_t, uint64_t> Sums[2];
    for (Group *Of : {&G, &Before})
      for (const Measure &M : only(*Of).Measures)
        if (M.Duration.Count)
          Sums[Of == &G][M.Place.Function] += M.Duration.Sum;
    ASSERT_EQ(Sums[0], Sums[1]);
    for (const Item &I : only(G).Items[0].Items)
      for (const Entry &E = G.table(TableId::Signatures)[I.Index]; const Variant &V : E) {
        const Measure &M = only(G).Measures[E.measure(V)];
        ASSERT_EQ(M.Place.Function, V.Tokens[0]);
        ASSERT_TRUE(M.Duration.Count);
        for (const PathGap &P : M.Gaps)
          ASSERT_TRUE(only(G).Measures[P.Path.Which].Duration.Count);
      }
  }
  EXPECT_GT(Fewer, 50u);
}

TEST(Reorder, ObjectsThatAreTheSameBecomeOne) {
  Group G;
  std::vector<uint32_t> Objects;
  for (int64_t Number : {1, 1, 2})
    Objects.push_back(addObject(G, RankSet::below(2), Kind::Datatype, "", {Number, 8}));
  for (uint32_t O : Objects)
    add(G, TableId::Signatures, {variant(RankSet::below(2), {7, 0, 0, static_cast<uint32_t>(Tag::Object), O})});
  EXPECT_TRUE(reorder(G, World));
  auto Of = [&](size_t I) { return G.table(TableId::Signatures)[I][0].Tokens[4]; };
  EXPECT_EQ(Of(0), Of(1));
  EXPECT_NE(Of(0), Of(2));
  Group Regular = groupOf({{RankSet::below(World), 1, 5}}, {0, 0});
  EXPECT_FALSE(reorder(Regular, World));
}
