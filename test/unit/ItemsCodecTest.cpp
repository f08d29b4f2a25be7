// trace/file/EncodeItems.h, EncodeItems.cpp, DecodeItems.h, DecodeItems.cpp: sequences of calls, of activations and of
// paths, as few bytes, which each rank's sequence follows from.
#include "test/unit/Sequences.h"
#include "test/unit/Tables.h"
#include "test/unit/TreeText.h"
#include "trace/file/Decoder.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

using Bytes = std::vector<uint64_t>; // all below 128

namespace {
/// Ranks of a world, or all but the last. The thread calls a body so often, which has a site, a loop, and a call of
/// something that was not compiled with markers; the loop has a site.
struct Program {
  TraceData T;
  uint64_t Visits;

  explicit Program(uint32_t Ranks, uint64_t Visits, bool AreAll = true) : Visits(Visits) {
    T.World = Ranks + !AreAll;
    T.Ranks = RankSet::below(Ranks);
    for (uint32_t Id : {1u, 2u}) {
      T.Functions[Id].Id = Id;
      T.Functions[Id].Name = "F" + std::to_string(Id);
      T.Functions[Id].Slots.resize(1);
    }
    T.Regions.resize(2);
    for (uint32_t I = 0; I < 2; ++I) {
      T.Regions[I].Index = I;
      T.Regions[I].Name = "main";
      T.Regions[I].File = "main.c";
    }
    T.Regions[0].Events = {
        {Region::Site, 1, 0, 0, "F1"}, {Region::Loop, 2, 0, 1, ""}, {Region::Call, 3, 0, 0, "other"}};
    T.Regions[1].Events = {{Region::Site, 4, 0, 0, "F2"}};
    G().Nodes.resize(2);
    G().Nodes[0].Ranks = T.Ranks;
    G().Nodes[0].Events[0].Items = {{T.Ranks, build({0}), {{true, 1}}}};
    NodeData &N = G().Nodes[1];
    N.Ranks = T.Ranks;
    N.Visits = {{T.Ranks, streamOf({static_cast<int64_t>(Visits)})}};
    N.Paths = {{T.Ranks, times(Visits), {path(T.Ranks, {1, 2, 3})}}};
  }
  Group &G() {
    if (T.Groups.empty())
      T.Groups.emplace_back();
    return T.Groups[0];
  }
  NodeData &body() { return G().Nodes[1]; }
  static GrammarData times(uint64_t N) { return {{{{0, false, N}}}}; }
  Item path(const RankSet &Ranks, std::vector<uint32_t> Events) {
    return {false, add(G(), TableId::Paths, {variant(Ranks, std::move(Events))})};
  }
  Item call(const RankSet &Ranks, int64_t Value) {
    return {false, add(G(), TableId::Signatures, {test::call(Ranks, 1, {Value})})};
  }
  /// A node inside of the body, visited once at each activation.
  Item inside(uint32_t Event, const RankSet &Ranks, uint64_t Activations, uint32_t Region = 1) {
    NodeData N;
    N.Parent = 1;
    N.Event = Event;
    N.Region = Region;
    N.Ranks = Ranks;
    N.Visits = {{Ranks, {{{1, 0, Activations}}, times(1)}}};
    N.Paths = {{Ranks, times(Activations), {path(Ranks, {1})}}};
    G().Nodes.push_back(N);
    return {true, static_cast<uint32_t>(G().Nodes.size() - 1)};
  }
  /// The section behind the head of the body, which is visited twice or more; what is read is compared.
  Bytes bytes() const {
    const auto All = expectKept(T).Calls;
    const size_t Head = 1 + 1 + written(T.Ranks).size() + 7 + 3; // group, root, body
    return Bytes(All.begin() + static_cast<ptrdiff_t>(Head), All.end());
  }
};
} // namespace

static constexpr uint64_t Items = EventHead::Items, Nothing = EventHead::Nothing;

TEST(ItemsCodec, OneItemAgainAndAgain) {
  Program P(4, 6);
  P.body().Events[1].Items = {{P.T.Ranks, Program::times(6), {P.call(P.T.Ranks, 5)}}};
  EXPECT_EQ(P.bytes(), (Bytes{0, Nothing, Nothing}));
  // Two sets of ranks whose calls are equal are one.
  P.body().Events[1].Items = {{RankSet::below(2), Program::times(6), {P.call(RankSet::below(2), 5)}},
                              {RankSet::between(2, 3), Program::times(6), {P.call(RankSet::between(2, 3), 5)}}};
  EXPECT_EQ(P.bytes(), (Bytes{0, Nothing, Nothing}));
  // Other values: a list for each, of ranks, always, and the call.
  P.body().Events[1].Items[1].Items = {P.call(RankSet::between(2, 3), 6)};
  EXPECT_EQ(P.bytes(), (Bytes{Items, 5, 1, 0, 4, 0, 0, 1, 4, 4, 0, 0, Nothing, Nothing}));
  // Not as often as there are visits: its order is said.
  P.body().Events[1].Items = {{P.T.Ranks, Program::times(5), {P.call(P.T.Ranks, 5)}}};
  EXPECT_GT(P.bytes().size(), 3u);
}

