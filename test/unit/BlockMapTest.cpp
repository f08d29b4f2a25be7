//===- BlockMapTest.cpp - Tests of memory/BlockMap.h
//-----------------------===//
//
// The block map by itself, on addresses that no allocator gives out: the map
// never touches the memory it describes.  That the malloc wrappers feed it
// rightly is for SegmentsTest.
//
//===----------------------------------------------------------------------===//

#include "memory/BlockMap.h"

#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <thread>
#include <vector>

using namespace pilgrim::memory;

namespace {

constexpr std::uintptr_t Chunk16M = std::uintptr_t(1) << 24;
/// Each test uses addresses of its own above this, and leaves them clean.
constexpr std::uintptr_t Origin = 0x100000000000;

void *pointer(std::uintptr_t Address) { return reinterpret_cast<void *>(Address); }

bool erase(std::uintptr_t Base) {
  Block Old;
  return eraseSmallBlock(pointer(Base)) || eraseBlock(pointer(Base), Old);
}

/// Expects that \p Address is found in the block at \p Base.
void expectIn(std::uintptr_t Address, std::uintptr_t Base) {
  Block Found;
  ASSERT_TRUE(findBlock(pointer(Address), Found)) << std::hex << Address;
  EXPECT_EQ(Found.Base, Base) << std::hex << Address;
}

void expectNowhere(std::uintptr_t Address) {
  Block Found;
  EXPECT_FALSE(findBlock(pointer(Address), Found)) << std::hex << Address << " in " << Found.Base;
}

class BlockMapSizes : public testing::TestWithParam<std::size_t> {};

} // namespace

