//===- ReserveTest.cpp - what is left free ---------------------------------===//
#include "memory/Reserve.h"
#include "platform/FreeMemory.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <thread>

using namespace pilgrim;
using namespace pilgrim::memory;

namespace {

/// Takes Count blocks of Size bytes, as long as there is memory. What is taken is not given back.
bool take(size_t Count, size_t Size) {
  return tryInMemory([&] {
    for (size_t I = 0; I < Count; ++I)
      *static_cast<volatile char *>(ownMalloc(Size)) = 1;
  });
}

TEST(KeepFree, WorkEndsWhereLessWouldBeLeft) {
  for (const bool Small : {false, true}) {
    std::thread([Small] {
      std::optional<UseSmallBlocks> Blocks;
      if (Small)
        Blocks.emplace();
      for (const size_t Size : {size_t(48), size_t(100000)}) {
        EXPECT_TRUE(take(1000, Size));
        {
          const KeepFree All(UINT64_MAX);
          EXPECT_FALSE(take(100000, Size)) << Size;
          {
            const KeepFree Some(1);
            EXPECT_TRUE(take(1000, Size)) << Size << ", the inner one counts";
          }
          EXPECT_FALSE(take(100000, Size)) << Size << ", the outer one again";
          ownFree(ownMalloc(Size)); // of work that cannot be given up
          std::thread([Size] { EXPECT_TRUE(take(1000, Size)) << "of another thread"; }).join();
        }
        EXPECT_TRUE(take(1000, Size)) << Size << ", at the end";
      }
    }).join();
  }
}

TEST(KeepFree, WhatOthersTakeCounts) {
  // A quarter of a gigabyte may be taken, by this thread and all others of the machine. It asks for eight times as
  // much.
  constexpr uint64_t Room = uint64_t(256) << 20;
  const uint64_t Free = freeMemory();
  if (Free == UINT64_MAX || Free < 16 * Room)
    GTEST_SKIP() << "there is not enough memory to see it";
  std::thread([&] {
    const UseSmallBlocks Blocks;
    const KeepFree Rest(Free - Room);
    EXPECT_FALSE(take(8 * Room / 1024, 1024));
  }).join();
}

} // namespace
