// trace/file/EncodeMeasures.h, EncodeMeasures.cpp, DecodeMeasures.cpp: measures of an event's calls,
// against what each call had.
#include "test/unit/RootGroup.h"
#include "test/unit/Tables.h"
#include "trace/file/EncodeMeasures.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

static constexpr uint32_t World = 6;

/// Calls of events at the root, with measures of which some are shared.
static TraceData randomCalls(std::mt19937 &Random) {
  TraceData T;
  T.World = World;
  T.Ranks = RankSet::below(World);
  Group &G = T.Groups.emplace_back();
  G.Nodes[0].Ranks = T.Ranks;
  const uint32_t Site = addSite(G, "app", 16) + 1;
  for (uint32_t Id = 0; Id < 1 + Random() % 3; ++Id) {
    EventData &E = G.Nodes[0].Events[Id];
    std::map<MeasuredPlace, uint32_t> FirstOf; // of two measures that calls at a place may have
    std::vector<uint64_t> Calls;
    for (const RankSet &Ranks : {RankSet::below(2), RankSet::between(2, World - 1)}) {
      RankedItems &X = E.Items.emplace_back();
      X.Ranks = Ranks;
      for (uint32_t I = 0; I < 1 + Random() % 4; ++I) {
        const uint64_t Times = 1 + Random() % 9;
        X.Order.Rules[0].push_back({I, false, Times});
        Entry Of;
        const uint32_t Which = Random() % 2; // variants of the same function, site and depth have the same measure
        const bool IsOne = Random() % 2;
        for (const RankSet &Own :
             IsOne ? std::vector{Ranks} : std::vector{RankSet(Ranks.first()), Ranks.without(RankSet(Ranks.first()))}) {
          Variant V = call(Own, Random() % 2, {}, Random() % 2 * Site, Random() % 2);
          const auto [First, New] = FirstOf.try_emplace(placeOf(V), static_cast<uint32_t>(Calls.size()));
          if (New)
            Calls.resize(Calls.size() + 2);
          Calls[First->second + Which] += Times * Own.size();
          Of.push_back(V);
          Of.setMeasure(Of.size() - 1, First->second + Which);
        }
        X.Items.push_back({false, add(G, TableId::Signatures, Of)});
      }
    }
    E.Measures.resize(Calls.size());
    for (const auto &[Place, First] : FirstOf)
      for (uint32_t I = First; I < First + 2; ++I)
        E.Measures[I] = measureOf(Place, Calls[I], Calls[I] ? Random() % (Calls[I] * 1000) + 1 : 0,
                                  Calls[I] ? uint64_t(Random()) << 20 : 0, Random() % World);
    for (const auto &[Place, First] : FirstOf)
      E.Places[Place] = {Spread::of(5, Random() % World), Spread::of(7, Random() % World)};
  }
  return T;
}

static std::vector<uint8_t> encode(const TraceData &T) {
  const Group &G = T.Groups[0];
  MeasureEncoder M(T);
  M.beginNode(G, G.Nodes[0], 0);
  for (const auto &[Id, E] : G.Nodes[0].Events) {
    M.beginEvent(Id, E);
    for (const RankedItems &X : E.Items)
      for (const Item &I : X.Items)
        if (!I.IsNode)
          M.item({&G.table(TableId::Signatures)[I.Index]});
  }
  return M.bytes();
}

static bool decode(TraceData &T, const std::vector<uint8_t> &Bytes) {
  std::vector<EventPlace> Events;
  for (auto &[Id, E] : T.Groups[0].Nodes[0].Events) {
    Events.push_back({0, 0, Id});
    E.Measures.clear();
    E.Places.clear();
  }
  for (Entry &E : T.Groups[0].table(TableId::Signatures))
    E.changeMeasures([](uint32_t) { return NoMeasure; });
  ByteReader R(Bytes);
  return decodeMeasures(R, T, Events);
}

