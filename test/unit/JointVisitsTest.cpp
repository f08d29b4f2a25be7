// trace/file/JointVisits.h, JointVisits.cpp: numbers of visits that follow from the calls of all ranks, against those
// of each.
#include "trace/file/JointVisits.h"
#include "test/unit/Sequences.h"
#include "test/unit/Tables.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
/// A node with one event, whose calls each have some of the ranks.
struct Loop {
  Group G;
  NodeData N;
  uint32_t World;
  std::map<uint32_t, Numbers> Visits; ///< of each rank

  /// Order: of calls; Owners: the ranks of each.
  Loop(uint32_t World, const TerminalList &Order, const std::vector<RankSet> &Owners) : World(World) {
    RankedItems &X = N.Events[1].Items.emplace_back();
    X.Order = build(Order);
    for (const RankSet &Own : Owners) {
      X.Items.push_back({false, add(G, TableId::Signatures, {call(Own, 1, {})})});
      N.Ranks.unite(Own);
    }
    X.Ranks = N.Ranks;
  }
  /// Divides the calls: each rank visits as often as it has calls in a stretch.
  void divide(const Numbers &Stretches) {
    const RankedItems &X = N.Events[1].Items[0];
    const TerminalList Order = expand(X.Order);
    size_t At = 0;
    for (int64_t Length : Stretches) {
      std::map<uint32_t, int64_t> Own;
      for (int64_t I = 0; I < Length; ++I)
        G.table(TableId::Signatures)[X.Items[Order[At++]].Index][0].Ranks.forEach([&](uint32_t R) { ++Own[R]; });
      for (auto [R, Times] : Own)
        Visits[R].push_back(Times);
    }
    N.Visits.clear();
    for (const auto &[R, Own] : Visits)
      N.Visits.push_back({RankSet(R), streamOf(Own)});
  }
  std::optional<IntStreamData> join(uint64_t Work = 1 << 20) const { return joinVisits(G, N, World, Work); }
  /// Whether visits can be made of what is joint; they are compared.
  bool part(const IntStreamData &Joint, bool Compare = true) const {
    NodeData Read = N;
    Read.Visits.clear();
    ByteReader R({});
    partVisits(G, Read, Joint, R);
    for (const auto &[Rank, Own] : Visits) {
      if (!R.ok() || !Compare)
        break;
      unsigned Times = 0;
      for (const RankedStream &S : Read.Visits)
        if (S.Ranks.contains(Rank)) {
          ++Times;
          EXPECT_EQ(expand(S.of(Rank, World)), Own) << "rank " << Rank;
        }
      EXPECT_EQ(Times, 1u);
    }
    return R.ok();
  }
};
} // namespace

TEST(JointVisits, WhatIsJoinedIsPartedAgain) {
  for (unsigned Seed = 0; Seed < 400; ++Seed) {
    std::mt19937 Random(Seed);
    const uint32_t World = 1 + Random() % 10;
    std::vector<RankSet> Owners;
    for (unsigned I = 2 + Random() % 4; I--;)
      Owners.push_back(randomRanks(Random, World));
    Owners[0].unite(RankSet::below(World)); // each rank has some
    TerminalList Order;
    Numbers Stretches;
    for (unsigned I = 1 + Random() % 12; I--;) {
      Stretches.push_back(1 + Random() % 5);
      for (int64_t J = 0; J < Stretches.back(); ++J)
        Order.push_back(static_cast<uint32_t>(Random() % Owners.size()));
    }
    for (uint32_t T = 0; T < Owners.size(); ++T) { // and each call occurs
      Order.push_back(T);
      Stretches.push_back(1);
    }
    // Items are in the order of their first use.
    std::vector<RankSet> InOrder;
    std::map<uint32_t, uint32_t> Known;
    for (uint32_t &T : Order) {
      auto [It, New] = Known.try_emplace(T, static_cast<uint32_t>(Known.size()));
      if (New)
        InOrder.push_back(Owners[T]);
      T = It->second;
    }
    Loop L(World, Order, InOrder);
    L.divide(Stretches);
    EXPECT_TRUE(L.part(streamOf(Stretches))) << Seed;
    const auto Joint = L.join();
    ASSERT_TRUE(Joint) << Seed;
    EXPECT_LE(Joint->length(), Stretches.size());
    EXPECT_TRUE(L.part(*Joint)) << Seed;
  }
}

/// Ranks 0 to 2 with five calls: of all, of rank 0, of 1 and 2, of all, of 0.
static Loop five() { return Loop(3, {0, 1, 2, 0, 1}, {RankSet::below(3), RankSet(0), RankSet::between(1, 2)}); }

