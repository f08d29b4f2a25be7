// trace/merge/MergeMeasures.h, MergeMeasures.cpp: what belongs together is added up, and nothing is lost.
#include "trace/merge/MergeMeasures.h"
#include "test/unit/RootGroup.h"
#include "test/unit/Tables.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
/// Two sides with an event each.
struct Event {
  Group Sides[2];
  EventData Events[2];

  /// A new item of a side. Measures: of its variants; a new measure has so many calls.
  Item add(unsigned Side, const std::vector<Variant> &Variants, const std::vector<uint32_t> &Measures) {
    EventData &E = Events[Side];
    for (size_t I = 0; I < Variants.size(); ++I) {
      while (E.Measures.size() <= Measures[I])
        E.Measures.push_back(measureOf({}, Side * 100 + E.Measures.size() + 1, 10, 3));
      E.Measures[Measures[I]].Place = placeOf(Variants[I]);
    }
    if (E.Items.empty())
      E.Items.emplace_back();
    E.Items[0].Items.push_back({false, test::add(Sides[Side], TableId::Signatures, measured(Variants, Measures))});
    return E.Items[0].Items.back();
  }
};
} // namespace

/// Node 0 is node 0.
static const std::vector<uint32_t> Same{0}, Other{0, 2};
static const MeasureMerge::NodeNumbers Nodes{&Same, &Other};

static const Entry &entry(TableMerge &M, unsigned Side, const Item &I) {
  return M.Sides[Side].G.table(TableId::Signatures)[I.Index];
}

/// Copies all items of both sides into the result.
static EventData copied(TableMerge &M, const EventData &A, const EventData &B) {
  EventData To;
  To.Items.emplace_back();
  const EventData *Both[] = {&A, &B};
  for (unsigned S = 0; S < 2; ++S)
    for (const RankedItems &X : Both[S]->Items)
      for (const Item &I : X.Items)
        To.Items[0].Items.push_back({I.IsNode, I.IsNode ? 0 : M.copyEntry(M.Sides[S], TableId::Signatures, I.Index)});
  return To;
}

static uint32_t measureAt(const TableMerge &M, size_t Index, size_t Variant = 0) {
  return M.Out.table(TableId::Signatures)[Index].measure(Variant);
}

TEST(MergeMeasures, EqualCallsAtOnePlaceShareAMeasure) {
  Event E;
  const Item A0 = E.add(0, {call(RankSet(0), 1, {5})}, {0}), A1 = E.add(0, {call(RankSet(0), 2, {})}, {1});
  E.add(1, {call(RankSet(1), 2, {})}, {0});
  const Item B1 = E.add(1, {call(RankSet(1), 1, {7})}, {1});
  E.Events[1].Items[0].Items.push_back({true, 3});
  TableMerge M(E.Sides[0], E.Sides[1], 4);
  MeasureMerge Measures(M, true, E.Events[0], E.Events[1], Nodes);
  Measures.unite(entry(M, 0, A0), entry(M, 1, B1));
  Measures.unite(entry(M, 0, A1), entry(M, 1, B1)); // not of the same function
  EventData To = copied(M, E.Events[0], E.Events[1]);
  Measures.finish(To);
  // The entries of the result: A0, A1, B0, B1.
  EXPECT_EQ(measureAt(M, 0), measureAt(M, 3));
  EXPECT_NE(measureAt(M, 1), measureAt(M, 2)) << "they were not said to be at one place";
  ASSERT_EQ(To.Measures.size(), 3u);
  EXPECT_EQ(To.Measures[measureAt(M, 0)].calls(), 1u + 102);
  EXPECT_EQ(To.Measures[measureAt(M, 0)].sum(Metric::Duration), 20u);
  EXPECT_EQ(To.Measures[measureAt(M, 1)].calls(), 2u);
  EXPECT_EQ(To.Measures[measureAt(M, 2)].calls(), 101u);
  EXPECT_EQ(To.Measures[measureAt(M, 2)].sum(Metric::Gap), 3u);
}

