// trace/merge/RareCalls.h, RareCalls.cpp: what differs between calls that hardly come again goes to streams; the calls
// stay what a second list says, and so do sums of times.
#include "trace/merge/RareCalls.h"
#include "test/unit/MemoryStore.h"
#include "test/unit/RecorderFixture.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
constexpr unsigned Sites = 80, Values = 20; // at each site so many, too few to be streamed at once

size_t signaturesIn(const TraceData &T) { return T.Groups.at(0).table(TableId::Signatures).size(); }
const EventData &eventOf(const TraceData &T) { return T.Groups.at(0).Nodes[0].Events.at(0); }

/// Each call of Make(recording, site, value) some times, in any order.
template <typename Fn> void inDisorder(Recording &R, unsigned Times, Fn &&Make) {
  std::mt19937_64 Random(7);
  for (unsigned N = 0; N < Sites * Values * Times; ++N)
    Make(R, 16 + 2 * (Random() % Sites), static_cast<unsigned>(Random() % Values));
}

void sendSome(Recording &R, uint64_t Site, unsigned V) {
  R.call(0, Site,
         {R.buffer(V % 5 ? 4096 + 8 * V : 1), number(V * V), number(static_cast<int64_t>(Site + V) % 31), number(V % 3),
          R.comm(V % 2)});
}
} // namespace

TEST(RareCalls, DifferencesGoToStreamsAndCallsStay) {
  Recording R, Again;
  for (Recording *To : {&R, &Again})
    inDisorder(*To, 2, sendSome);
  R.expectSame();
  const TraceData T = Again.finish();
  // Communicators and named buffers stay in signatures: each site has 2 by 2 of them.
  EXPECT_LE(signaturesIn(T), Sites * 4u);
  EXPECT_GE(signaturesIn(T), Sites * 2u);
  for (const auto &[Key, Streams] : eventOf(T).Streams) {
    EXPECT_EQ(Key.Function, 0u);
    EXPECT_NE(Key.Slot, 5u) << "a communicator";
  }
  const auto &Items = eventOf(T).Items.at(0);
  EXPECT_EQ(Items.Items.size(), signaturesIn(T));
  EXPECT_EQ(Items.Order.length(), R.Lines.size());
}

TEST(RareCalls, WhatComesOftenOrIsLittleStays) {
  Recording Often, Few;
  inDisorder(Often, 10, sendSome);
  const TraceData T = Often.finish();
  EXPECT_GT(signaturesIn(T), 1000u);
  EXPECT_TRUE(eventOf(T).Streams.empty());
  for (unsigned Site = 16; Site < 19; ++Site)
    for (unsigned V = 0; V < Values; ++V)
      sendSome(Few, Site, V);
  EXPECT_TRUE(eventOf(Few.finish()).Streams.empty());
}

TEST(RareCalls, ValuesThatWereStreamedBeforeKeepTheirPlace) {
  Recording R, Again;
  for (Recording *To : {&R, &Again})
    for (unsigned Round = 0; Round < 2; ++Round)
      for (unsigned Site = 16; Site < 16 + 2 * Sites; Site += 2)
        for (unsigned V = 0; V < 60; ++V) // from the 48th on, tags are streamed
          To->call(0, Site,
                   {To->buffer(4096), number(V % 20), number(V % 7), number(Round * 7 + V * V + Site), To->comm(0)});
  R.expectSame();
  const TraceData T = Again.finish();
  EXPECT_EQ(signaturesIn(T), Sites);
  for (const auto &[Key, Streams] : eventOf(T).Streams)
    EXPECT_EQ(Streams.at(0).Values.length(), 120u);
}

TEST(RareCalls, ArraysLeaveAndHandlesStay) {
  Recording R, Again;
  for (Recording *To : {&R, &Again})
    inDisorder(*To, 2, [](Recording &In, uint64_t Site, unsigned V) {
      sendSome(In, Site, V);
      In.call(1, Site, {number(V), vector(Tag::Array, std::vector<uint64_t>(V % 4, 7)), state(NullState)});
      In.call(3, Site, {In.types({}), vector(Tag::Array, {}), In.op(V % 3), In.buffer(4096 + 8 * V)});
      if (V == 3)
        In.call(2, Site, {text("f"), number(1), number(V), state(AbsentState)}, [&] { sendSome(In, Site, V + 1); });
    });
  R.expectSame();
  const TraceData T = Again.finish();
  std::set<std::pair<uint32_t, uint32_t>> Streamed;
  for (const auto &[Key, Streams] : eventOf(T).Streams)
    Streamed.insert({Key.Function, Key.Slot});
  // Send: buffer, count, destination, tag. Wait: count, array. Type: the last one.
  EXPECT_EQ(Streamed, (decltype(Streamed){{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 1}, {1, 2}, {3, 4}}));
}

