// What a recorder was given comes out of its trace again, compressed: against
// an encoder whose symbols the test knows, and the plain list of calls.
#include "test/unit/RecorderFixture.h"

#include <cmath>
#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {

/// A program of loops around calls whose values change in all kinds of ways.
class RandomCalls {
public:
  RandomCalls(Recording &R, unsigned Seed) : R(R), Random(Seed) {}

  void run(unsigned Loops) {
    for (unsigned L = 0; L < Loops; ++L) {
      std::vector<Body> Bodies(1 + Random() % 4);
      for (Body &B : Bodies) {
        B.Function = Random() % 4;
        B.Site = Random() % 8 ? 16 * (1 + Random() % 40) : 0;
        if (B.Site && Random() % 4 == 0)
          B.Site += 0x10000; // the same place in the module
        B.Calls = Random() % 4 == 0;
        for (auto &W : B.Ways)
          W = {static_cast<unsigned>(Random() % 5), Random() % 100};
      }
      unsigned Iterations = 1 + Random() % 200;
      for (unsigned I = 0; I < Iterations; ++I)
        for (const Body &B : Bodies)
          one(B, I);
      if (Random() % 8 == 0)
        forget();
    }
  }

private:
  struct Way {
    unsigned Kind;
    uint64_t Base;
  };
  struct Body {
    uint32_t Function;
    uint64_t Site;
    bool Calls;
    Way Ways[6];
  };

  uint64_t value(const Way &W, unsigned I) {
    switch (W.Kind) {
    case 0:
      return W.Base;
    case 1:
      return W.Base + I;
    case 2:
      return W.Base + I % 7;
    case 3:
      return Random() % 100;
    default:
      return W.Base * (Random() % 16 == 0);
    }
  }

  /// Names pass to other things, and the recorder is told.
  void forget() {
    R.Encoder.Segments[1 + Random() % 200] = int64_t(Random() % 50);
    R.renew(Renewal::Fleeting);
    R.Encoder.Ids[1 + Random() % 100] = int64_t(Random() % 50);
    R.renew(Renewal::Lasting);
  }

  void one(const Body &B, unsigned I) {
    auto V = [&](unsigned Slot) { return value(B.Ways[Slot], I); };
    auto Inside = [&] {
      R.send(48, 4096 + 8 * V(5), int64_t(V(4)));
      if (I % 3 == 0)
        R.call(0, 64, {R.buffer(0), number(0), number(-1), absent(), R.comm(0)}, [&] { R.send(80, 1, 7); });
    };
    std::function<void()> Deep;
    if (B.Calls)
      Deep = Inside;
    int64_t Ret = Random() % 200 ? 0 : 0x500 + int64_t(Random() % 3);
    switch (B.Function) {
    case 0: {
      uint64_t At = V(0) % 3 == 2 ? DataAt + 8 * V(1) : 4096 + 512 * V(1);
      R.call(0, B.Site,
             {V(0) % 16 == 15 ? R.buffer(V(0) % 2) : R.buffer(At), number(int64_t(V(2))), number(int64_t(V(3)) - 2),
              V(4) % 9 == 8 ? absent() : number(int64_t(V(4)) - 1), R.comm(V(5) % 20)},
             Deep, Ret);
      break;
    }
    case 1: {
      std::vector<uint64_t> Requests, Statuses;
      for (uint64_t J = 0, N = V(0) % 6; J < N; ++J) {
        Requests.push_back(V(1) + J);
        Statuses.insert(Statuses.end(), {V(2), V(3), 8 * V(4), 0});
        if (!Ret && Random() % 300 == 0)
          Statuses.back() = 15 << 1 | 1; // an error class
      }
      R.call(1, B.Site,
             {number(int64_t(Requests.size())), vector(Tag::Array, Requests),
              V(5) % 8 == 7 ? state(SentinelState - 1) : vector(Tag::Statuses, Statuses, StatusWords)},
             Deep, Ret);
      break;
    }
    case 2: {
      std::string Name(V(0) % 20, char('a' + V(1) % 3));
      R.call(2, B.Site,
             {V(1) % 7 == 6 ? state(NullState) : text(Name), number(int64_t(V(2) & 15)),
              number(int64_t(V(3)) * 1'000'000'007),
              V(4) % 5 == 4 ? state(AbsentState) : vector(Tag::Status, {V(4), V(5), 80, 0}, StatusWords)},
             Deep, Ret);
      break;
    }
    default: {
      std::vector<uint64_t> Types, Places;
      for (uint64_t J = 0, N = V(0) % 4; J < N; ++J) {
        Types.push_back(V(1) % 30 + J);
        Places.push_back(V(2) * 8 + J);
      }
      R.call(3, B.Site, {R.types(Types), vector(Tag::Array, Places), R.op(V(3)), R.buffer(4096 + V(4) % 20)}, Deep,
             Ret);
    }
    }
  }

  Recording &R;
  std::mt19937 Random;
};

} // namespace

