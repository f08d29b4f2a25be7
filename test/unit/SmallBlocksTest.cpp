//===- SmallBlocksTest.cpp - small blocks against a model -----------------===//
#include "memory/SmallBlocks.h"
#include "memory/Reserve.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <sys/resource.h>
#include <thread>
#include <vector>

using namespace pilgrim::memory;

namespace {

TEST(SmallBlocks, BlocksInUseAreApartAndKeepWhatIsInThem) {
  const auto Blocks = std::make_unique<SmallBlocks>();
  ASSERT_TRUE(Blocks->reserve());
  struct Block {
    size_t Size;
    uint8_t Content;
  };
  std::map<uint8_t *, Block> InUse;
  std::mt19937 Random(1);
  for (unsigned Step = 0; Step < 200000; ++Step) {
    if (InUse.empty() || Random() % 100 < 52) {
      const size_t Size = 1 + Random() % (Random() % 4 ? 64 : SmallBlocks::Largest);
      auto *B = static_cast<uint8_t *>(Blocks->take(Size));
      ASSERT_NE(B, nullptr);
      ASSERT_TRUE(Blocks->holds(B));
      ASSERT_EQ(reinterpret_cast<uintptr_t>(B) % 16, 0u);
      const auto Next = InUse.lower_bound(B);
      ASSERT_TRUE(Next == InUse.end() || B + Size <= Next->first);
      ASSERT_TRUE(Next == InUse.begin() || std::prev(Next)->first + std::prev(Next)->second.Size <= B);
      const auto Content = static_cast<uint8_t>(Random());
      std::memset(B, Content, Size);
      InUse[B] = {Size, Content};
    } else {
      auto It = std::next(InUse.begin(), Random() % std::min<size_t>(InUse.size(), 20));
      for (size_t I = 0; I < It->second.Size; ++I)
        ASSERT_EQ(It->first[I], It->second.Content);
      Blocks->giveBack(It->first);
      InUse.erase(It);
    }
  }
}

TEST(SmallBlocks, ServesNeitherLargeOnesNorMoreThanThereIsRoomFor) {
  const auto Blocks = std::make_unique<SmallBlocks>();
  EXPECT_EQ(Blocks->take(16), nullptr); // nothing is reserved
  int Elsewhere;
  EXPECT_FALSE(Blocks->holds(&Elsewhere));
  EXPECT_FALSE(Blocks->holds(nullptr));
  ASSERT_TRUE(Blocks->reserve());
  EXPECT_EQ(Blocks->take(SmallBlocks::Largest + 1), nullptr);
  EXPECT_FALSE(Blocks->holds(&Elsewhere));
  std::vector<void *> All;
  while (void *B = Blocks->take(SmallBlocks::Largest))
    All.push_back(B);
  EXPECT_EQ(All.size(), SmallBlocks::Room / SmallBlocks::Largest);
  EXPECT_EQ(Blocks->take(16), nullptr);
  Blocks->giveBack(All[7]);
  EXPECT_EQ(Blocks->take(SmallBlocks::Largest), All[7]);
  EXPECT_EQ(Blocks->take(SmallBlocks::Largest), nullptr);
}

/// The program may need all the addresses that it may have.
TEST(SmallBlocks, AreNotTakenWhereAddressesAreLimited) {
  rlimit Before, Now;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &Before), 0);
  Now = Before;
  Now.rlim_cur = std::min(Before.rlim_max, rlim_t(1) << 46);
  if (Now.rlim_cur == RLIM_INFINITY || setrlimit(RLIMIT_AS, &Now) != 0)
    GTEST_SKIP();
  const auto Blocks = std::make_unique<SmallBlocks>();
  EXPECT_FALSE(Blocks->reserve());
  EXPECT_EQ(Blocks->take(16), nullptr);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &Before), 0);
  EXPECT_TRUE(Blocks->reserve());
}

/// Of this thread, as the runtime takes and gives them.
TEST(SmallBlocks, AreUsedByOneThreadAtATimeAndAsLongAsAsked) {
  void *Before = ownMalloc(100), *During, *Others = nullptr;
  {
    const UseSmallBlocks Use;
    During = ownMalloc(100);
    ownFree(During);
    EXPECT_EQ(ownMalloc(100), During); // the last one that was given back
    ownFree(Before);
    std::thread([&] {
      const UseSmallBlocks Second;
      Others = ownMalloc(100);
      ownFree(During); // is lost
    }).join();
    EXPECT_NE(ownMalloc(100), During);
  }
  EXPECT_NE(Others, nullptr);
  ownFree(Others);
  void *After = ownMalloc(100);
  EXPECT_NE(After, During);
  ownFree(During); // likewise
  ownFree(After);
  {
    const UseSmallBlocks Again;
    void *B = ownMalloc(100);
    EXPECT_NE(B, During);
    ownFree(B);
    EXPECT_EQ(ownMalloc(100), B);
  }
}

} // namespace