TEST(MergeMeasures, FunctionSiteAndDepthSayWhichVariantsBelongTogether) {
  Event E;
  addSite(E.Sides[0], "app", 99);
  const uint32_t SiteA = addSite(E.Sides[0], "app", 16) + 1, SiteB = addSite(E.Sides[1], "app", 16) + 1;
  ASSERT_NE(SiteA, SiteB);
  const Item A = E.add(0,
                       {call(RankSet(0), 1, {}), call(RankSet(1), 1, {}, SiteA), call(RankSet(2), 1, {}, SiteA, 1),
                        call(RankSet(3), 9, {})},
                       {0, 1, 2, 3});
  const Item B = E.add(1,
                       {call(RankSet(5), 1, {}, SiteB), call(RankSet(6), 1, {}, SiteB, 1), call(RankSet(7), 8, {}),
                        call(RankSet(4), 1, {5}, SiteB)},
                       {0, 1, 2, 0});
  TableMerge M(E.Sides[0], E.Sides[1], 8);
  MeasureMerge Measures(M, true, E.Events[0], E.Events[1], Nodes);
  Measures.unite(entry(M, 0, A), entry(M, 1, B));
  EventData To = copied(M, E.Events[0], E.Events[1]);
  Measures.finish(To);
  auto Of = [&](size_t Side, size_t Variant) { return measureAt(M, Side, Variant); };
  EXPECT_EQ(Of(0, 1), Of(1, 0));
  EXPECT_EQ(Of(0, 2), Of(1, 1));
  EXPECT_EQ(Of(1, 3), Of(1, 0)) << "as it was";
  EXPECT_EQ(std::set({Of(0, 0), Of(0, 1), Of(0, 2), Of(0, 3), Of(1, 2)}).size(), 5u);
  EXPECT_EQ(To.Measures.size(), 5u);
}

TEST(MergeMeasures, SumsStayWhateverIsUnited) {
  for (unsigned Seed = 0; Seed < 200; ++Seed) {
    std::mt19937 Random(Seed);
    Event E;
    std::vector<Item> Items[2];
    for (uint32_t S = 0; S < 2; ++S)
      for (unsigned I = Random() % 6; I--;) {
        std::vector<Variant> Variants;
        std::vector<uint32_t> Measures;
        for (unsigned V = 1 + Random() % 2; V--;) {
          Variants.push_back(call(RankSet(4 * S + V), Random() % 3, {}));
          Measures.push_back(Random() % 5);
        }
        Items[S].push_back(E.add(S, Variants, Measures));
      }
    TableMerge M(E.Sides[0], E.Sides[1], 8);
    // What is referred to; the rest is nobody's.
    Measure Wanted;
    for (uint32_t S = 0; S < 2; ++S) {
      std::set<uint32_t> Used;
      for (const Item &I : Items[S])
        for (const Variant &V : entry(M, S, I))
          Used.insert(entry(M, S, I).measure(V));
      for (uint32_t I : Used)
        Wanted.add(E.Events[S].Measures[I]);
    }
    MeasureMerge Measures(M, true, E.Events[0], E.Events[1], Nodes);
    for (const Item &A : Items[0])
      for (const Item &B : Items[1])
        if (Random() % 3 == 0)
          Measures.unite(entry(M, 0, A), entry(M, 1, B));
    EventData To = copied(M, E.Events[0], E.Events[1]);
    Measures.finish(To);
    Measure All;
    for (const Measure &X : To.Measures)
      All.add(X);
    EXPECT_EQ(All.calls(), Wanted.calls()) << Seed;
    EXPECT_EQ(All.Duration, Wanted.Duration);
    EXPECT_EQ(All.gaps(), Wanted.gaps());
    for (const Entry &X : M.Out.table(TableId::Signatures))
      for (const Variant &V : X)
        EXPECT_LT(X.measure(V), To.Measures.size());
  }
}

