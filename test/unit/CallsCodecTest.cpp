// trace/file/EncodeCalls.cpp, DecodeCalls.cpp: the tree of nodes of each rank, and what there is of visits and streams.
#include "test/unit/Samples.h"
#include "test/unit/TreeText.h"
#include "trace/file/Decoder.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace pilgrim;
using namespace pilgrim::test;

using Bytes = std::vector<uint64_t>; // all below 128

TEST(CallsCodec, SamplesAreKept) {
  for (const Sample &S : Samples) {
    SCOPED_TRACE(S.Name);
    if (std::string(S.Name) != "large")
      expectKept(S.Make());
  }
}

/// Of different sorts, which do not overlap.
static uint64_t bits(std::initializer_list<uint64_t> L) { return std::accumulate(L.begin(), L.end(), uint64_t(0)); }

namespace {
/// Two ranks; a body that the thread calls, with three events: a site, an arm, and a site in the arm.
struct Body {
  static constexpr uint32_t World = 2;
  TraceData T;

  explicit Body(uint64_t Visits, bool IsWorld = true) {
    T.World = IsWorld ? World : World + 1;
    T.Ranks = RankSet::below(World);
    for (uint32_t Id : {4u, 8u}) {
      T.Functions[Id].Id = Id;
      T.Functions[Id].Name = "F" + std::to_string(Id);
      T.Functions[Id].Slots.resize(1);
    }
    Region &X = T.Regions.emplace_back();
    X.Name = "main";
    X.File = "main.c";
    X.Events = {{Region::Site, 1, 0, 0, "F4"}, {Region::Arm, 2, 0, 1, ""}, {Region::Site, 3, 2, 0, "F8"}};
    Group &G = T.Groups.emplace_back();
    G.Nodes.resize(2);
    NodeData &N = G.Nodes[1];
    G.Nodes[0].Ranks = N.Ranks = T.Ranks;
    G.Nodes[0].Events[0].Items = {{T.Ranks, times(1), {{true, 1}}}};
    N.Visits = {{T.Ranks, streamOf({static_cast<int64_t>(Visits)})}};
    N.Paths = {{T.Ranks, times(Visits), {path(T.Ranks, {1, 2, 3})}}};
    N.Events[1].Items = {{T.Ranks, times(Visits), {call(4, 0)}}};
    N.Events[3].Items = {{T.Ranks, times(Visits), {call(8, 0)}}};
  }
  NodeData &node() { return T.Groups[0].Nodes[1]; }
  static GrammarData times(uint64_t N) { return {{{{0, false, N}}}}; }
  Item path(const RankSet &Ranks, std::vector<uint32_t> Events) {
    Table &Paths = T.Groups[0].table(TableId::Paths);
    Paths.push_back({{Ranks, std::move(Events), {}}});
    return {false, static_cast<uint32_t>(Paths.size() - 1)};
  }
  Item call(uint32_t Function, int64_t Value) { return call(Function, Value, T.Ranks); }
  Item call(uint32_t Function, int64_t Value, const RankSet &Ranks) {
    Table &Calls = T.Groups[0].table(TableId::Signatures);
    Calls.push_back({{Ranks, {Function, 0, 0, static_cast<uint32_t>(Tag::Word)}, {RankFn(Value)}}});
    return {false, static_cast<uint32_t>(Calls.size() - 1)};
  }
  /// The section, without the group and the root's event; what is read is compared.
  Bytes bytes() const {
    const std::vector<uint8_t> All = expectKept(T).Calls;
    // Groups, thread, ranks; items, one list, an order of one symbol, a new node of region 0, which is not expected.
    const Bytes Head{1, 0, 1, 0, 4, EventHead::Items, 2, 2, 1, 0, 3, 0};
    EXPECT_TRUE(All.size() >= Head.size() && std::equal(Head.begin(), Head.end(), All.begin()));
    return Bytes(All.begin() + static_cast<ptrdiff_t>(Head.size()), All.end());
  }
};
} // namespace

