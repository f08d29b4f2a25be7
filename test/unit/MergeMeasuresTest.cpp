// trace/merge/MergeMeasures.h, MergeMeasures.cpp: what belongs together is added up, and nothing is lost.
#include "trace/merge/MergeMeasures.h"
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
  Item add(unsigned Side, std::vector<Variant> Variants, const std::vector<uint32_t> &Measures) {
    EventData &E = Events[Side];
    for (size_t I = 0; I < Variants.size(); ++I) {
      Variants[I].Measure = Measures[I];
      while (E.Measures.size() <= Measures[I])
        E.Measures.push_back({Side * 100 + E.Measures.size() + 1, {10, 3}});
    }
    if (E.Items.empty())
      E.Items.emplace_back();
    E.Items[0].Items.push_back({false, test::add(Sides[Side], TableId::Signatures, std::move(Variants))});
    return E.Items[0].Items.back();
  }
};
} // namespace

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

static uint32_t measureOf(const TableMerge &M, size_t Index, size_t Variant = 0) {
  return M.Out.table(TableId::Signatures)[Index][Variant].Measure;
}

TEST(MergeMeasures, EqualCallsAtOnePlaceShareAMeasure) {
  Event E;
  const Item A0 = E.add(0, {call(RankSet(0), 1, {5})}, {0}), A1 = E.add(0, {call(RankSet(0), 2, {})}, {1});
  E.add(1, {call(RankSet(1), 2, {})}, {0});
  const Item B1 = E.add(1, {call(RankSet(1), 1, {7})}, {1});
  E.Events[1].Items[0].Items.push_back({true, 3});
  TableMerge M(E.Sides[0], E.Sides[1], 4);
  MeasureMerge Measures(M, true, E.Events[0], E.Events[1]);
  Measures.unite(entry(M, 0, A0), entry(M, 1, B1));
  Measures.unite(entry(M, 0, A1), entry(M, 1, B1)); // not of the same function
  EventData To = copied(M, E.Events[0], E.Events[1]);
  Measures.finish(To);
  // The entries of the result: A0, A1, B0, B1.
  EXPECT_EQ(measureOf(M, 0), measureOf(M, 3));
  EXPECT_NE(measureOf(M, 1), measureOf(M, 2)) << "they were not said to be at one place";
  ASSERT_EQ(To.Measures.size(), 3u);
  EXPECT_EQ(To.Measures[measureOf(M, 0)].Calls, 1u + 102);
  EXPECT_EQ(To.Measures[measureOf(M, 0)].sum(Metric::Duration), 20u);
  EXPECT_EQ(To.Measures[measureOf(M, 1)].Calls, 2u);
  EXPECT_EQ(To.Measures[measureOf(M, 2)].Calls, 101u);
  EXPECT_EQ(To.Measures[measureOf(M, 2)].sum(Metric::Gap), 3u);
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
  MeasureMerge Measures(M, true, E.Events[0], E.Events[1]);
  Measures.unite(entry(M, 0, A), entry(M, 1, B));
  EventData To = copied(M, E.Events[0], E.Events[1]);
  Measures.finish(To);
  auto Of = [&](size_t Side, size_t Variant) { return measureOf(M, Side, Variant); };
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
          Used.insert(V.Measure);
      for (uint32_t I : Used)
        Wanted.add(E.Events[S].Measures[I]);
    }
    MeasureMerge Measures(M, true, E.Events[0], E.Events[1]);
    for (const Item &A : Items[0])
      for (const Item &B : Items[1])
        if (Random() % 3 == 0)
          Measures.unite(entry(M, 0, A), entry(M, 1, B));
    EventData To = copied(M, E.Events[0], E.Events[1]);
    Measures.finish(To);
    Measure All;
    for (const Measure &X : To.Measures)
      All.add(X);
    EXPECT_EQ(All.Calls, Wanted.Calls) << Seed;
    EXPECT_EQ(All.Sums, Wanted.Sums);
    for (const Entry &X : M.Out.table(TableId::Signatures))
      for (const Variant &V : X)
        EXPECT_LT(V.Measure, To.Measures.size());
  }
}

TEST(MergeMeasures, WithoutTimesThereIsNone) {
  Event E;
  const Item A = E.add(0, {call(RankSet(0), 1, {})}, {0}), B = E.add(1, {call(RankSet(1), 1, {})}, {0});
  TableMerge M(E.Sides[0], E.Sides[1], 2);
  MeasureMerge Measures(M, false, E.Events[0], E.Events[1]);
  Measures.unite(entry(M, 0, A), entry(M, 1, B));
  EventData To = copied(M, E.Events[0], E.Events[1]);
  Measures.finish(To);
  EXPECT_TRUE(To.Measures.empty());
  EXPECT_EQ(measureOf(M, 0), NoMeasure);
  EXPECT_EQ(measureOf(M, 1), NoMeasure);
}
