// The fast way up the stack against libgcc's.
#include "platform/Unwind.h"

#include <alloca.h>
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <pthread.h>
#include <random>
#include <thread>

using namespace pilgrim;

namespace {
struct Frames final : FrameSink {
  size_t Most = SIZE_MAX;
  unsigned Restarts = 0;
  std::vector<std::pair<uintptr_t, uintptr_t>> All; // return address, stack pointer behind it
  bool take(uintptr_t Return, uintptr_t Stack, bool) override {
    All.emplace_back(Return, Stack);
    return All.size() < Most;
  }
  void restart() override {
    ++Restarts;
    All.clear();
  }
};

uintptr_t endOfStack() {
  pthread_attr_t A;
  void *Low;
  size_t Size;
  pthread_getattr_np(pthread_self(), &A);
  pthread_attr_getstack(&A, &Low, &Size);
  pthread_attr_destroy(&A);
  return reinterpret_cast<uintptr_t>(Low) + Size;
}

bool never(uintptr_t) { return false; }

/// Both walks end alike, and see the same but for the place in this function.
struct Comparison {
  Unwinder U{endOfStack(), never};
  unsigned Walks = 0, Slow = 0;
  size_t Deepest = 0;

  [[gnu::noinline]] void compare() {
    Frames Fast, Safe;
    EXPECT_TRUE(U.walk(Fast));
    EXPECT_TRUE(U.walkSlowly(Safe));
    ASSERT_GT(Safe.All.size(), 3u);
    ASSERT_EQ(Fast.All.size(), Safe.All.size());
    EXPECT_EQ(Fast.All[0].second, Safe.All[0].second);
    for (size_t I = 1; I < Safe.All.size(); ++I)
      ASSERT_EQ(Fast.All[I], Safe.All[I]) << I;
    ++Walks;
    Slow += Fast.Restarts;
    Deepest = std::max(Deepest, Fast.All.size());
  }
};

std::mt19937 Random;
volatile size_t Sink;
void descend(Comparison &C, unsigned Depth);

[[gnu::noinline]] void plain(Comparison &C, unsigned Depth) {
  descend(C, Depth);
  Sink = Depth;
}
[[gnu::noinline]] void withAlloca(Comparison &C, unsigned Depth) {
  auto *Room = static_cast<volatile char *>(alloca(Random() % 500 + 1));
  Room[0] = 1;
  descend(C, Depth);
  Sink = static_cast<size_t>(Room[0]);
}
[[gnu::noinline]] void aligned(Comparison &C, unsigned Depth) {
  alignas(128) volatile char Room[128];
  Room[5] = 1;
  descend(C, Depth);
  Sink = static_cast<size_t>(Room[5]);
}
[[gnu::noinline]] void alignedWithAlloca(Comparison &C, unsigned Depth) {
  alignas(64) volatile char Fixed[64];
  auto *Room = static_cast<volatile char *>(alloca(Random() % 200 + 1));
  Fixed[0] = 1;
  Room[0] = 1;
  descend(C, Depth);
  Sink = static_cast<size_t>(Room[0] + Fixed[0]);
}
[[gnu::noinline, gnu::optimize("no-omit-frame-pointer")]] void withFramePointer(Comparison &C, unsigned Depth) {
  descend(C, Depth);
  Sink = Depth;
}
/// Enough that lives over the call to take the frame pointer's register for it, and arguments on the stack.
[[gnu::noinline]] size_t many(Comparison &C, unsigned Depth, size_t A, size_t B, size_t D, size_t E, size_t F,
                              size_t G) {
  size_t X = A * Random(), Y = B * Random(), Z = D + Random(), V = E ^ Random(), W = F - Random(), U = G + Random();
  descend(C, Depth);
  return X + Y * Z + V * W + U;
}
thread_local Comparison *Comparing;
[[gnu::noinline]] void throughTheLibrary(Comparison &C, unsigned Depth) {
  static thread_local unsigned Left;
  Left = Depth;
  Comparing = &C;
  int Two[2] = {1, 2};
  qsort(Two, 2, sizeof *Two, [](const void *, const void *) {
    descend(*Comparing, Left);
    return 0;
  });
}
struct Guard {
  ~Guard() { Sink = 7; }
};
[[gnu::noinline]] void withCleanup(Comparison &C, unsigned Depth) {
  Guard G;
  descend(C, Depth);
}

void descend(Comparison &C, unsigned Depth) {
  if (Depth == 0)
    return C.compare();
  switch (Random() % 8) {
  case 0:
    return plain(C, Depth - 1);
  case 1:
    return withAlloca(C, Depth - 1);
  case 2:
    return aligned(C, Depth - 1);
  case 3:
    return alignedWithAlloca(C, Depth - 1);
  case 4:
    return withFramePointer(C, Depth - 1);
  case 5:
    Sink = many(C, Depth - 1, 1, 2, 3, 4, 5, 6);
    return;
  case 6:
    return throughTheLibrary(C, Depth - 1);
  default:
    return withCleanup(C, Depth - 1);
  }
}
} // namespace

TEST(Unwind, SeesWhatLibgccSees) {
  Comparison C;
  for (unsigned I = 0; I < 400; ++I)
    descend(C, Random() % 20);
  EXPECT_GE(C.Walks, 400u);
  EXPECT_GT(C.Deepest, 20u);
#if defined(__x86_64__)
  EXPECT_EQ(C.Slow, 0u);
#endif
}

TEST(Unwind, AThreadsStackEndsToo) {
  std::thread T([] {
    Comparison C;
    for (unsigned I = 0; I < 50; ++I)
      descend(C, 5);
    EXPECT_GE(C.Walks, 50u);
  });
  T.join();
}

TEST(Unwind, StopsWhenItIsToldTo) {
  Unwinder U(endOfStack(), never);
  Frames Some;
  Some.Most = 2;
  EXPECT_FALSE(U.walk(Some));
  EXPECT_EQ(Some.All.size(), 2u);
}

TEST(Unwind, TheStartIsNotTheProgram) {
  Unwinder U(endOfStack(), never);
  Frames All;
  U.walk(All);
  // main, __libc_start_call_main, __libc_start_main, _start.
  ASSERT_GT(All.All.size(), 4u);
  size_t Starts = 0;
  while (Unwinder::isStart(All.All[All.All.size() - 1 - Starts].first))
    ++Starts;
  EXPECT_EQ(Starts, 3u);
}

// A wrong table must not lead outside of the stack.
TEST(Unwind, NothingIsReadBehindTheEnd) {
  Unwinder U(reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) + 64, never);
  Frames Few;
  U.walk(Few);
#if defined(__x86_64__)
  EXPECT_EQ(Few.Restarts, 1u); // libgcc knows no end
  U.limitStack(endOfStack());
  EXPECT_TRUE(U.walk(Few));
  EXPECT_EQ(Few.Restarts, 1u);
#endif
}