TEST(CallsCodec, WhatIsUsualTakesAByte) {
  EXPECT_EQ(Body(1).bytes(), (Bytes{NodeHead::Once, 0, 0}));
  EXPECT_EQ(Body(5).bytes(), (Bytes{NodeHead::Listed, 2, 5, 0, 0}));
  Body Path(1);
  Path.node().Paths = {{Path.T.Ranks, Body::times(1), {Path.path(Path.T.Ranks, {1})}}};
  Path.node().Events.erase(3);
  // Without the arm no visit came by it, and the region does not have it.
  EXPECT_EQ(Path.bytes(), (Bytes{NodeHead::Once, 0}));
  Body Arm(1);
  Arm.node().Paths = {{Arm.T.Ranks, Body::times(1), {Arm.path(Arm.T.Ranks, {1, 2})}}};
  Arm.node().Events[2] = Arm.node().Events.extract(3).mapped();
  EXPECT_EQ(Arm.bytes(), (Bytes{bits({NodeHead::Once, NodeHead::Arms}), 0, 0})) << "a call at the arm itself";
  Body Nothing(1);
  Nothing.node().Events.erase(1);
  const Bytes Two = Nothing.bytes();
  EXPECT_EQ(Two, (Bytes{NodeHead::Once, EventHead::Nothing, EventHead::UsualItem})) << "the event was met on the path";
}

TEST(CallsCodec, ItemsThatChangeTheirNumber) {
  // Two at each pass from the first on.
  Body Same(3);
  EventData &E = Same.node().Events[1];
  E.Items[0].Order = Body::times(6);
  E.PassesToChange = {{Same.T.Ranks, streamOf({0})}};
  E.UsualItems = {{Same.T.Ranks, streamOf({2})}};
  EXPECT_EQ(Same.bytes(),
            (Bytes{NodeHead::Listed, 2, 3, bits({EventHead::Items, EventHead::SameNumber}), 2, 2, 0, 0, 0}));
  // Three from the second pass on.
  Body Later = Same;
  EventData &L = Later.node().Events[1];
  L.Items[0].Order = Body::times(7);
  L.PassesToChange[0].Values = streamOf({1});
  L.UsualItems[0].Values = streamOf({3});
  EXPECT_EQ(Later.bytes()[3], bits({EventHead::Items, EventHead::Changes}));
  // Of one of the ranks.
  Body Some(3);
  EventData &S = Some.node().Events[1];
  S.Items = {{RankSet(0), Body::times(6), {Some.call(4, 7, RankSet(0))}},
             {RankSet(1), Body::times(3), {Some.call(4, 8, RankSet(1))}}};
  S.PassesToChange = {{RankSet(0), streamOf({0})}};
  S.UsualItems = {{RankSet(0), streamOf({2})}};
  EXPECT_EQ(Some.bytes()[3], bits({EventHead::Items, EventHead::Changes}));
}

TEST(CallsCodec, EventZeroAndColumns) {
  Body B(2);
  EventData &Zero = B.node().Events[0];
  Zero.Items = {{B.T.Ranks, Body::times(1), {B.call(8, 3)}}};
  Zero.PassesToChange = {{B.T.Ranks, streamOf({1})}};
  Zero.UsualItems = {{B.T.Ranks, streamOf({1})}};
  EXPECT_EQ(B.bytes()[0], bits({NodeHead::Listed, NodeHead::EventZero}));
  EventData &E = B.node().Events[1];
  B.T.Groups[0].table(TableId::Signatures)[E.Items[0].Items[0].Index].own()[0] = {
      B.T.Ranks, {4, 0, 0, static_cast<uint32_t>(Tag::Stream), static_cast<uint32_t>(Tag::Word)}, {}};
  E.Streams[{4, 0, 0, 0}] = {{RankSet(0), streamOf({7, 9})}, {RankSet(1), streamOf({9, 1})}};
  expectKept(B.T);
}

