// trace/merge/Prune.cpp: what happened stays, on all ranks; what nobody had goes.
#include "test/unit/Sequences.h"
#include "test/unit/Tables.h"
#include "trace/merge/Merge.h"

#include <gtest/gtest.h>

#include <functional>

using namespace pilgrim;
using namespace pilgrim::test;

using Path = std::vector<uint32_t>;

/// The paths of each rank at a node, in the order of its visits.
static std::vector<Path> pathsOf(const Group &G, const NodeData &N, uint32_t Rank, uint32_t World) {
  std::vector<Path> Out;
  unsigned Own = 0;
  for (const RankedItems &X : N.Paths) {
    if (!X.Ranks.contains(Rank))
      continue;
    ++Own;
    for (uint32_t T : expand(X.of(Rank, World))) {
      const Variant &V = G.variant(TableId::Paths, X.Items[T].Index, Rank);
      EXPECT_TRUE(V.Ranks.contains(Rank));
      Out.push_back(V.Tokens);
    }
  }
  EXPECT_EQ(Own, 1u);
  return Out;
}

/// Gives a rank or several these paths. The same sets of ranks twice are damage.
static void addPaths(Group &G, NodeData &N, const RankSet &Ranks, const std::vector<Path> &Paths) {
  RankedItems &X = N.Paths.emplace_back();
  X.Ranks = Ranks;
  std::map<Path, uint32_t> Known;
  TerminalList S;
  for (const Path &P : Paths) {
    auto [It, New] = Known.try_emplace(P, static_cast<uint32_t>(X.Items.size()));
    if (New)
      X.Items.push_back({false, add(G, TableId::Paths, {variant(Ranks, P)})});
    S.push_back(It->second);
  }
  X.Order = build(S);
}

/// A body with a call at 1, an arm 2 with a call 3 and an arm 4 in it, in which is a loop 5, and a call 6.
static TraceData body(uint32_t World) {
  TraceData T;
  T.World = World;
  T.Ranks = RankSet::below(World);
  T.Regions.resize(2);
  T.Regions[0].Events = {{Region::Site, 1, 0, 0, ""}, {Region::Arm, 2, 0, 0, ""},  {Region::Call, 3, 2, 0, "f"},
                         {Region::Arm, 4, 2, 0, ""},  {Region::Loop, 5, 4, 1, ""}, {Region::Call, 6, 0, 0, "g"}};
  T.Regions[1].Events = {{Region::Site, 9, 0, 0, ""}};
  Group &G = T.Groups.emplace_back();
  G.Nodes.resize(2);
  G.Nodes[1].Event = 7;
  return T;
}

TEST(Prune, EventsOfItemsAndNodesStayWithTheirArms) {
  using Kinds = std::vector<Region::Kind>;
  auto Left = [](const std::function<void(Group &)> &Happens) {
    TraceData T = body(2);
    Happens(T.Groups[0]);
    prune(T);
    Kinds Out;
    for (const Region::Event &E : T.Regions[0].Events) {
      Out.push_back(E.K);
      EXPECT_TRUE(E.K != Region::Unknown || E == Region::Event());
    }
    return Out;
  };
  const auto None = Region::Unknown;
  EXPECT_EQ(Left([](Group &) {}), Kinds(6, None));
  EXPECT_EQ(Left([](Group &G) { G.Nodes[1].Events[1]; }), (Kinds{Region::Site, None, None, None, None, None}));
  EXPECT_EQ(Left([](Group &G) { G.Nodes[1].Events[3]; }), (Kinds{None, Region::Arm, Region::Call, None, None, None}));
  EXPECT_EQ(Left([](Group &G) { G.Nodes[1].Events[6]; }), (Kinds{None, None, None, None, None, Region::Call}));
  // A loop that was activated: by the node that is in it. Both arms are needed.
  EXPECT_EQ(Left([](Group &G) {
              NodeData &Inner = G.Nodes.emplace_back();
              Inner.Parent = 1;
              Inner.Event = 5;
              Inner.Region = 1;
            }),
            (Kinds{None, Region::Arm, None, Region::Arm, Region::Loop, None}));
  // What another thread does counts.
  TraceData T = body(2);
  T.Groups.push_back(T.Groups[0]);
  T.Groups[1].Nodes[1].Events[6];
  prune(T);
  EXPECT_EQ(T.Regions[0].Events[5].K, Region::Call);
}

