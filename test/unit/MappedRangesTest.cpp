//===- MappedRangesTest.cpp - mappings and their names --------------------===//
//
// Random operations on mappings compared with a model that has an entry for each page. Nothing is really mapped. What
// the wrappers make of calls is for test/lit/memory/mapped.test.
//
//===----------------------------------------------------------------------===//
#include "memory/Internal.h"
#include "platform/Generation.h"

#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

using namespace pilgrim::memory;
using pilgrim::generation;

__attribute__((constructor(101))) static void start() { enable(); }

namespace {

constexpr uintptr_t Page = 4096, Start = uintptr_t(1) << 46;

/// Numbers of mappings that went.
std::multiset<uint32_t> Gone;
Release HowGone;

struct HookScope {
  HookScope() {
    Gone.clear();
    setReleaseHook([](const Location &Segment, const void *, Release How) -> Reuse {
      Gone.insert(Segment.Id);
      HowGone = How;
      return {};
    });
  }
  ~HookScope() { setReleaseHook(nullptr); }
};

void unmap(uintptr_t Low, uintptr_t High, bool Fails = false) {
  Unmapping U(Low, High);
  Fails ? U.failed() : U.succeeded();
}

/// The number of the mapping at Address, which begins at Base; NoId if there is none.
uint32_t idAt(uintptr_t Address, uintptr_t Base) {
  Location Found;
  if (!findMapped(Address, Found))
    return NoId;
  EXPECT_EQ(Found, (Location{SegmentKind::Heap, Found.Id, int64_t(Address - Base), nullptr}));
  return Found.Id;
}

/// What a page belongs to.
struct Owner {
  int Mapping = -1;
  uintptr_t Base = 0;
};

} // namespace

TEST(MappedRanges, RandomOperationsAgreeWithAModel) {
  constexpr unsigned NumPages = 40;
  HookScope Hook;
  std::mt19937 Random(7);
  std::vector<Owner> Pages(NumPages);
  std::map<int, uint32_t> Ids; // of mappings that were looked up
  std::multiset<uint32_t> ExpectedGone;
  int NumMappings = 0;
  auto addressOf = [](unsigned P) { return Start + P * Page; };
  auto count = [&](int Mapping) {
    return std::ranges::count_if(Pages, [&](const Owner &O) { return O.Mapping == Mapping; });
  };
  for (int Step = 0; Step < 20000; ++Step) {
    unsigned First = Random() % NumPages, Last = First + 1 + Random() % std::min(8u, NumPages - First);
    const uintptr_t Low = addressOf(First), High = addressOf(Last);
    std::vector<Owner> Before = Pages;
    const uint64_t Generation = generation();
    bool LosesNamed = false;
    auto clear = [&] {
      for (unsigned P = First; P < Last; ++P) {
        LosesNamed |= Ids.contains(Pages[P].Mapping);
        Pages[P] = {};
      }
    };
    switch (Random() % 6) {
    case 0:
      unmap(Low, High);
      clear();
      break;
    case 1:
      unmap(Low, High, true);
      break;
    case 2: { // MAP_FIXED
      Unmapping U(Low, High);
      U.succeeded();
      [[fallthrough]];
    }
    case 3: // what was there went unseen
      mapped(Low, High);
      clear();
      for (unsigned P = First; P < Last; ++P)
        Pages[P] = {NumMappings, Low};
      ++NumMappings;
      break;
    case 4: { // it grows over what comes behind
      if (!First)
        break;
      const Owner Grows = Pages[First - 1];
      if (Grows.Mapping < 0)
        break;
      // Known only by where a part of it ends.
      if (Pages[First].Mapping == Grows.Mapping && Pages[First].Mapping >= 0)
        break;
      extended(Low, High);
      clear();
      for (unsigned P = First; P < Last; ++P)
        Pages[P] = Grows;
      break;
    }
    default:
      for (unsigned P = First; P < Last; ++P) {
        const uint32_t Id = idAt(addressOf(P) + P, Pages[P].Base);
        ASSERT_EQ(Id == NoId, Pages[P].Mapping < 0) << Step;
        if (Id == NoId)
          continue;
        auto [It, IsNew] = Ids.try_emplace(Pages[P].Mapping, Id);
        ASSERT_EQ(It->second, Id) << Step;
      }
    }
    EXPECT_TRUE(!LosesNamed || generation() != Generation) << Step;
    for (const Owner &O : Before)
      if (auto It = Ids.find(O.Mapping); It != Ids.end() && !count(O.Mapping)) {
        ExpectedGone.insert(It->second);
        Ids.erase(It);
      }
    ASSERT_EQ(Gone, ExpectedGone) << Step;
    // Mappings that are there at the same time have different numbers.
    std::set<uint32_t> Different;
    for (auto [Mapping, Id] : Ids)
      ASSERT_TRUE(Different.insert(Id).second) << Step;
  }
  unmap(Start, addressOf(NumPages));
  EXPECT_EQ(lastMappedEnd(addressOf(NumPages)), 0u);
}

TEST(MappedRanges, AThreadThatHasBlockedSignalsLeavesTheHookToOthers) {
  HookScope Hook;
  mapped(Start, Start + Page);
  const uint32_t Id = idAt(Start, Start);
  sigset_t One, Before;
  sigemptyset(&One);
  sigaddset(&One, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &One, &Before);
  unmap(Start, Start + Page);
  EXPECT_TRUE(Gone.empty());
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  int Local;
  locate(&Local);
  EXPECT_EQ(Gone, std::multiset<uint32_t>{Id});
  EXPECT_EQ(HowGone, Release::Other);
}

TEST(MappedRanges, ThreadsMapAndLookUpAtTheSameTime) {
  auto Work = [](uintptr_t From) {
    std::mt19937 Random(static_cast<unsigned>(From / Page));
    for (int I = 0; I < 3000; ++I) {
      const uintptr_t Low = From + Random() % 4 * Page, High = Low + (1 + Random() % 4) * Page;
      unmap(Low, High);
      mapped(Low, High);
      const uint32_t Id = idAt(Low + 5, Low);
      EXPECT_NE(Id, NoId);
      EXPECT_EQ(idAt(High - 1, Low), Id);
    }
    unmap(From, From + 16 * Page);
  };
  std::vector<std::thread> Threads;
  for (uintptr_t I = 0; I < 4; ++I)
    Threads.emplace_back(Work, Start + I * 16 * Page);
  for (std::thread &T : Threads)
    T.join();
}
