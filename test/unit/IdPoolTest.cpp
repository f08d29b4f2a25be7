//===- IdPoolTest.cpp - Tests of core/IdPool.h
//-----------------------------===//
//
// The lowest free id comes first, the pool grows, and over random operations it
// agrees with an ordered set of free ids.  Speed is not looked at.
//
//===----------------------------------------------------------------------===//

#include "core/IdPool.h"

#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

using pilgrim::IdPool;

TEST(IdPool, GivesConsecutiveIds) {
  IdPool Pool;
  for (std::uint32_t I = 0; I < 300000; ++I)
    ASSERT_EQ(Pool.alloc(), I);
  EXPECT_EQ(Pool.size(), 300000u);
}

TEST(IdPool, GivesTheLowestFreeId) {
  IdPool Pool;
  for (int I = 0; I < 10000; ++I)
    Pool.alloc();
  EXPECT_TRUE(Pool.free(7000));
  EXPECT_TRUE(Pool.free(63));
  EXPECT_TRUE(Pool.free(64));
  EXPECT_TRUE(Pool.free(9999));
  EXPECT_EQ(Pool.alloc(), 63u);
  EXPECT_EQ(Pool.alloc(), 64u);
  EXPECT_EQ(Pool.alloc(), 7000u);
  EXPECT_EQ(Pool.alloc(), 9999u);
  EXPECT_EQ(Pool.alloc(), 10000u);
}

TEST(IdPool, RefusesToFreeWhatIsNotInUse) {
  IdPool Pool;
  EXPECT_FALSE(Pool.free(0));
  EXPECT_FALSE(Pool.free(IdPool::None));
  EXPECT_EQ(Pool.alloc(), 0u);
  EXPECT_TRUE(Pool.used(0));
  EXPECT_FALSE(Pool.used(1));
  EXPECT_FALSE(Pool.used(1u << 29));
  EXPECT_TRUE(Pool.free(0));
  EXPECT_FALSE(Pool.free(0));
  EXPECT_EQ(Pool.size(), 0u);
}

TEST(IdPool, ClearFreesAll) {
  IdPool Pool;
  for (int I = 0; I < 5000; ++I)
    Pool.alloc();
  Pool.clear();
  EXPECT_EQ(Pool.size(), 0u);
  EXPECT_FALSE(Pool.used(0));
  EXPECT_EQ(Pool.alloc(), 0u);
}

TEST(IdPool, AgreesWithASetOfFreeIds) {
  IdPool Pool;
  std::set<std::uint32_t> Free;
  std::vector<std::uint32_t> Used;
  std::uint32_t Next = 0;
  std::mt19937 Random(1);
  for (int I = 0; I < 400000; ++I) {
    // Phases of growth and of shrinking, so that whole words fill and empty.
    bool Grow = Random() % 8 < ((I / 50000) % 2 ? 2u : 6u);
    if (Grow || Used.empty()) {
      std::uint32_t Expected = Next;
      if (Free.empty()) {
        ++Next;
      } else {
        Expected = *Free.begin();
        Free.erase(Free.begin());
      }
      ASSERT_EQ(Pool.alloc(), Expected);
      Used.push_back(Expected);
    } else {
      std::size_t Which = Random() % Used.size();
      ASSERT_TRUE(Pool.free(Used[Which]));
      Free.insert(Used[Which]);
      Used[Which] = Used.back();
      Used.pop_back();
    }
    ASSERT_EQ(Pool.size(), Used.size());
  }
}
