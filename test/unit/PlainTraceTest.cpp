// proxygen/extrapolate/PlainTrace.h: lists of numbers from traces, and traces from them.
#include "proxygen/extrapolate/PlainTrace.h"
#include "test/unit/Samples.h"
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
