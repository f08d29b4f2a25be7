// What is sound is read to its end; what cannot be is found before it is read.
#include "trace/read/Soundness.h"
#include "test/unit/Samples.h"
#include "test/unit/Sealed.h"
#include "trace/read/RankCursor.h"

#include <gtest/gtest.h>

#include <functional>

using namespace pilgrim;
using namespace pilgrim::test;

using Bytes = std::vector<uint8_t>;

/// What a cursor says at the end of all calls.
static std::string errorOfReading(const Trace &T) {
  std::string Error;
  T.data().Ranks.forEach([&](uint32_t Rank) {
    if (!Error.empty())
      return;
    RankCursor Cursor(T, Rank, T.threads(Rank));
    for (Call C; Cursor.next(C);)
      ;
    Error = Cursor.error();
  });
  return Error;
}

TEST(Soundness, SamplesAreSound) {
  for (const Sample &S : Samples) {
    auto T = Trace::fromBytes(writeTrace(S.Make(), {.Level = 0}));
    ASSERT_TRUE(T) << S.Name << T.error().What;
    EXPECT_EQ(findInconsistency(*T), "") << S.Name;
    EXPECT_EQ(findBadChunk(*T), "") << S.Name;
  }
}

/// The same with some of it changed, and sealed again.
static Trace changed(TraceData D, const std::function<void(TraceData &)> &Change) {
  Change(D);
  auto T = Trace::fromBytes(writeTrace(D, {.Level = 0}));
  EXPECT_TRUE(T) << T.error().What;
  return std::move(*T);
}

static IntStreamData always(int64_t V, uint64_t N) {
  IntStreamData S;
  S.Runs = {{V, 0, N}};
  S.Order.Rules = {{{0, false, 1}}};
  return S;
}

static IntStreamData values(std::initializer_list<int64_t> L) {
  IntStream S;
  for (int64_t V : L)
    S.append(V);
  return S.data();
}

TEST(Soundness, ChunksThatSayOtherThingsThanIsSaid) {
  const TraceData D = chunks();
  unsigned Sequences = 0, Streams = 0;
  // Of each chunk in turn: an element more or less, or other bytes; or another number of a terminal.
  auto Other = [](const Chunk &C, int64_t More, bool Bytes) {
    auto Own = C.bytes();
    if (Bytes)
      Own[0] ^= 1;
    const uint64_t Size = Own.size();
    return Chunk(std::make_shared<ChunkMemory>(std::move(Own)), 0, Size, C.length() + static_cast<uint64_t>(More),
                 C.terminals());
  };
  auto IsBad = [&](const std::function<void(EventData &)> &Change) {
    TraceData New = D;
    Change(New.Groups[0].Nodes[0].Events.begin()->second);
    auto T = Trace::fromBytes(writeTrace(New, {.Level = 0}));
    return !T || !findBadChunk(*T).empty();
  };
  const EventData &E = D.Groups[0].Nodes[0].Events.begin()->second;
  for (size_t I = 0; I < E.Items.size(); ++I)
    for (size_t J = 0; J < E.Items[I].Order.Chunks.size(); ++J, ++Sequences) {
      for (int64_t More : {-1, 1})
        EXPECT_TRUE(IsBad([&](EventData &X) {
          Chunk &C = X.Items[I].Order.Chunks[J].second;
          C = Other(C, More, false);
          X.Items[I].Order.InChunks[0] += static_cast<uint64_t>(More);
        }));
      EXPECT_TRUE(IsBad([&](EventData &X) {
        Chunk &C = X.Items[I].Order.Chunks[J].second;
        C = Other(C, 0, true);
      }));
      if (E.Items[I].Order.InChunks.size() > 1 && E.Items[I].Order.InChunks[0]) {
        EXPECT_TRUE(IsBad([&](EventData &X) {
          --X.Items[I].Order.InChunks[0];
          ++X.Items[I].Order.InChunks[1];
        }));
      }
    }
  for (const auto &[Key, L] : E.Streams)
    for (size_t I = 0; I < L.size(); ++I)
      for (size_t J = 0; J < L[I].Values.Chunks.size(); ++J, ++Streams)
        EXPECT_TRUE(IsBad([&](EventData &X) {
          Chunk &C = X.Streams[Key][I].Values.Chunks[J].second;
          X.Streams[Key][I].Values.Runs[X.Streams[Key][I].Values.Chunks[J].first].Count += 1;
          C = Other(C, 1, false);
        }));
  EXPECT_GT(Sequences, 0u);
  EXPECT_GT(Streams, 0u);
}