TEST(Recorder, RandomProgramsComeOutAgain) {
  for (unsigned Seed = 0; Seed < 30; ++Seed) {
    Recording R;
    RandomCalls(R, Seed).run(2 + Seed % 40);
    ASSERT_EQ(R.Calls.calls(), R.Lines.size());
    R.expectSame("seed " + std::to_string(Seed));
    if (HasFailure())
      return;
  }
}

TEST(Recorder, EqualCallsGiveEqualTraces) {
  // Other addresses and handles, the same symbols.
  for (unsigned Seed = 100; Seed < 110; ++Seed) {
    Recording A, B;
    B.Encoder.AddressShift = 0x7000;
    B.Encoder.HandleShift = 0x44000000;
    RandomCalls(A, Seed).run(20);
    RandomCalls(B, Seed).run(20);
    ASSERT_EQ(A.Lines, B.Lines);
    EXPECT_EQ(writeTrace(A.finish()), writeTrace(B.finish())) << Seed;
  }
}

TEST(Recorder, ALoopCostsNothingMore) {
  size_t Bytes[2], Memory[2];
  for (unsigned I = 0; I < 2; ++I) {
    Recording R;
    for (unsigned N = 0; N < (I ? 50'000u : 500u); ++N) {
      R.send(16, 8192, 5);
      R.send(32, 8192 + 64, 6);
      R.call(1, 48, {number(2), vector(Tag::Array, {0, 1}), state(-3)});
    }
    unsigned Asked = R.Encoder.Asked;
    R.send(16, 8192, 5);
    EXPECT_EQ(R.Encoder.Asked, Asked);
    Memory[I] = R.Calls.memory();
    Bytes[I] = R.expectSame();
  }
  EXPECT_EQ(Memory[0], Memory[1]);
  EXPECT_LE(Bytes[1], Bytes[0] + 8);
}

TEST(Recorder, ACounterCostsNothingMore) {
  size_t Bytes[2];
  for (unsigned I = 0; I < 2; ++I) {
    Recording R;
    for (unsigned N = 0; N < (I ? 100'000u : 1000u); ++N) {
      R.send(16, 8192, N);                 // a tag that counts
      R.send(32, 8192 + 8 * (N % 500), 1); // a place that moves
      R.call(1, 48, {number(1), vector(Tag::Array, {N}), vector(Tag::Statuses, {N % 3, N, 8 * N, 0}, StatusWords)});
    }
    Bytes[I] = R.expectSame(std::to_string(I));
  }
  EXPECT_LE(Bytes[1], Bytes[0] + 64);
  EXPECT_LE(Bytes[1], 4096u);
}

TEST(Recorder, ASlotThatChangesMoreSlowlyFollows) {
  size_t Bytes[2];
  for (unsigned I = 0; I < 2; ++I) {
    Recording R;
    for (unsigned N = 0; N < (I ? 100'000u : 10'000u); ++N) {
      R.send(16, 4096 + 8 * (N / 20), N);
      R.call(0, 32, {R.buffer(8192), number(N < 300 ? 0 : N), number(0), number(N), R.comm(0)});
    }
    Bytes[I] = R.expectSame(std::to_string(I));
  }
  // After 10,000 calls the places come again, which is said once.
  EXPECT_LE(Bytes[1], Bytes[0] + 1024);
}

TEST(Recorder, CallersArePartOfTheSite) {
  const uint64_t Caller = uint64_t(1) << 32, Outer = uint64_t(1) << 48, Elsewhere = uint64_t(1) << 20;
  auto Record = [&](Recording &R) {
    for (unsigned N = 0; N < 200; ++N) {
      R.send(16, 8192, 1);
      R.send(16 + 64 * Caller, 8192, 1);
      R.send(16 + 65 * Caller, 8192, 1);
      R.send(16 + 65 * Caller + 66 * Outer + (N % 2 ? Elsewhere : 0), 8192, 1);
      R.send(16 + 66 * Caller + 66 * Outer, 8192, N); // a stream of its own
    }
  };
  Recording R, Again;
  Record(R);
  R.expectSame();
  Record(Again);
  // 66 alone, 65 and 66 that it calls, 64 and 65 alone, and the five.
  EXPECT_EQ(Again.finish().Groups[0].table(TableId::Sites).size(), 10u);
}

TEST(Recorder, AnAddressIsAnotherPlaceWhereAnotherModuleWas) {
  const uint64_t Caller = uint64_t(1) << 32;
  Recording R;
  for (unsigned N = 0; N < 40; ++N) {
    for (unsigned I = 0; I < 20; ++I) {
      R.send(16, 8192, 1);
      R.send(16 + 64 * Caller, 8192, 1);
      R.send(17, 8192, N * 20 + I); // a stream
    }
    ++R.Encoder.Unloads;
    R.renew(Renewal::Lasting);
  }
  R.expectSame();
}

TEST(Recorder, NewGenerationsAreAskedForAnew) {
  for (bool IsHandle : {false, true}) {
    Recording R;
    for (unsigned Round = 0; Round < 6; ++Round) {
      for (unsigned I = 0; I < 100; ++I) {
        R.send(16, 8192, 1, 7);
        R.send(32, 3 * 4096, 2, 8);
      }
      // The same raw values come to mean something else.
      if (IsHandle) {
        R.Encoder.Ids[7] = 100 + Round;
        R.renew(Renewal::Lasting);
      } else {
        R.Encoder.Segments[2] = 100 + Round;
        R.renew(Renewal::Fleeting);
      }
    }
    R.expectSame(IsHandle ? "handles" : "addresses");
  }
}

TEST(Recorder, NewGenerationsReachStreamedCalls) {
  Recording R;
  for (unsigned Round = 0; Round < 6; ++Round) {
    for (unsigned I = 0; I < 200; ++I)
      R.send(16, 8192, Round * 200 + I, 7);
    R.Encoder.Ids[7] = 100 + Round;
    R.renew(Renewal::Lasting);
  }
  R.expectSame();
}

TEST(Recorder, WhatLastsIsNotAskedForAgainWhenMemoryIsFreed) {
  Recording R;
  const auto Ask = [&](uint64_t Comm) {
    const unsigned Before = R.Encoder.Asked;
    for (unsigned I = 0; I < 20; ++I) {
      R.call(4, 16, {R.comm(Comm)});
      R.renew(Renewal::Fleeting);
    }
    return R.Encoder.Asked - Before;
  };
  EXPECT_EQ(Ask(7), 2u); // at first, and when it is found that nothing else is in the record
  EXPECT_EQ(Ask(7), 0u);
  R.Encoder.Ids[7] = 100;
  R.renew(Renewal::Lasting);
  EXPECT_GT(Ask(7), 0u);
  // A buffer beside it is not what lasts.
  const unsigned Before = R.Encoder.Asked;
  for (unsigned I = 0; I < 20; ++I) {
    R.send(32, 8192, 1, 7);
    R.Encoder.Segments[2] = 200 + I;
    R.renew(Renewal::Fleeting);
  }
  EXPECT_GE(R.Encoder.Asked, Before + 20);
  R.expectSame();
}

TEST(Recorder, AsksAnewWhereAnAnswerMustNotBeKept) {
  Recording R;
  R.Encoder.Fleeting = 1000;
  for (unsigned Round = 0; Round < 20; ++Round) {
    for (unsigned I = 0; I < 30; ++I) {
      R.Encoder.Segments[2] = 1000 + (Round + I / 4) % 3; // in the same generation
      R.send(16, 8192, 1, 7);
      R.send(32, 3 * 4096, 2, 8);
    }
    R.Encoder.Segments[2] = 50;
    for (unsigned I = 0; I < 10; ++I)
      R.send(16, 8192, 1, 7);
    R.renew(Renewal::Fleeting); // this was to be kept so long
  }
  R.expectSame();
}

TEST(Recorder, NamesAreThoseThatOccur) {
  Recording R;
  R.send(16, 8192, 3);
  R.call(2, 32, {text("f"), number(5), number(0), state(AbsentState)});
  TraceData T = R.finish();
  EXPECT_EQ(T.Names.count({"tag", -1}), 0u);
  EXPECT_EQ(T.Names.count({"error", 0}), 1u);
  EXPECT_EQ((T.Names.at({"mode", 4})), "MODE_FOUR"); // a bit of 5

  // A streamed slot is not looked at: all its names are there.
  Recording S;
  for (unsigned N = 0; N < 200; ++N)
    S.send(16, 8192, N);
  EXPECT_EQ((S.finish().Names.at({"tag", -1})), "ANY_TAG");
}

TEST(Recorder, ErrorsAreTheirClasses) {
  Recording R;
  for (unsigned N = 0; N < 500; ++N)
    R.call(
        1, 16,
        {number(1), vector(Tag::Array, {N}), vector(Tag::Statuses, {0, N, 0, N % 50 == 3 ? 15u << 1 : 0}, StatusWords)},
        {}, N % 50 == 3 ? 0x12300 + 17 : 0);
  R.expectSame();
}

TEST(Recorder, TimesAreSums) {
  Recording R;
  R.Calls.startClock(1000);
  for (unsigned N = 0; N < 100; ++N) { // each 5 ticks, 10 after the last
    R.send(16, 8192, 1);
    R.send(32, 8192, 2);
  }
  TraceData T = R.finish(2.0);
  ASSERT_TRUE(T.Groups.at(0).Timed);
  const auto &Measures = T.Groups[0].Nodes[0].Events.at(0).Measures;
  ASSERT_EQ(Measures.size(), 2u);
  for (const Measure &M : Measures) {
    EXPECT_EQ(M.calls(), 100u);
    EXPECT_EQ(M.sum(Metric::Duration), 100u * 5 * 2);
    EXPECT_EQ(M.sum(Metric::Gap), 100u * 10 * 2);
  }
  for (const Entry &E : T.Groups[0].table(TableId::Signatures))
    EXPECT_EQ(&E - T.Groups[0].table(TableId::Signatures).data(), E.measure(0));
  EXPECT_TRUE(Recording().finish(2.0).Groups.empty());
}

TEST(Recorder, TimesOfAllItemsAddUpAndGapsAreByPath) {
  Recording R;
  R.Calls.startClock(1000);
  for (unsigned N = 0; N < 1001; ++N)
    R.send(16 * (1 + N % 3), 8192, 1 + N % 7); // each 5 ticks, 10 after the last
  const double Nano = 0.37;
  TraceData T = R.finish(Nano);
  uint64_t Durations = 0, Gaps = 0, Begins = 0, Paths = 0;
  const auto &Measures = T.Groups.at(0).Nodes[0].Events.at(0).Measures;
  ASSERT_EQ(Measures.size(), 21u);
  for (const Measure &M : Measures) {
    Durations += M.sum(Metric::Duration);
    Gaps += M.sum(Metric::Gap);
    EXPECT_EQ(M.gaps().Count, M.calls());
    EXPECT_EQ(M.Duration.Min, 1u);
    EXPECT_EQ(M.Duration.MaxRank, 2u);
    for (const PathGap &G : M.Gaps) {
      ++Paths;
      Begins += G.Path.K == GapPath::Begin ? G.Gap.Count : 0;
      // 21 calls in a cycle: each follows upon the one before it.
      const auto Index = static_cast<uint32_t>(&M - Measures.data());
      EXPECT_TRUE(G.Path == GapPath() || G.Path == (GapPath{GapPath::Call, 0, (Index + 20) % 21}));
    }
  }
  // Not a nanosecond is lost by rounding each of 21 sums.
  EXPECT_EQ(Durations, static_cast<uint64_t>(1001 * 5 * Nano));
  EXPECT_EQ(Gaps, static_cast<uint64_t>(1001 * 10 * Nano));
  EXPECT_EQ(Begins, 1u);
  EXPECT_EQ(Paths, 22u) << "each call has one before it, and the first one also the begin";
  EXPECT_EQ(T.Groups[0].Nodes[0].Times.InMpi.Sum, Durations);
  EXPECT_EQ(T.Groups[0].Nodes[0].Times.Outside.Sum, Gaps);
}

/// Few numbers that are nearly the same: the squares of what the ticks are in nanoseconds are less than numbers can
/// have whose sum is rounded up.
TEST(Recorder, DeviationsAreThoseOfTheTicks) {
  std::mt19937 Random(3);
  for (unsigned Round = 0; Round < 300; ++Round) {
    Recording R;
    R.Calls.startClock(1000);
    const unsigned Usual = 1u << Random() % 24, Differ = 1 + Random() % 40;
    std::vector<double> Gaps[3]; // in ticks, of three calls in a cycle, but for the first one
    for (unsigned N = 0, Calls = 3 * (2 + Random() % 3); N < Calls; ++N) {
      const unsigned More = Usual + Random() % Differ;
      R.Clock += More;
      R.send(16, 8192, N % 3);
      if (N)
        Gaps[N % 3].push_back(More + 10); // those are the recording's
    }
    const double Nano = 0.2 + 0.001 * (Random() % 400);
    const TraceData T = R.finish(Nano);
    const auto &Measures = T.Groups.at(0).Nodes[0].Events.at(0).Measures;
    ASSERT_EQ(Measures.size(), 3u);
    for (unsigned M = 0; M < 3; ++M) {
      EXPECT_LT(Measures[M].Duration.deviation(), 1) << "each has 5 ticks";
      double Mean = 0, Around = 0;
      for (double Gap : Gaps[M])
        Mean += Gap / static_cast<double>(Gaps[M].size());
      for (double Gap : Gaps[M])
        Around += (Gap - Mean) * (Gap - Mean) / static_cast<double>(Gaps[M].size());
      const PathGap &Own = Measures[M].Gaps.back();
      ASSERT_EQ(Own.Gap.Count, Gaps[M].size());
      EXPECT_NEAR(Own.Gap.deviation(), std::sqrt(Around) * Nano, 1);
    }
  }
}

TEST(Recorder, LongRecordsAndShortOnesShareASite) {
  Recording R;
  for (unsigned N = 0; N < 300; ++N) {
    std::vector<uint64_t> Requests(N % 2 ? N * 20 : 1, N);
    R.call(1, 16, {number(int64_t(Requests.size())), vector(Tag::Array, Requests), state(SentinelState)});
  }
  R.expectSame();
}