TEST_P(BlockMapSizes, AllOfTheBlockIsFoundAndNothingElse) {
  std::size_t Size = GetParam();
  std::size_t Rounded = Size ? (Size + 15) / 16 * 16 : 16;
  // In the middle of a chunk, at its first and at its last granules.
  for (std::uintptr_t Base : {Origin + 0x10010, Origin + 2 * Chunk16M, Origin + 2 * Chunk16M - 16,
                              Origin + 2 * Chunk16M - 32, Origin + 2 * Chunk16M - 48}) {
    insertBlock(pointer(Base), Size);
    Block Found;
    ASSERT_TRUE(blockAt(pointer(Base), Found));
    EXPECT_EQ(Found.Size, Rounded);
    EXPECT_FALSE(Found.Registered);
    for (std::size_t Offset : {std::size_t(0), std::size_t(1), Rounded / 3, Rounded / 2, Rounded - 16, Rounded - 1})
      expectIn(Base + Offset, Base);
    for (std::size_t Offset = 0; Offset < Rounded; Offset += 65536 + 48)
      expectIn(Base + Offset, Base);
    if ((Base + Rounded) % 4096)
      expectIn(Base + Rounded, Base);
    else
      expectNowhere(Base + Rounded);
    expectNowhere(Base + Rounded + 1);
    expectNowhere(Base - 1);

    // The next block begins where this one ends.
    insertBlock(pointer(Base + Rounded), 24);
    expectIn(Base + Rounded - 1, Base);
    expectIn(Base + Rounded, Base + Rounded);
    expectIn(Base + Rounded + 23, Base + Rounded);
    EXPECT_TRUE(erase(Base + Rounded));

    markRegistered(Base);
    ASSERT_TRUE(findBlock(pointer(Base + Rounded - 1), Found));
    EXPECT_TRUE(Found.Registered);
    EXPECT_EQ(Found.Size, Rounded);
    EXPECT_FALSE(eraseSmallBlock(pointer(Base)));
    Block Old;
    EXPECT_TRUE(eraseBlock(pointer(Base), Old));
    EXPECT_TRUE(Old.Registered);
    EXPECT_EQ(Old.Size, Rounded);
    EXPECT_FALSE(erase(Base));
    for (std::size_t Offset = 0; Offset < Rounded; Offset += 65536)
      expectNowhere(Base + Offset);
    expectNowhere(Base + Rounded - 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, BlockMapSizes,
                         testing::Values(0, 1, 15, 16, 17, 960, 975, 976, 977, 992, 2048, 2064, 4096, 100000, 131072,
                                         262127, 262128, 262129, 262143, 262144, 262145, 1 << 20, (16 << 20) - 16,
                                         16 << 20, (16 << 20) + 16, 100 << 20, std::size_t(5) << 30));

TEST(BlockMap, KnowsNothingAtFirst) {
  expectNowhere(0);
  expectNowhere(16);
  expectNowhere(Origin + 1000 * Chunk16M);
  expectNowhere(UINTPTR_MAX);
  expectNowhere(std::uintptr_t(1) << 48);
  insertBlock(nullptr, 16);
  expectNowhere(0);
  EXPECT_FALSE(erase(0));
}

TEST(BlockMap, TellsLargeNeighboursApart) {
  std::uintptr_t Base = Origin + 300 * Chunk16M;
  insertBlock(pointer(Base + 0x20000), 0x40000);      // Starts in part 0.
  insertBlock(pointer(Base + 0x60000 + 16), 0x40000); // Starts in part 1.
  expectIn(Base + 0x20000, Base + 0x20000);
  expectIn(Base + 0x40000, Base + 0x20000);
  expectIn(Base + 0x5ffff, Base + 0x20000);
  expectNowhere(Base + 0x60000);
  expectIn(Base + 0x60010, Base + 0x60010);
  expectIn(Base + 0xa000f, Base + 0x60010);
  EXPECT_TRUE(erase(Base + 0x60010));
  expectNowhere(Base + 0x60010);
  expectIn(Base + 0x5ffff, Base + 0x20000);
  EXPECT_TRUE(erase(Base + 0x20000));
}

TEST(BlockMap, AgreesWithAnOrderedMap) {
  constexpr std::uintptr_t First = Origin + 500 * Chunk16M;
  constexpr std::uintptr_t Span = 6 * Chunk16M;
  std::map<std::uintptr_t, std::size_t> Model; // Base to rounded size.
  auto HolderOf = [&](std::uintptr_t Address) -> std::uintptr_t {
    auto It = Model.upper_bound(Address);
    if (It == Model.begin())
      return 0;
    --It;
    std::size_t Offset = Address - It->first;
    return Offset < It->second || (Offset == It->second && Address % 4096) ? It->first : 0;
  };
  std::mt19937_64 Random(2);
  for (int I = 0; I < 300000; ++I) {
    std::uintptr_t Address = First + Random() % Span;
    switch (Random() % 4) {
    case 0:
    case 1: {
      std::uintptr_t Base = Address & ~std::uintptr_t(15);
      std::size_t Size = (Random() % (std::size_t(1) << (Random() % 26))) + 1;
      std::size_t Rounded = (Size + 15) / 16 * 16;
      auto Next = Model.lower_bound(Base);
      if (Next != Model.end() && Next->first < Base + Rounded)
        break;
      if (Next != Model.begin()) {
        auto Before = std::prev(Next);
        if (Before->first + Before->second > Base)
          break;
      }
      insertBlock(pointer(Base), Size);
      Model[Base] = Rounded;
      break;
    }
    case 2:
      if (std::uintptr_t Base = HolderOf(Address)) {
        ASSERT_TRUE(erase(Base));
        Model.erase(Base);
      }
      break;
    default: {
      // Half of the time look near a block, where mistakes would be.
      auto It = Model.lower_bound(Address);
      if (It != Model.end() && Random() % 2)
        Address = It->first + (Random() % 2 ? It->second : 0) + Random() % 33 - 16;
      Block Found;
      bool Hit = findBlock(pointer(Address), Found);
      ASSERT_EQ(Hit ? Found.Base : 0, HolderOf(Address)) << std::hex << Address;
      if (Hit) {
        ASSERT_EQ(Found.Size, Model[Found.Base]);
      }
      break;
    }
    }
  }
  for (auto [Base, Size] : Model)
    ASSERT_TRUE(erase(Base));
}

TEST(BlockMap, ThreadsMakeChunksAtOnce) {
  constexpr std::size_t NumThreads = 4;
  constexpr std::uintptr_t First = Origin + 2000 * Chunk16M;
  std::atomic<std::size_t> Ready = 0;
  std::vector<std::thread> Threads;
  Threads.reserve(NumThreads);
  for (std::size_t T = 0; T < NumThreads; ++T)
    Threads.emplace_back([&, T] {
      ++Ready;
      while (Ready < NumThreads) {
      }
      for (std::uintptr_t I = 0; I < 200; ++I)
        insertBlock(pointer(First + I * Chunk16M + T * 16), 16);
    });
  for (auto &Thread : Threads)
    Thread.join();
  for (std::uintptr_t I = 0; I < 200; ++I)
    for (std::size_t T = 0; T < NumThreads; ++T)
      EXPECT_TRUE(erase(First + I * Chunk16M + T * 16));
}