TEST(ItemsCodec, SeveralItemsAgainAndAgain) {
  Program P(4, 6);
  auto Write = [&](GrammarData Order) {
    P.body().Events[1].Items = {{P.T.Ranks, std::move(Order), {P.call(P.T.Ranks, 5), P.call(P.T.Ranks, 7)}}};
    return P.bytes();
  };
  // Three times the two: as a rule, the length of which follows.
  GrammarData Repeats{{{{1, true, 3}}, {{0, false, 1}, {1, false, 1}}}};
  const Bytes Repeated = Write(Repeats);
  EXPECT_EQ(Repeated[2], 1u << 1 | 1) << "rules, and that they are repeated";
  Repeats.Rules[0][0].Count = 2;
  EXPECT_EQ(Write(Repeats)[2], 2u << 1) << "not as often as there are visits";
  EXPECT_EQ(Write({{{{0, false, 3}, {1, false, 3}}}})[2], 1u << 1);
  // Rules in the rule.
  Write({{{{1, true, 2}}, {{2, true, 1}, {1, false, 1}}, {{0, false, 2}}}});
}

TEST(ItemsCodec, CountsThatAreFunctionsOfTheRank) {
  Program P(4, 8);
  RankedItems X{P.T.Ranks, {{{{0, false, 2}, {1, false, 2}}}}, {P.call(P.T.Ranks, 5), P.call(P.T.Ranks, 7)}};
  X.Functions.emplace(0, offset(1, 4));
  X.Functions.emplace(1, RankFn::ofValues({7, 6, 5, 4}, P.T.Ranks));
  P.body().Events[1].Items = {X};
  expectKept(P.T);
  // As often as a node is visited, by rank: nothing is said.
  Program Q(4, 8);
  NodeData &N = Q.body();
  RankedStream Visits{Q.T.Ranks, {{{2, 0, 1}}, Program::times(1)}};
  Visits.Functions.emplace(0, offset(3, 4));
  N.Visits = {Visits};
  N.Paths[0].Functions.emplace(0, offset(3, 4));
  N.Events[1].Items = {{Q.T.Ranks, Program::times(2), {Q.call(Q.T.Ranks, 5)}}};
  N.Events[1].Items[0].Functions.emplace(0, offset(3, 4));
  const auto Calls = expectKept(Q.T).Calls;
  EXPECT_EQ(Bytes(Calls.end() - 3, Calls.end()), (Bytes{0, Nothing, Nothing}));
}

TEST(ItemsCodec, ActivationsOfNodes) {
  Program P(4, 6);
  P.body().Events[2].Items = {{P.T.Ranks, Program::times(6), {P.inside(2, P.T.Ranks, 6)}}};
  EXPECT_EQ(P.bytes(), (Bytes{Nothing, 0, Nothing, 0, Nothing})) << "the loop's own region";
  P.body().Events.clear();
  P.G().Nodes.resize(2);
  P.body().Events[3].Items = {{P.T.Ranks, Program::times(6), {P.inside(3, P.T.Ranks, 6)}}};
  EXPECT_EQ(P.bytes(), (Bytes{Nothing, Nothing, EventHead::OtherItem + 2, 1, 0, Nothing})) << "a region that is named";
  // One node, another one, and the first again; and by turns a call.
  P.body().Events.clear();
  P.G().Nodes.resize(2);
  const Item First = P.inside(2, P.T.Ranks, 4), Second = P.inside(2, P.T.Ranks, 1, 0), Call = P.call(P.T.Ranks, 5);
  P.body().Events[2].Items = {{P.T.Ranks, build({0, 1, 0, 2, 0, 0}), {First, Second, Call}}};
  P.G().Nodes[3].Paths[0].Items = {P.path(P.T.Ranks, {})};
  expectKept(P.T);
  // Ranks of two sequences share a node.
  P.body().Events.clear();
  P.G().Nodes.resize(2);
  const Item Shared = P.inside(2, P.T.Ranks, 1);
  const RankSet A = RankSet::below(1), B = RankSet::between(1, 3);
  P.body().Events[2].Items = {{A, build({0, 1, 1, 1, 1, 1}), {Shared, P.call(A, 1)}},
                              {B, build({0, 1, 0, 0, 0, 0}), {P.call(B, 2), Shared}}};
  expectKept(P.T);
}

