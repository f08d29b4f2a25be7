// proxygen/extrapolate/PlainTrace.h: lists of numbers from traces, and traces from them.
#include "proxygen/extrapolate/PlainTrace.h"
#include "test/unit/Samples.h"
#include "test/unit/Sequences.h"
#include "trace/file/Format.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
/// Through lists and back; the file must be the same.
void expectSame(TraceData Timed) {
  TraceData T = withoutTimes(std::move(Timed));
  const std::vector<uint8_t> File = writeTrace(T);
  const auto Lists = plainLists(T);
  ASSERT_TRUE(Lists);
  auto Again = traceOf(*Lists, T);
  ASSERT_TRUE(Again) << Again.error();
  EXPECT_EQ(writeTrace(*Again), File);
}

TEST(PlainTrace, ThereAndBack) {
  expectSame(tiny());
  expectSame(tags());
  expectSame(ranks());
  expectSame(nodes());
  expectSame(vectors());
  expectSame(border());
}

TEST(PlainTrace, RandomPrograms) {
  for (unsigned Seed = 0; Seed < 40; ++Seed) {
    SCOPED_TRACE(Seed);
    expectSame(join(rankTraces(randomRun(Seed, 6))));
  }
}

/// Calls F for all streams of numbers of a trace.
template <typename Fn> void forEachStream(const TraceData &T, Fn &&F) {
  for (const Group &G : T.Groups)
    for (const NodeData &N : G.Nodes) {
      F(N.Visits);
      for (const auto &[Id, E] : N.Events) {
        F(E.PassesToChange);
        F(E.UsualItems);
        for (const auto &[Key, Streams] : E.Streams)
          F(Streams);
      }
    }
}
std::vector<std::vector<int64_t>> streamsOf(const TraceData &T) {
  std::vector<std::vector<int64_t>> Out;
  forEachStream(T, [&](const RankedStreams &L) {
    for (const RankedStream &S : L)
      S.Ranks.forEach([&](uint32_t R) { Out.push_back(expand(S.of(R, T.World))); });
  });
  return Out;
}

TEST(PlainTrace, EqualValuesHaveOneForm) {
  // 7 six times: a run of six, and a run of two, three times.
  auto Of = [](uint64_t Run, uint64_t Times) {
    TraceData T = withoutTimes(nodes());
    RankedStreams *Last = nullptr;
    forEachStream(T, [&](const RankedStreams &L) { Last = L.empty() ? Last : const_cast<RankedStreams *>(&L); });
    RankedStream &S = Last->front();
    S.Functions.clear();
    S.Values.Runs = {{7, 0, Run}, {1, 2, 3}};
    S.Values.Order.Rules = {{{0, false, Times}, {1, false, 2}}};
    return T;
  };
  const TraceData One = Of(6, 1), Three = Of(2, 3), A = withoutTimes(One), B = withoutTimes(Three);
  EXPECT_NE(writeTrace(One), writeTrace(Three));
  EXPECT_EQ(writeTrace(A), writeTrace(B));
  EXPECT_EQ(streamsOf(A), streamsOf(One));
  EXPECT_EQ(streamsOf(B), streamsOf(One));
  for (unsigned Seed = 0; Seed < 40; ++Seed) {
    const TraceData T = join(rankTraces(randomRun(Seed, 6)));
    EXPECT_EQ(streamsOf(withoutTimes(T)), streamsOf(T)) << Seed;
  }
}

TEST(PlainTrace, NumbersOutOfRangeAreNoTrace) {
  TraceData T = withoutTimes(tiny());
  auto Lists = *plainLists(T);
  ASSERT_TRUE(traceOf(Lists, T));
  auto Without = Lists;
  Without.pop_back();
  EXPECT_FALSE(traceOf(Without, T));
  for (PlainList &L : Lists)
    for (PlainRecord &R : L.Records)
      if (!R.Values.empty()) {
        auto Kept = R.Values;
        R.Values.back().V = int64_t(1) << 40;
        R.Values.push_back({PlainValue::Natural, 1});
        EXPECT_FALSE(traceOf(Lists, T));
        R.Values = std::move(Kept);
      }
}
} // namespace