TEST(JointVisits, VisitsThatTheSequenceDoesNotSayAreNotJoined) {
  Loop L = five();
  L.divide({3, 2});
  ASSERT_TRUE(L.join());
  EXPECT_EQ(expand(*L.join()), (Numbers{3, 2}));
  auto Joins = [&](const Numbers &OfRank0) {
    Loop X = L;
    X.N.Visits[0].Values = streamOf(OfRank0);
    return X.join().has_value();
  };
  EXPECT_TRUE(Joins({2, 2}));
  EXPECT_FALSE(Joins({1, 3})) << "an activation of rank 1 would be cut";
  EXPECT_FALSE(Joins({2, 1})) << "fewer visits than calls";
  EXPECT_FALSE(Joins({2, 3})) << "more";
  EXPECT_FALSE(Joins({2, 2, 0})) << "an activation without visits";
  EXPECT_FALSE(Joins({2, 2, 1})) << "one more activation";
  EXPECT_FALSE(Joins({}));
  EXPECT_FALSE(Joins({1, 1, 1, 1, 1, 1, 1}));
}

TEST(JointVisits, NodesThatAreMoreThanOneSequenceOfCallsAreNotJoined) {
  auto Joins = [](void (*Change)(NodeData &)) {
    Loop L = five();
    L.divide({3, 2});
    Change(L.N);
    const bool Good = L.join().has_value();
    EXPECT_EQ(L.part(streamOf({3, 2}), false), Good) << "readers refuse what writers do not write";
    return Good;
  };
  EXPECT_TRUE(Joins([](NodeData &) {}));
  EXPECT_FALSE(Joins([](NodeData &N) { N.Events[2] = N.Events[1]; }));
  EXPECT_FALSE(Joins([](NodeData &N) {
    auto Event = N.Events.extract(1);
    Event.key() = 0;
    N.Events.insert(std::move(Event));
  }));
  EXPECT_FALSE(Joins([](NodeData &N) { N.Events[1].PassesToChange.emplace_back(); }));
  EXPECT_FALSE(Joins([](NodeData &N) { N.Events[1].UsualItems.emplace_back(); }));
  EXPECT_FALSE(Joins([](NodeData &N) { N.Events[1].Items.push_back(N.Events[1].Items[0]); }));
  EXPECT_FALSE(Joins([](NodeData &N) { N.Events[1].Items[0].Items[1].IsNode = true; }));
  EXPECT_FALSE(Joins([](NodeData &N) { N.Events[1].Items[0].Functions.emplace(0, RankFn(2)); }));
  EXPECT_FALSE(Joins([](NodeData &N) { N.Ranks.unite(RankSet(3)); }));
  EXPECT_FALSE(Joins([](NodeData &N) { N.Events.clear(); }));
}

TEST(JointVisits, WorkIsLimited) {
  Loop L = five();
  L.divide({3, 2});
  uint64_t Work = 14;
  EXPECT_FALSE(joinVisits(L.G, L.N, 3, Work)) << "five calls, three ranks";
  EXPECT_EQ(Work, 14u);
  Work = 100;
  EXPECT_TRUE(joinVisits(L.G, L.N, 3, Work));
  EXPECT_LE(Work, 100u - 15);
  Work = 16;
  EXPECT_FALSE(joinVisits(L.G, L.N, 3, Work)) << "too little to try";
}

TEST(JointVisits, DamagedStretchesAreRefused) {
  Loop L = five();
  L.divide({3, 2});
  auto Parts = [&](const Numbers &Of) { return L.part(streamOf(Of), false); };
  EXPECT_TRUE(Parts({3, 2}));
  EXPECT_TRUE(Parts({1, 1, 1, 1, 1}));
  EXPECT_FALSE(Parts({3, 1})) << "they end early";
  EXPECT_FALSE(Parts({3, 3})) << "they end late";
  EXPECT_FALSE(Parts({3, 2, 1}));
  EXPECT_FALSE(Parts({3, 0, 2}));
  EXPECT_FALSE(Parts({3, -1, 3}));
  // A rank without a call.
  L.N.Ranks.unite(RankSet(5));
  L.N.Events[1].Items[0].Ranks = L.N.Ranks;
  EXPECT_FALSE(Parts({3, 2}));
  // More than a reader takes.
  Loop Long(2, {0, 1}, {RankSet(0), RankSet(1)});
  Long.N.Events[1].Items[0].Order.Rules[0] = {{0, false, (1 << 19) - 1}, {1, false, 2}};
  NodeData N = Long.N;
  ByteReader R({});
  partVisits(Long.G, N, streamOf({(1 << 19) + 1}), R);
  EXPECT_TRUE(R.isTooLarge());
  EXPECT_FALSE(Long.join());
}
