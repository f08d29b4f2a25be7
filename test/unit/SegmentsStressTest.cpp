//===- SegmentsStressTest.cpp - Heap segments under load
//-------------------===//
//
// Random operations on the heap compared with a simple model, and threads that
// allocate and locate while the process forks.  What single calls do is for
// SegmentsTest.
//
// To use a thread sanitizer leave MallocWrappers.cpp and BlockMap.cpp out of
// it: they run in threads that the sanitizer does not know yet.
//
//===----------------------------------------------------------------------===//

#include "memory/Segments.h"
#include "platform/Generation.h"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace pilgrim::memory;
using pilgrim::generation;

__attribute__((constructor(101))) static void start() { enable(); }

namespace {

// Called through pointers so that the compiler drops no allocation.
void *(*volatile Malloc)(std::size_t) = std::malloc;
void *(*volatile Realloc)(void *, std::size_t) = std::realloc;
void (*volatile Free)(void *) = std::free;

char *allocate(std::size_t Size) { return static_cast<char *>(Malloc(Size)); }

char *resize(void *Block, std::size_t Size) { return static_cast<char *>(Realloc(Block, Size)); }

void release(void *Block) { Free(Block); }

int Static = 1;

/// What the segments ought to be.
class Model {
public:
  struct Entry {
    std::size_t Size = 0;
    bool Registered = false;
    std::uint32_t Id = 0;
  };
  std::map<char *, Entry> Blocks;

  void remove(char *Base) {
    auto It = Blocks.find(Base);
    if (It->second.Registered)
      FreeIds.insert(It->second.Id);
    Blocks.erase(It);
  }

  Location locate(char *Address) {
    auto It = std::prev(Blocks.upper_bound(Address));
    Entry &Block = It->second;
    if (!Block.Registered) {
      Block.Registered = true;
      if (FreeIds.empty()) {
        Block.Id = NextId++;
      } else {
        Block.Id = *FreeIds.begin();
        FreeIds.erase(FreeIds.begin());
      }
    }
    return {SegmentKind::Heap, Block.Id, Address - It->first, nullptr};
  }

private:
  std::set<std::uint32_t> FreeIds;
  std::uint32_t NextId = 0;
};

std::size_t Released;

} // namespace

TEST(SegmentsStress, AgreesWithAModel) {
  setReleaseHook([](const Location &, const void *, Release) -> Reuse {
    ++Released;
    return {};
  });
  Model Expected;
  std::vector<char *> Live;
  std::mt19937_64 Random(3);
  auto RandomSize = [&] { return std::size_t(1 + Random() % (std::size_t(1) << (Random() % 22))); };
  std::size_t MustRelease = 0;
  for (unsigned I = 0; I < 100000; ++I) {
    std::size_t Which = Live.empty() ? 0 : Random() % Live.size();
    unsigned Operation = Live.size() < 10 ? 0 : unsigned(Random() % 16);
    if (Operation < 4 && Live.size() < 500) {
      std::size_t Size = RandomSize();
      Live.push_back(allocate(Size));
      Expected.Blocks[Live.back()] = {Size};
    } else if (Operation < 7) {
      MustRelease += Expected.Blocks[Live[Which]].Registered;
      release(Live[Which]);
      Expected.remove(Live[Which]);
      Live[Which] = Live.back();
      Live.pop_back();
    } else if (Operation < 9) {
      char *Old = Live[Which];
      // Half of the time a small change, which leaves the block in its place.
      std::size_t Size = Expected.Blocks[Old].Size;
      Size = Random() % 2 ? RandomSize() : Size - Size / 8;
      std::uint64_t Before = generation();
      char *New = resize(Old, Size);
      ASSERT_NE(New, nullptr);
      if (New == Old) {
        Expected.Blocks[Old].Size = Size;
      } else {
        if (Expected.Blocks[Old].Registered) {
          ++MustRelease;
          ASSERT_NE(generation(), Before);
        }
        Expected.remove(Old);
        Expected.Blocks[New] = {Size};
        Live[Which] = New;
      }
    } else {
      // At the start, at the end, and anywhere within.
      std::size_t Size = Expected.Blocks[Live[Which]].Size;
      std::size_t Offset = Random() % Size;
      if (Operation == 9)
        Offset = 0;
      else if (Operation == 10)
        Offset = Size - 1;
      char *Address = Live[Which] + Offset;
      ASSERT_EQ(locate(Address), Expected.locate(Address)) << I;
    }
    ASSERT_EQ(Released, MustRelease);
  }
  for (char *Block : Live)
    release(Block);
  setReleaseHook(nullptr);
}