TEST(Soundness, TurnsInChunksThatCannotBe) {
  std::mt19937_64 Random(1);
  auto Problem = [&](std::initializer_list<int64_t> Threads, std::initializer_list<int64_t> Lengths) {
    const Trace T = changed(turns(), [&](TraceData &D) {
      D.TurnThreads = {{RankSet(0), values(Threads)}};
      D.TurnLengths = {{RankSet(0), values(Lengths)}};
      for (RankedStreams *L : {&D.TurnThreads, &D.TurnLengths})
        while ((*L)[0].Values.Chunks.empty())
          (*L)[0].Values = sealed((*L)[0].Values, Random);
    });
    EXPECT_EQ(findInconsistency(T), "") << "opening a trace does not go through chunks";
    const std::string Found = findBadTurnsInChunks(T);
    EXPECT_EQ(Found.empty(), errorOfReading(T).empty()) << Found;
    return Found;
  };
  EXPECT_EQ(Problem({0, 2, 0, 2, 0, 2}, {8, 12, 9, 13, 8, 13}), "");
  EXPECT_EQ(findBadTurnsInChunks(changed(turns(), [](TraceData &) {})), "");
  const std::pair<std::string, const char *> Bad[] = {
      {Problem({0, 2, 0, 2, 0, 2}, {8, 12, 8, 12, 10, 12}), "turns of thread 0 with 13 calls, but the thread has 12"},
      {Problem({0, 2, 0, 2, 0, 2}, {8, 12, 8, 12, 8, 14}), "turns of thread 2 with 19 calls, but the thread has 18"},
      {Problem({0, 3, 0, 2, 0, 2}, {2, 2, 2, 2, 2, 2}), "a turn of thread 3, which it does not have"},
      {Problem({0, 2, 0, 2, 0, -1}, {2, 2, 2, 2, 2, 2}), "a turn of a thread that is not there"},
      {Problem({0, 2, 0, 2, 0, 2}, {2, 2, 2, 1, 2, 2}), "a turn that has no length"},
  };
  for (const auto &[Found, What] : Bad)
    EXPECT_EQ(Found, std::string("damaged: rank 0 has ") + What);
}

TEST(Soundness, TurnsThatCannotBe) {
  auto Problem = [](const std::function<void(TraceData &)> &Change) {
    Trace T = changed(turns(), Change);
    std::string Found = findInconsistency(T);
    EXPECT_EQ(Found.empty(), errorOfReading(T).empty()) << Found;
    return Found;
  };
  auto Set = [&](IntStreamData Threads, IntStreamData Lengths) {
    return Problem([&](TraceData &D) {
      D.TurnThreads = {{RankSet(0), std::move(Threads)}};
      D.TurnLengths = {{RankSet(0), std::move(Lengths)}};
    });
  };
  auto Says = [](const std::string &Found, const char *What) {
    EXPECT_NE(Found.find(What), std::string::npos) << Found;
    EXPECT_EQ(Found.find("damaged: rank 0 has "), 0u) << Found;
  };
  EXPECT_EQ(Problem([](TraceData &) {}), "");
  // Thread 0 has 12 calls, thread 2 has 18.
  EXPECT_EQ(Set(always(0, 1), always(24, 1)), "");
  EXPECT_EQ(Set(always(0, 12), always(2, 12)), "");
  EXPECT_EQ(Set(values({0, 2, 0, 2, 0, 2}), values({8, 12, 9, 13, 8, 13})), "");
  Says(Set(always(0, 1), always(26, 1)), "turns of thread 0 with 13 calls, but the thread has 12");
  Says(Set(always(0, 13), always(2, 13)), "turns of thread 0 with 13 calls");
  Says(Set(values({0, 2, 0, 2, 0, 2}), values({8, 12, 8, 12, 10, 12})), "turns of thread 0 with 13 calls");
  Says(Set(values({0, 2, 0, 2, 0, 2}), values({8, 12, 8, 12, 8, 14})), "turns of thread 2 with 19 calls");
  Says(Set(always(3, 1), always(2, 1)), "a turn of thread 3, which it does not have");
  Says(Set(always(-1, 1), always(2, 1)), "a turn of a thread that is not there");
  Says(Set(always(0, 1), always(0, 1)), "no length");
  Says(Set(always(0, 1), always(1, 1)), "no length");
  Says(Set(always(0, 3), values({2, 4, -2})), "no length");
  Says(Set(always(0, 3), always(2, 2)), "3 turns, but 2 lengths");
  Says(Problem([](TraceData &D) { D.TurnLengths = {}; }), "turns without lengths");
  // As many as no walk could go through.
  Says(Set(always(0, uint64_t(1) << 40), always(2, uint64_t(1) << 40)), "turns of thread 0 with 1099511627776 calls");
  // Which nobody reads, but cannot be.
  Says(findInconsistency(changed(turns(), [](TraceData &D) { D.TurnThreads = {}; })),
       "lengths of turns without threads");
  Says(findInconsistency(changed(turns(), [](TraceData &D) { D.TurnThreads.push_back(D.TurnThreads[0]); })),
       "two orders of its threads");
}

