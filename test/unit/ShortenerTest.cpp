// trace/ranks/Shortener.h and Shortener.cpp: functions that were seen before become what they became then.
#include "trace/ranks/Shortener.h"
#include "test/unit/Ranks.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

TEST(Shortener, FindsWhatShortenFinds) {
  std::mt19937 Random(3);
  const RankFn::ContextFn Ctx = [](uint32_t R) { return RankContext{R, 16}; };
  Shortener Known;
  for (unsigned N = 0; N < 500; ++N) {
    const RankSet Ranks = RankSet::below(5 + Random() % 3);
    std::vector<int64_t> Values;
    for (uint32_t R = 0; R < Ranks.size(); ++R)
      Values.push_back(Random() % 2 ? R / 2 : 7);
    RankFn F = RankFn::ofValues(Values, Ranks), Expected = F;
    Expected.shorten(Ranks, Ctx);
    Known.shorten(F, Ranks, Ctx);
    EXPECT_TRUE(F.isSame(Expected));
    EXPECT_EQ(bytesOf(F), bytesOf(Expected));
  }
}