/// Allocates, locates and frees for \p Rounds and until \p Stop.  Returns
/// whether all addresses were found as they should.
static bool hammer(unsigned Seed, unsigned Rounds, const std::atomic<bool> &Stop) {
  std::mt19937 Random(Seed);
  auto RandomSize = [&] { return 1 + Random() % (1u << (Random() % 20)); };
  std::vector<char *> Live(64);
  bool Ok = true;
  for (unsigned I = 0; I < Rounds || !Stop; ++I) {
    char *&Block = Live[Random() % Live.size()];
    release(Block);
    std::size_t Size = RandomSize();
    Block = allocate(Size);
    if (Random() % 3 == 0) {
      Size = RandomSize();
      Block = resize(Block, Size);
    }
    std::size_t Offset = Random() % Size;
    Location Found = locate(Block + Offset);
    Ok = Ok && Found.Kind == SegmentKind::Heap && Found.Offset == std::int64_t(Offset) &&
         locate(Block + Size - 1).Id == Found.Id && locate(&Static).Kind == SegmentKind::Data &&
         locate(&Found).Kind == SegmentKind::Stack;
  }
  for (char *Block : Live)
    release(Block);
  return Ok;
}

TEST(SegmentsStress, IdsOfThreadsDiffer) {
  constexpr unsigned NumThreads = 4, NumBlocks = 2000;
  std::vector<std::vector<std::uint32_t>> Ids(NumThreads);
  std::atomic<unsigned> Done = 0;
  std::vector<std::thread> Threads;
  Threads.reserve(4);
  for (auto &Own : Ids)
    Threads.emplace_back([&Own, &Done] {
      std::vector<char *> Blocks;
      for (unsigned I = 0; I < NumBlocks; ++I) {
        Blocks.push_back(allocate(1 + I));
        Own.push_back(locate(Blocks.back() + I).Id);
      }
      // Kept until the end, as otherwise ids would be used again.
      ++Done;
      while (Done < NumThreads)
        std::this_thread::yield();
      for (char *Block : Blocks)
        release(Block);
    });
  for (auto &Thread : Threads)
    Thread.join();
  std::set<std::uint32_t> All;
  for (auto &Own : Ids)
    All.insert(Own.begin(), Own.end());
  EXPECT_EQ(All.size(), NumThreads * NumBlocks);
  EXPECT_EQ(*All.rbegin(), NumThreads * NumBlocks - 1);
}

TEST(SegmentsStress, ThreadsAndFork) {
  std::atomic<bool> Stop = false;
  std::atomic<unsigned> Failures = 0;
  std::vector<std::thread> Threads;
  Threads.reserve(4);
  for (unsigned T = 0; T < 3; ++T)
    Threads.emplace_back([&, T] { Failures += !hammer(T, 20000, Stop); });
#ifdef __SANITIZE_THREAD__
  // The sanitizer's allocator does not survive a fork amid threads.
  constexpr unsigned NumForks = 0;
#else
  constexpr unsigned NumForks = 50;
#endif
  for (unsigned I = 0; I < NumForks; ++I) {
    pid_t Child = fork();
    if (Child == 0) {
      alarm(30); // A lock that is inherited locked would hang here.
      Stop = true;
      _exit(hammer(I, 500, Stop) ? 0 : 1);
    }
    int Status = -1;
    EXPECT_EQ(waitpid(Child, &Status, 0), Child);
    EXPECT_EQ(Status, 0);
  }
  Stop = true;
  for (auto &Thread : Threads)
    Thread.join();
  EXPECT_EQ(Failures, 0u);
}