TEST(Prune, EachRankKeepsItsPaths) {
  for (unsigned Seed = 0; Seed < 300; ++Seed) {
    std::mt19937 Random(Seed);
    const uint32_t World = 1 + Random() % 8;
    TraceData T = body(World);
    Group &G = T.Groups[0];
    for (uint32_t Event : {1, 3, 5, 6})
      if (Random() % 2)
        G.Nodes[1].Events[Event];
    std::vector<std::vector<Path>> Of(World);
    for (uint32_t R = 0; R < World; ++R) {
      for (unsigned I = 1 + Random() % 12; I--;) {
        Path P;
        for (uint32_t Event = 1; Event <= 6; ++Event)
          if (Random() % 4)
            P.push_back(Event);
        Of[R].push_back(P);
      }
      if (R && Random() % 3 == 0)
        Of[R] = Of[R - 1];
      addPaths(G, G.Nodes[1], RankSet(R), Of[R]);
    }
    prune(T);
    std::set<std::vector<Path>> Different;
    for (uint32_t R = 0; R < World; ++R) {
      for (Path &P : Of[R])
        std::erase_if(P, [&](uint32_t E) { return T.Regions[0].Events[E - 1].K == Region::Unknown; });
      Different.insert(Of[R]);
      ASSERT_EQ(pathsOf(G, G.Nodes[1], R, World), Of[R]) << Seed << ", rank " << R;
    }
    EXPECT_EQ(G.Nodes[1].Paths.size(), Different.size()) << "those that are the same now are one";
  }
}

TEST(Prune, VariantsThatAreTheSameNowAreOne) {
  TraceData T = body(4);
  Group &G = T.Groups[0];
  G.Nodes[1].Events[1];
  // Two paths that differ by rank in what nobody has, and two that differ in what is used, and from each other.
  RankedItems &X = G.Nodes[1].Paths.emplace_back();
  X.Ranks = T.Ranks;
  const auto A = add(G, TableId::Paths, {variant(RankSet::below(2), {1, 6}), variant(RankSet::between(2, 3), {1})});
  const auto B = add(G, TableId::Paths, {variant(RankSet::below(2), {1}), variant(RankSet::between(2, 3), {1, 2})});
  const auto C = add(G, TableId::Paths, {variant(RankSet::below(3), {1}), variant(RankSet(3), {})});
  const auto D = add(G, TableId::Paths, {variant(RankSet::below(1), {1}), variant(RankSet::between(1, 3), {})});
  X.Items = {{false, A}, {false, B}, {false, C}, {false, D}};
  X.Order = build({0, 1, 2, 0, 2, 3});
  prune(T);
  const RankedItems &Now = G.Nodes[1].Paths[0];
  ASSERT_EQ(Now.Items.size(), 3u);
  EXPECT_EQ(expand(Now.Order), (TerminalList{0, 0, 1, 0, 1, 2}));
  EXPECT_EQ(G.table(TableId::Paths)[Now.Items[0].Index].size(), 1u);
  EXPECT_EQ(G.table(TableId::Paths)[Now.Items[0].Index][0].Ranks, T.Ranks);
  EXPECT_EQ(G.table(TableId::Paths)[Now.Items[1].Index].size(), 2u);
}

TEST(Prune, CountsByRankStay) {
  TraceData T = body(3);
  Group &G = T.Groups[0];
  G.Nodes[1].Events[1];
  // Paths that become the same, one of them as often as the rank says.
  addPaths(G, G.Nodes[1], T.Ranks, {{1, 6}, {1, 6}, {1}});
  RankedItems &X = G.Nodes[1].Paths[0];
  ASSERT_EQ(X.Order.Rules[0].size(), 2u);
  X.Functions.emplace(0, offset(2, 3));
  prune(T);
  for (uint32_t R = 0; R < 3; ++R)
    EXPECT_EQ(pathsOf(G, G.Nodes[1], R, 3), std::vector<Path>(R + 3, {1}));
}