TEST(MeasuresCodec, WhatCallsHadComesBack) {
  for (unsigned Seed = 0; Seed < 400; ++Seed) {
    std::mt19937 Random(Seed);
    TraceData T = randomCalls(Random);
    const bool Exact = Random() % 2;
    if (Exact)
      T.World = World + 1; // a rank is missing
    TraceData Read = T;
    ASSERT_TRUE(decode(Read, encode(T))) << Seed;
    for (const auto &[Id, E] : T.Groups[0].Nodes[0].Events) {
      const EventData &Own = Read.Groups[0].Nodes[0].Events.at(Id);
      // Measures are numbered by use; each is that of the same calls.
      std::map<uint32_t, uint32_t> Same;
      for (const RankedItems &X : E.Items)
        for (const Item &I : X.Items)
          for (size_t V = 0; V < T.Groups[0].table(TableId::Signatures)[I.Index].size(); ++V) {
            const uint32_t Was = T.Groups[0].table(TableId::Signatures)[I.Index].measure(V),
                           Is = Read.Groups[0].table(TableId::Signatures)[I.Index].measure(V);
            ASSERT_LT(Is, Own.Measures.size());
            EXPECT_EQ(Same.try_emplace(Was, Is).first->second, Is) << Seed;
            const Measure &A = E.Measures[Was], &B = Own.Measures[Is];
            EXPECT_EQ(A.Place, B.Place);
            EXPECT_EQ(A.calls(), B.calls());
            if (Exact) {
              EXPECT_EQ(A.Duration, B.Duration) << Seed;
              EXPECT_EQ(A.gaps(), B.gaps()) << Seed;
            }
            EXPECT_NEAR(double(A.Duration.Sum), double(B.Duration.Sum), double(A.Duration.Sum) / 8192);
            EXPECT_EQ(A.Duration.MaxRank, B.Duration.MaxRank);
          }
      std::set<uint32_t> Used;
      for (auto [Was, Is] : Same)
        Used.insert(Is);
      EXPECT_EQ(Used.size(), Own.Measures.size()) << "each is somebody's";
      EXPECT_EQ(Used.size(), Same.size());
      for (const auto &[Place, P] : Own.Places) {
        EXPECT_EQ(P.Durations.MaxRank, E.Places.at(Place).Durations.MaxRank);
        EXPECT_EQ(P.Gaps.MinRank, E.Places.at(Place).Gaps.MinRank);
      }
    }
  }
}

TEST(MeasuresCodec, PathsNameEventsAndMeasures) {
  for (const bool Exact : {true, false}) {
    std::mt19937 Random(3);
    TraceData T = randomCalls(Random);
    while (T.Groups[0].Nodes[0].Events.size() < 3)
      T = randomCalls(Random);
    T.World += Exact;
    auto &Events = T.Groups[0].Nodes[0].Events;
    EventData &E = Events.at(1);
    uint32_t Named = NoMeasure; // one that is used
    for (const RankedItems &X : E.Items)
      Named = T.Groups[0].table(TableId::Signatures)[X.Items.back().Index].measure(0);
    for (Measure &M : E.Measures) {
      if (!M.calls())
        continue;
      M.Gaps.clear();
      M.addGap({GapPath::Event, 0, 2}, Spread::of(4000, 0));
      if (M.calls() > 1)
        M.addGap({GapPath::Event, 0, 0}, Spread::of(3000, 1));
      if (M.calls() > 2)
        M.addGap({GapPath::Call, 0, Named}, alike(M.calls() - 2, 1000 * (M.calls() - 2), 1));
    }
    TraceData Read = T;
    ASSERT_TRUE(decode(Read, encode(T)));
    const EventData &Own = Read.Groups[0].Nodes[0].Events.at(1);
    for (const RankedItems &X : E.Items) {
      const uint32_t Signature = X.Items.back().Index;
      const Measure &Was = E.Measures[T.Groups[0].table(TableId::Signatures)[Signature].measure(0)],
                    &Is = Own.Measures[Read.Groups[0].table(TableId::Signatures)[Signature].measure(0)];
      ASSERT_EQ(Is.Gaps.size(), Was.Gaps.size());
      for (size_t I = 0; I < Is.Gaps.size(); ++I) {
        EXPECT_EQ(Is.Gaps[I].Path.K, Was.Gaps[I].Path.K);
        EXPECT_EQ(Is.Gaps[I].Gap.Count, Was.Gaps[I].Gap.Count);
        EXPECT_EQ(Is.Gaps[I].Gap.MaxRank, Was.Gaps[I].Gap.MaxRank);
        if (Is.Gaps[I].Path.K == GapPath::Call) {
          EXPECT_EQ(Own.Measures[Is.Gaps[I].Path.Which].Place, E.Measures[Named].Place);
        } else {
          EXPECT_EQ(Is.Gaps[I].Path, Was.Gaps[I].Path);
        }
      }
    }
  }
}