TEST(Soundness, StructureThatDoesNotFitItself) {
  size_t Changes = 0;
  // Each list of all nodes, changed in some ways: what is found is what a cursor finds, or that something is left over.
  for (auto Make : {nodes, neighbours, paths, visits}) {
    const TraceData Good = Make();
    auto Check = [&](const std::function<void(TraceData &)> &Change) {
      TraceData D = Good;
      Change(D);
      auto T = Trace::fromBytes(writeTrace(D, {.Level = 0}));
      if (!T)
        return;
      ++Changes;
      const std::string Found = findInconsistency(*T), Read = errorOfReading(*T);
      EXPECT_TRUE(!Found.empty() || Read.empty()) << Read;
    };
    for (size_t G = 0; G < Good.Groups.size(); ++G)
      for (size_t N = 1; N < Good.Groups[G].Nodes.size(); ++N) {
        auto Streams = [&](auto Of) {
          for (size_t S = 0; S < Of(const_cast<TraceData &>(Good)).size(); ++S)
            for (int Way = 0; Way < 4; ++Way)
              Check([&](TraceData &D) {
                IntStreamData &V = Of(D)[S].Values;
                if (V.Runs.empty())
                  return;
                LinearRun &R = V.Runs[V.Runs.size() / 2];
                Way == 0   ? void(++R.First)
                : Way == 1 ? void(--R.First)
                : Way == 2 ? void(++R.Count)
                           : void(R.First = 0);
              });
        };
        auto Node = [&](TraceData &D) -> NodeData & { return D.Groups[G].Nodes[N]; };
        Streams([&](TraceData &D) -> RankedStreams & { return Node(D).Visits; });
        for (const auto &[Id, E] : Good.Groups[G].Nodes[N].Events) {
          Streams([&, Id = Id](TraceData &D) -> RankedStreams & { return Node(D).Events[Id].PassesToChange; });
          Streams([&, Id = Id](TraceData &D) -> RankedStreams & { return Node(D).Events[Id].UsualItems; });
          for (size_t X = 0; X < E.Items.size(); ++X)
            for (bool Longer : {true, false})
              Check([&, Id = Id](TraceData &D) {
                RankedItems &Items = Node(D).Events[Id].Items[X];
                auto &Start = Items.Order.Rules[0];
                if (Longer)
                  return Start.push_back({0, false, 1});
                Start.pop_back();
                // Each item occurs.
                if (Items.Order.terminals() < Items.Items.size() || Start.empty())
                  Start.push_back({static_cast<uint32_t>(Items.Items.size() - 1), false, 1});
              });
        }
        for (size_t X = 0; X < Good.Groups[G].Nodes[N].Paths.size(); ++X)
          Check([&](TraceData &D) { Node(D).Paths[X].Order.Rules[0].push_back({0, false, 1}); });
      }
  }
  EXPECT_GT(Changes, 100u);
}

TEST(Soundness, WhatIsAcceptedIsReadToItsEnd) {
  size_t Sound = 0, Refused = 0;
  for (auto Make : {turns, nodes, neighbours, rounds, paths, visits, border, switched, mixed}) {
    const SectionBytes Good = encodeSections(Make());
    for (size_t At = 0; At < Good.Calls.size(); ++At)
      for (uint8_t Change : {0x01, 0x02, 0x04, 0x7f}) {
        SectionBytes S = Good;
        S.Calls[At] ^= Change;
        auto D = decodeSections(S);
        if (!D)
          continue;
        auto T = Trace::fromBytes(writeTrace(*D, {.Level = 0}));
        if (!T || T->data().calls() > 20000 || T->data().Ranks.size() > 100)
          continue;
        const std::string Found = findInconsistency(*T);
        ++(Found.empty() ? Sound : Refused);
        if (Found.empty()) {
          ASSERT_EQ(errorOfReading(*T), "") << At << " ^ " << int(Change);
        }
      }
  }
  EXPECT_GT(Sound, 50u);
  EXPECT_GT(Refused, 50u);
}