TEST(CallsCodec, VisitsAndPathsByRank) {
  Body B(1, false);
  NodeData &N = B.node();
  N.Visits = {{RankSet(0), streamOf({2})}, {RankSet(1), streamOf({3})}};
  N.Paths = {{RankSet(0), build({0, 1}), {B.path(RankSet(0), {1, 2, 3}), B.path(RankSet(0), {1})}},
             {RankSet(1), build({0, 1, 1}), {B.path(RankSet(1), {2, 3}), B.path(RankSet(1), {1, 2, 3})}}};
  N.Events[1].Items = {{B.T.Ranks, Body::times(2), {B.call(4, 0)}}};
  N.Events[3].Items = {{RankSet(0), Body::times(1), {B.call(8, 0, RankSet(0))}},
                       {RankSet(1), Body::times(3), {B.call(8, 0, RankSet(1))}}};
  // The numbers of functions are written as functions by rank.
  EXPECT_EQ(B.bytes()[0], bits({NodeHead::Listed, NodeHead::ListedPaths}));
}

TEST(CallsCodec, GroupsStandInTheOrderOfTheirThreads) {
  Body B(1);
  Group Second = B.T.Groups[0];
  Second.Thread = 5;
  B.T.Groups.push_back(Second);
  B.T.TurnThreads = {{B.T.Ranks, streamOf({0, 5, 0})}};
  B.T.TurnLengths = {{B.T.Ranks, streamOf({2, 5, 3})}};
  expectKept(B.T);
  B.T.Groups[1].Thread = 0;
  EXPECT_FALSE(decodeSections(encodeSections(B.T)));
  B.T.Groups[1].Thread = 5;
  B.T.Groups[1].Nodes[0].Ranks = RankSet::below(3);
  EXPECT_FALSE(decodeSections(encodeSections(B.T))) << "ranks that the trace lacks";
}

TEST(CallsCodec, DamagedNodesAreRefused) {
  const Body B(5);
  const SectionBytes Good = encodeSections(B.T);
  const size_t Begin = Good.Calls.size() - 5; // head, one, five, and two events
  auto Reads = [&](size_t Place, const Bytes &New, size_t Old = 1) {
    SectionBytes S = Good;
    const auto At = S.Calls.erase(S.Calls.begin() + static_cast<ptrdiff_t>(Begin + Place),
                                  S.Calls.begin() + static_cast<ptrdiff_t>(Begin + Place + Old));
    S.Calls.insert(At, New.begin(), New.end());
    return decodeSections(S).has_value();
  };
  EXPECT_TRUE(Reads(0, {NodeHead::Listed}));
  EXPECT_TRUE(Reads(0, {NodeHead::Once}, 3));
  EXPECT_FALSE(Reads(0, {bits({NodeHead::Listed, NodeHead::PathsMask})})) << "paths in two ways";
  EXPECT_FALSE(Reads(0, {64})) << "unknown bits";
  EXPECT_TRUE(Reads(0, {bits({NodeHead::Listed, NodeHead::OnePath}), 2, 5, 0}, 3));
  EXPECT_FALSE(Reads(0, {bits({NodeHead::Listed, NodeHead::OnePath}), 2, 5, 16}, 3)) << "a mask of more events";
  EXPECT_FALSE(Reads(1, {4})) << "several variants without ranks";
  EXPECT_FALSE(Reads(0, {NodeHead::JointEqual, 1}, 3)) << "one call for all ranks";
  EXPECT_FALSE(Reads(0, {bits({NodeHead::Joint, NodeHead::EventZero}), 1}, 3));
  // Events: a number in two ways, or of none.
  EXPECT_TRUE(Reads(3, {bits({EventHead::Items, EventHead::SameNumber}), 3, 2, 0, 0}));
  EXPECT_FALSE(Reads(3, {bits({EventHead::Items, EventHead::SameNumber}), 0, 2, 0, 0}));
  EXPECT_FALSE(Reads(3, {bits({EventHead::Items, EventHead::SameNumber, EventHead::Changes}), 3, 0, 0, 2, 0, 0}));
  EXPECT_TRUE(Reads(4, {EventHead::Nothing}));
  EXPECT_FALSE(Reads(4, {EventHead::Nothing, 0})) << "bytes are left over";
}