TEST(MeasuresCodec, ItemsThatAreWrittenAsOneAddTheirTimes) {
  TraceData T;
  T.World = 2;
  T.Ranks = RankSet::below(2);
  Group &G = T.Groups.emplace_back();
  G.Nodes[0].Ranks = T.Ranks;
  EventData &E = G.Nodes[0].Events[0];
  RankedItems &X = E.Items.emplace_back();
  X.Ranks = T.Ranks;
  X.Order.Rules[0] = {{0, false, 3}};
  const Variant Call = call(T.Ranks, 1, {});
  E.Measures = {measureOf(placeOf(Call), 3, 30, 5, 0), measureOf(placeOf(Call), 3, 7, 8, 1)};
  X.Items.push_back({false, add(G, TableId::Signatures, measured({Call}, {0}))});
  const Entry Other = measured({Call}, {1});
  MeasureEncoder M(T);
  M.beginNode(G, G.Nodes[0], 0);
  M.beginEvent(0, E);
  M.item({&G.table(TableId::Signatures)[0], &Other});
  const auto Bytes = M.bytes();
  ASSERT_TRUE(decode(T, Bytes));
  ASSERT_EQ(E.Measures.size(), 1u);
  EXPECT_EQ(E.Measures[0].Duration.Sum, 37u);
  EXPECT_EQ(E.Measures[0].Duration.MinRank, 1u);
}

/// Each rank makes one call at a place, on several ways or as several calls. Which rank had the least time is known
/// although numbers are rounded.
TEST(MeasuresCodec, RoundedNumbersDoNotTellWhichRankItWas) {
  for (const bool IsSeveralCalls : {false, true}) {
    TraceData T;
    T.World = World;
    T.Ranks = RankSet::below(World);
    Group &G = T.Groups.emplace_back();
    G.Nodes[0].Ranks = T.Ranks;
    EventData &E = G.Nodes[0].Events[0];
    const Variant Call = call(T.Ranks, 1, {});
    E.Measures.resize(1 + IsSeveralCalls, {placeOf(Call), {}, {}, {}});
    PlaceTimes &Place = E.Places[placeOf(Call)];
    for (uint32_t Rank = 0; Rank < World; ++Rank) {
      const Spread Time = Spread::of(1000100 - Rank, Rank);
      Measure &M = E.Measures[IsSeveralCalls && Rank >= 3];
      M.Duration.add(Time);
      M.addGap({Rank < 3 ? GapPath::Begin : GapPath::Others, 0, 0}, Time);
      Place.add({Time, Time});
    }
    for (uint32_t I = 0; I < E.Measures.size(); ++I) {
      RankedItems &X = E.Items.emplace_back();
      X.Ranks = !IsSeveralCalls ? T.Ranks : I ? RankSet::between(3, World - 1) : RankSet::below(3);
      X.Order.Rules[0] = {{0, false, 1}};
      Variant Own = Call;
      Own.Ranks = X.Ranks;
      X.Items.push_back({false, add(G, TableId::Signatures, measured({Own}, {I}))});
    }
    ASSERT_TRUE(decode(T, encode(T)));
    EXPECT_EQ(E.Places.at(placeOf(Call)).Durations.MinRank, World - 1);
    EXPECT_EQ(E.Places.at(placeOf(Call)).Gaps.MinRank, World - 1);
    EXPECT_EQ(E.Places.at(placeOf(Call)).Gaps.MaxRank, 0u);
  }
}
