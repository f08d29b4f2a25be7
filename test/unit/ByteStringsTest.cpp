// trace/base/ByteStrings.h: equal strings have one number.
#include "trace/base/ByteStrings.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace pilgrim;

TEST(ByteStrings, EqualOnesHaveTheNumberOfTheFirst) {
  std::mt19937 Random(1);
  ByteStrings Strings;
  std::map<std::vector<uint8_t>, uint32_t> Wanted;
  std::vector<std::vector<uint8_t>> InOrder;
  for (unsigned N = 0; N < 2000; ++N) {
    std::vector<uint8_t> S(Random() % 4);
    for (uint8_t &B : S)
      B = static_cast<uint8_t>(Random() % 8);
    const auto [At, IsNew] = Wanted.try_emplace(S, static_cast<uint32_t>(InOrder.size()));
    if (IsNew)
      InOrder.push_back(S);
    EXPECT_EQ(Strings.number(S), At->second);
  }
  EXPECT_EQ(std::vector(Strings.begin(), Strings.end()), InOrder);
  EXPECT_EQ(Strings.size(), InOrder.size());
}
