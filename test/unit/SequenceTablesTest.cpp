// proxygen/proxy/SequenceTables.h: many numbers as a stream that is shorter.
#include "proxygen/proxy/SequenceTables.h"
#include "test/unit/Sequences.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
TEST(SequenceTables, PartnersInATorus) {
  Numbers Partners;
  for (int64_t R = 0; R < 4096; ++R)
    Partners.push_back(R / 16 * 16 + (R + 1) % 16);
  const auto D = shorterStream(Partners);
  ASSERT_TRUE(D);
  EXPECT_TRUE(D->AreSteps);
  EXPECT_EQ(expand(*D), Partners);
  EXPECT_LT(D->Runs.size() + D->Order.symbols(), 40u);
}

TEST(SequenceTables, AnyNumbers) {
  Numbers Large;
  for (int I = 0; I < 400; ++I)
    Large.push_back(I % 2 ? INT64_MAX : INT64_MIN);
  const auto D = shorterStream(Large);
  ASSERT_TRUE(D);
  EXPECT_EQ(expand(*D), Large);
}

TEST(SequenceTables, FewOrWithoutARule) {
  Numbers Few(100);
  std::iota(Few.begin(), Few.end(), 0);
  EXPECT_FALSE(shorterStream(Few));
  std::mt19937 Random(1);
  Numbers Many;
  for (int I = 0; I < 4096; ++I)
    Many.push_back(static_cast<int64_t>(Random() % 1000));
  EXPECT_FALSE(shorterStream(Many));
}
} // namespace