TEST(MergeMeasures, PathsAreNamedAsInTheResult) {
  Event E;
  const Item A0 = E.add(0, {call(RankSet(0), 1, {})}, {0}), A1 = E.add(0, {call(RankSet(0), 2, {})}, {1});
  const Item B0 = E.add(1, {call(RankSet(1), 2, {})}, {0}), B1 = E.add(1, {call(RankSet(1), 1, {})}, {1});
  auto Set = [&](unsigned Side, unsigned Measure, std::vector<GapPath> Paths) {
    auto &M = E.Events[Side].Measures[Measure];
    M.Gaps.clear();
    for (const GapPath &P : Paths)
      M.addGap(P, Spread::of(Side + 1, Side));
  };
  // On both sides a call of 1 stands behind one of 2, and one of 2 behind the other event's.
  Set(0, 0, {{GapPath::Call, 0, 1}, {}});
  Set(1, 1, {{GapPath::Call, 0, 0}, {}});
  Set(0, 1, {{GapPath::Event, 0, 7}});
  Set(1, 0, {{GapPath::Event, 1, 7}, {GapPath::Event, 0, 7}});
  TableMerge M(E.Sides[0], E.Sides[1], 4);
  MeasureMerge Measures(M, true, E.Events[0], E.Events[1], Nodes);
  Measures.unite(entry(M, 0, A0), entry(M, 1, B1));
  Measures.unite(entry(M, 0, A1), entry(M, 1, B0));
  EventData To = copied(M, E.Events[0], E.Events[1]);
  Measures.finish(To);
  ASSERT_EQ(To.Measures.size(), 2u);
  const Measure &One = To.Measures[measureAt(M, 0)], &Two = To.Measures[measureAt(M, 1)];
  ASSERT_EQ(One.Gaps.size(), 2u);
  EXPECT_EQ(One.Gaps[0].Path, GapPath());
  EXPECT_EQ(One.Gaps[1].Path, (GapPath{GapPath::Call, 0, measureAt(M, 1)}));
  EXPECT_EQ(One.Gaps[1].Gap.Sum, 3u);
  EXPECT_EQ(One.Gaps[1].Gap.MaxRank, 1u);
  ASSERT_EQ(Two.Gaps.size(), 2u);
  EXPECT_EQ(Two.Gaps[0].Path, (GapPath{GapPath::Event, 0, 7}));
  EXPECT_EQ(Two.Gaps[0].Gap.Sum, 3u);
  EXPECT_EQ(Two.Gaps[1].Path, (GapPath{GapPath::Event, 2, 7})) << "a node of the second side";
}

TEST(MergeMeasures, PlacesAreFoundByTheirSites) {
  Event E;
  addSite(E.Sides[0], "app", 99);
  const uint32_t SiteA = addSite(E.Sides[0], "app", 16) + 1, SiteB = addSite(E.Sides[1], "app", 16) + 1;
  const Item A = E.add(0, {call(RankSet(0), 1, {}, SiteA)}, {0}), B = E.add(1, {call(RankSet(1), 1, {}, SiteB)}, {0});
  E.Events[0].Places[{1, SiteA, 0}] = {Spread::of(10, 0), Spread::of(3, 0)};
  E.Events[1].Places[{1, SiteB, 0}] = {Spread::of(20, 1), Spread::of(1, 1)};
  TableMerge M(E.Sides[0], E.Sides[1], 4);
  MeasureMerge Measures(M, true, E.Events[0], E.Events[1], Nodes);
  Measures.unite(entry(M, 0, A), entry(M, 1, B));
  EventData To = copied(M, E.Events[0], E.Events[1]);
  Measures.finish(To);
  ASSERT_EQ(To.Places.size(), 1u);
  ASSERT_EQ(To.Measures.size(), 1u);
  EXPECT_EQ(To.Places.begin()->first, To.Measures[0].Place);
  const PlaceTimes &P = To.Places.begin()->second;
  EXPECT_EQ(P.Durations.Sum, 30u);
  EXPECT_EQ(P.Durations.MaxRank, 1u);
  EXPECT_EQ(P.Gaps.MaxRank, 0u);
}

TEST(MergeMeasures, WithoutTimesThereIsNone) {
  Event E;
  const Item A = E.add(0, {call(RankSet(0), 1, {})}, {0}), B = E.add(1, {call(RankSet(1), 1, {})}, {0});
  TableMerge M(E.Sides[0], E.Sides[1], 2);
  MeasureMerge Measures(M, false, E.Events[0], E.Events[1], Nodes);
  Measures.unite(entry(M, 0, A), entry(M, 1, B));
  EventData To = copied(M, E.Events[0], E.Events[1]);
  Measures.finish(To);
  EXPECT_TRUE(To.Measures.empty());
  EXPECT_EQ(measureAt(M, 0), NoMeasure);
  EXPECT_EQ(measureAt(M, 1), NoMeasure);
}