TEST(ItemsCodec, PathsAsMasks) {
  Program P(4, 6, false);
  auto Write = [&](std::vector<RankedItems> Paths) {
    P.body().Paths = std::move(Paths);
    const auto Calls = expectKept(P.T).Calls;
    return Bytes(Calls.begin() + 1 + 1 + static_cast<ptrdiff_t>(written(P.T.Ranks).size()) + 7, Calls.end());
  };
  const uint64_t Listed = NodeHead::Listed, OnePath = NodeHead::Listed | uint64_t(NodeHead::OnePath);
  const RankSet A = RankSet::below(2), B = RankSet::between(2, 3);
  P.body().Events[1].Items = {{P.T.Ranks, Program::times(6), {P.call(P.T.Ranks, 5)}}};
  EXPECT_EQ(Write({{P.T.Ranks, Program::times(6), {P.path(P.T.Ranks, {1, 2})}}}), (Bytes{Listed, 2, 6, 0, Nothing}))
      << "what nobody came by is not there";
  EXPECT_EQ(Write({{A, Program::times(6), {P.path(A, {1, 2})}}, {B, Program::times(6), {P.path(B, {1, 2})}}}),
            (Bytes{Listed, 2, 6, 0, Nothing}))
      << "both are the same";
  const Item Half = P.path(P.T.Ranks, {1}), Whole = P.path(P.T.Ranks, {1, 2, 3});
  const Bytes Two = Write({{P.T.Ranks, build({0, 1, 0, 1, 0, 0}), {Half, Whole}}});
  EXPECT_EQ(Two[0], Listed | NodeHead::ListedPaths);
  EXPECT_EQ(Bytes(Two.end() - 5, Two.end()), (Bytes{6 << 1, 0, 0, Nothing, Nothing})) << "events 2 and 3 are left out";
  // Paths by rank at one place.
  const Item ByRank{false, add(P.G(), TableId::Paths, {variant(A, {1}), variant(B, {1, 2, 3})})};
  EXPECT_EQ(Write({{P.T.Ranks, Program::times(6), {ByRank}}})[3], uint64_t(PathCode::ByRank));
  EXPECT_EQ(Write({{P.T.Ranks, Program::times(6), {ByRank}}})[0], OnePath);
  // A path that is not in order has no mask: it stands in the table.
  EXPECT_EQ(Write({{P.T.Ranks, Program::times(6), {P.path(P.T.Ranks, {2, 1})}}})[3], uint64_t(PathCode::Step));
}

TEST(ItemsCodec, DamagedItemsAreRefused) {
  Program P(4, 6);
  P.body().Events[2].Items = {{P.T.Ranks, Program::times(6), {P.inside(2, P.T.Ranks, 6)}}};
  const SectionBytes Good = encodeSections(P.T);
  // At the end: nothing, the loop, nothing; of the loop its head, nothing.
  auto Reads = [&](const Bytes &Event) {
    SectionBytes S = Good;
    S.Calls.resize(S.Calls.size() - 5);
    S.Calls.insert(S.Calls.end(), Event.begin(), Event.end());
    return decodeSections(S).has_value();
  };
  constexpr uint64_t One = EventHead::OtherItem;
  EXPECT_TRUE(Reads({Nothing, 0, Nothing, 0, Nothing}));
  EXPECT_TRUE(Reads({Nothing, One + 2, 1, Nothing, 0, Nothing})) << "its region, but said";
  EXPECT_FALSE(Reads({Nothing, One + 2, 2, Nothing, 0, Nothing})) << "no such region";
  EXPECT_FALSE(Reads({Nothing, One + 4, Nothing, 0, Nothing})) << "a node again that was not there";
  EXPECT_FALSE(Reads({Nothing, One + 1, Nothing, 0, Nothing})) << "no call is in the table";
  EXPECT_FALSE(Reads({0, 0, Nothing, 0, Nothing}));
  // Lists: always; in an order of six; of one that would be repeated; of two when six is no multiple of four.
  EXPECT_TRUE(Reads({Nothing, Items, 2, 0, 0, Nothing, 0, Nothing}));
  EXPECT_TRUE(Reads({Nothing, Items, 2, 2, 1, 0, 0, Nothing, 0, Nothing}));
  EXPECT_FALSE(Reads({Nothing, Items, 4, 0, 0, Nothing, 0, Nothing})) << "two lists without ranks";
  EXPECT_FALSE(Reads({Nothing, Items, 3, 0, 0, 0, Nothing, 0, Nothing})) << "no rank";
  EXPECT_FALSE(Reads({Nothing, Items, 2, 3, 1, 0, 0, Nothing, 0, Nothing})) << "one is too short to be repeated";
}