TEST(RareCalls, ArraysThatWereStreamedBeforeKeepTheirPlace) {
  Recording R, Again;
  for (Recording *To : {&R, &Again})
    for (unsigned Round = 0; Round < 2; ++Round)
      for (unsigned Site = 16; Site < 16 + 2 * Sites; Site += 2)
        for (unsigned V = 0; V < 60; ++V)
          To->call(1, Site, {number(V % 7), vector(Tag::Array, std::vector<uint64_t>(V % 4, V)), state(NullState)});
  R.expectSame();
  const TraceData T = Again.finish();
  EXPECT_EQ(signaturesIn(T), Sites);
  for (const auto &[Key, Streams] : eventOf(T).Streams)
    EXPECT_EQ(Streams.at(0).Values.length(), Key.Slot == 2 && Key.Column == 1 ? 2 * 90u : 120u);
}

// Nine sites of ten have few calls, all of which are different.
TEST(RareCalls, LongArraysLeaveEvenOfFewCalls) {
  for (const unsigned Length : {31u, 32u}) {
    Recording R, Again;
    for (Recording *To : {&R, &Again})
      for (uint64_t Site = 16; Site < 16 + 2 * 600; Site += 2)
        for (unsigned V = 0; V < (Site % 20 ? 2 : 10); ++V)
          To->call(1, Site, {number(Site % 5), vector(Tag::Array, std::vector<uint64_t>(Length, V)), state(NullState)});
    R.expectSame();
    const TraceData T = Again.finish();
    EXPECT_EQ(signaturesIn(T), Length == 31 ? 540 * 2 + 60 : 600);
  }
}

// At each site one array is long and comes again and again: as a stream it would be said each time.
TEST(RareCalls, ArraysWhoseWordsComeOftenStay) {
  for (const unsigned Times : {60u, 1u}) {
    Recording R;
    for (uint64_t Site = 16; Site < 16 + 2 * 60; Site += 2) {
      auto Call = [&](unsigned V, size_t Length) {
        R.call(1, Site, {number(V), vector(Tag::Array, std::vector<uint64_t>(Length, V)), state(NullState)});
      };
      for (unsigned N = 0; N < Times; ++N)
        Call(0, 1000);
      for (unsigned V = 1; V < 10; ++V)
        Call(V, 1);
    }
    EXPECT_EQ(signaturesIn(R.finish()), Times > 1 ? 600u : 60u);
  }
}

TEST(RareCalls, TimesAddUp) {
  Recording R;
  inDisorder(R, 2, sendSome);
  const TraceData T = R.finish(1);
  const EventData &E = eventOf(T);
  Spread Durations, Gaps;
  uint64_t Calls = 0;
  for (const Measure &M : E.Measures) {
    Durations.add(M.Duration);
    Gaps.add(M.gaps());
    Calls += M.calls();
    for (const PathGap &G : M.Gaps) {
      EXPECT_TRUE(G.Path.K != GapPath::Call || G.Path.Which < E.Measures.size());
    }
  }
  EXPECT_EQ(Calls, R.Lines.size());
  EXPECT_EQ(Durations.Sum + Gaps.Sum, R.Clock); // the first gap begins at 0
  // One for each site, and each item has that of its place.
  EXPECT_EQ(E.Measures.size(), Sites);
  for (const Item &I : E.Items.at(0).Items) {
    const Entry &X = T.Groups[0].table(TableId::Signatures)[I.Index];
    EXPECT_EQ(E.Measures.at(X.measure(0)).Place, (MeasuredPlace{X[0].Tokens[0], X[0].Tokens[1], X[0].Tokens[2]}));
  }
}

// A thread that did not stop may have been in the midst of a call.
TEST(RareCalls, AnEventWithTooFewValuesStaysAsItIs) {
  for (const unsigned Missing : {1u, 0u}) {
    TraceData T;
    FunctionSchema &F = T.Functions[7];
    F.Id = 7;
    for (const Kind K : {Kind::Count, Kind::Tag})
      F.Slots.emplace_back().K = K;
    Group G;
    EventData &E = G.Nodes[0].Events[0];
    RankedItems &R = E.Items.emplace_back();
    R.Ranks = RankSet(0);
    const auto Word = static_cast<uint32_t>(Tag::Word), Stream = static_cast<uint32_t>(Tag::Stream);
    constexpr unsigned Calls = 1200;
    Grammar Order;
    IntStream Tags;
    for (unsigned N = 0; N < Calls; ++N) {
      Variant V{RankSet(0), {7, 1, 0, Word}, {RankFn(N)}};
      if (N < Calls / 2) {
        V.Tokens.push_back(Word);
        V.Words.emplace_back(3 * N);
      } else {
        V.Tokens.insert(V.Tokens.end(), {Stream, Word});
        if (N < Calls - Missing)
          Tags.append(3 * N);
      }
      R.Items.push_back({false, N});
      G.table(TableId::Signatures).push_back({V});
      Order.append(N);
    }
    R.Order = Order.data();
    const SlotStreamKey Key{7, 1, 1, 0};
    E.Streams[Key] = {{RankSet(0), Tags.data()}};
    MemoryStore Store;
    streamRareCalls(T, G, Store);
    EXPECT_EQ(R.Items.size(), Missing ? Calls : 1);
    EXPECT_EQ(G.table(TableId::Signatures).size(), R.Items.size());
    EXPECT_EQ(E.Streams.at(Key)[0].Values.length(), Missing ? Calls / 2 - 1 : Calls);
  }
}
