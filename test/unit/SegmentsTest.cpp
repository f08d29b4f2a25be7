//===- SegmentsTest.cpp - Tests of memory/Segments.h
//-----------------------===//
//
// Every kind of address, and the life of heap segments, with the malloc
// wrappers linked into the test: being in the program itself they are bound to
// just as if they were preloaded.  What the block map does with odd sizes and
// addresses is for BlockMapTest, threads and random operations are for
// SegmentsStressTest.
//
//===----------------------------------------------------------------------===//

#include "memory/Segments.h"
#include "memory/Internal.h"
#include "platform/Generation.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <malloc.h>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace pilgrim::memory;
using pilgrim::generation;

__attribute__((constructor(101))) static void start() { enable(); }

namespace {

int Initialised = 42;
char Zeroed[100000];

// The compiler must neither drop allocations nor reason about freed pointers,
// which the tests look at on purpose.

void *(*volatile Malloc)(std::size_t) = std::malloc;
void *(*volatile Realloc)(void *, std::size_t) = std::realloc;
void (*volatile Free)(void *) = std::free;

char *allocate(std::size_t Size) { return static_cast<char *>(Malloc(Size)); }

char *resize(void *Block, std::size_t Size) { return static_cast<char *>(Realloc(Block, Size)); }

void release(void *Block) { Free(Block); }

void *pointer(std::uintptr_t Address) { return reinterpret_cast<void *>(Address); }

void expectHeap(const void *Address, std::uint32_t Id, std::int64_t Offset) {
  EXPECT_EQ(locate(Address), (Location{SegmentKind::Heap, Id, Offset, nullptr}));
}

/// What the release hook was told.
std::vector<std::pair<std::uint32_t, const void *>> Gone;
/// Of the last one.
Release HowGone;

/// Who may have the numbers of segments that go.
Reuse NumbersFor;

struct HookScope {
  HookScope() {
    Gone.clear();
    setReleaseHook([](const Location &Segment, const void *Base, Release How) -> Reuse {
      EXPECT_EQ(Segment.Kind, SegmentKind::Heap);
      EXPECT_EQ(Segment.Offset, 0);
      Gone.emplace_back(Segment.Id, Base);
      HowGone = How;
      release(allocate(300000)); // It may allocate.
      return NumbersFor;
    });
  }
  ~HookScope() {
    setReleaseHook(nullptr);
    NumbersFor = {};
  }
};

} // namespace

TEST(Segments, NullAndUnknown) {
  EXPECT_EQ(locate(nullptr), Location());
  auto *Wild = pointer(0x10);
  EXPECT_EQ(locate(Wild), (Location{SegmentKind::Unknown, 0, 0x10, nullptr}));
  auto *Kernel = pointer(UINTPTR_MAX);
  EXPECT_EQ(locate(Kernel), (Location{SegmentKind::Unknown, 0, -1, nullptr}));
}

TEST(Segments, HeapIdsAreTheLowestFree) {
  char *A = allocate(100), *B = allocate(100), *C = allocate(100);
  std::uint32_t First = locate(C).Id; // The order of first use counts.
  expectHeap(A, First + 1, 0);
  expectHeap(B, First + 2, 0);
  expectHeap(C + 99, First, 99);
  release(A);
  char *D = allocate(5000000);
  expectHeap(D + 4999999, First + 1, 4999999);
  release(C);
  char *E = allocate(1);
  expectHeap(E, First, 0);
  expectHeap(B + 50, First + 2, 50);
  release(B);
  release(D);
  release(E);
}

TEST(Segments, NumbersAreReusedByWhomTheHookSays) {
  const HookScope Scope;
  auto Number = [](const char *P, uint64_t Turn, uint32_t Thread) { return locate(P, {Turn, Thread}).Id; };
  char *A = allocate(100), *B = allocate(100), *Blocks[8];
  for (char *&P : Blocks)
    P = allocate(100);
  const uint32_t First = Number(A, 0, 0);
  EXPECT_EQ(Number(B, 0, 0), First + 1);
  NumbersFor = {5, 1};
  release(A);
  EXPECT_EQ(Number(Blocks[0], 4, 0), First + 2) << "its call began before";
  EXPECT_EQ(Number(Blocks[1], 0, 1), First) << "the thread that freed it";
  release(Blocks[1]);
  EXPECT_EQ(Number(Blocks[2], 5, 0), First) << "its call began behind it";
  NumbersFor = {Reuse::Never};
  release(B);
  EXPECT_EQ(Number(Blocks[3], UINT64_MAX - 1, 0), First + 3) << "nobody yet";
  mayReuse(First + 1, {7, 2});
  EXPECT_EQ(Number(Blocks[4], 6, 1), First + 4) << "not yet for this one";
  EXPECT_EQ(Number(Blocks[5], 6, 2), First + 1);
  NumbersFor = {};
  for (char *P : {Blocks[0], Blocks[2], Blocks[3], Blocks[4], Blocks[5]})
    release(P);
  EXPECT_EQ(Number(Blocks[6], 0, 0), First);
  EXPECT_EQ(Number(Blocks[7], 0, 0), First + 1);
  release(Blocks[6]);
  release(Blocks[7]);
}

TEST(Segments, InteriorPointersOfAllSizes) {
  std::vector<std::pair<char *, std::size_t>> Blocks;
  for (std::size_t Size = 1; Size < (64u << 20); Size += Size / 3 + 1)
    Blocks.emplace_back(allocate(Size), Size);
  for (auto [Base, Size] : Blocks) {
    Location Start = locate(Base);
    ASSERT_EQ(Start.Kind, SegmentKind::Heap);
    ASSERT_EQ(Start.Offset, 0);
    for (std::size_t Offset : {Size / 7, Size / 2, Size - 1})
      expectHeap(Base + Offset, Start.Id, std::int64_t(Offset));
  }
  for (auto [Base, Size] : Blocks)
    release(Base);
}

TEST(Segments, TheWholeFamilyIsRecorded) {
  void *Posix = nullptr;
  ASSERT_EQ(posix_memalign(&Posix, 4096, 100), 0);
  struct {
    void *Base;
    std::int64_t Last;
  } Blocks[] = {{Malloc(0), 0},
                {std::calloc(10, 10), 99},
                {std::calloc(1, 1), 0},
                {std::realloc(nullptr, 50), 49},
                {reallocarray(nullptr, 1000, 1000), 999999},
                {std::aligned_alloc(64, 640), 639},
                {memalign(1 << 20, 70), 69},
                {valloc(10), 9},
                {pvalloc(10), sysconf(_SC_PAGESIZE) - 1},
                {Posix, 99},
                {operator new(77), 76},
                {operator new(77, std::align_val_t(64)), 76}};
  for (auto &[Base, Last] : Blocks) {
    ASSERT_NE(Base, nullptr);
    Location Start = locate(Base);
    expectHeap(static_cast<char *>(Base) + Last, Start.Id, Last);
  }
  for (auto &[Base, Last] : Blocks)
    release(Base);
  errno = 0;
  volatile std::size_t Huge = SIZE_MAX / 2; // Hidden from compiler warnings.
  EXPECT_EQ(reallocarray(nullptr, Huge, 3), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(std::calloc(Huge, 3), nullptr);
  EXPECT_EQ(std::malloc(Huge * 2), nullptr);
  EXPECT_EQ(pvalloc(Huge * 2), nullptr);
  release(nullptr);
}

TEST(Segments, FreeReleases) {
  HookScope Hook;
  char *Seen = allocate(64), *Unseen = allocate(64);
  std::uint32_t Id = locate(Seen).Id;
  std::uint64_t Before = generation();
  release(Unseen);
  EXPECT_EQ(generation(), Before);
  EXPECT_TRUE(Gone.empty());
  release(Seen);
  EXPECT_NE(generation(), Before);
  ASSERT_EQ(Gone.size(), 1u);
  EXPECT_EQ(Gone[0].first, Id);
  EXPECT_EQ(Gone[0].second, Seen);
  EXPECT_EQ(HowGone, Release::Freed);
  EXPECT_NE(locate(Seen).Kind, SegmentKind::Heap);
}

TEST(Segments, ReallocReleasesWhatMoves) {
  HookScope Hook;
  char *Block = allocate(1000);
  char *Wall = allocate(16); // Keeps the block from growing in place.
  std::uint32_t Id = locate(Block).Id;
  // Shrinking leaves it where it is, and so does a size that cannot be had.
  ASSERT_EQ(resize(Block, 500), Block);
  expectHeap(Block + 499, Id, 499);
  EXPECT_NE(locate(Block + 600).Kind, SegmentKind::Heap);
  ASSERT_EQ(resize(Block, SIZE_MAX / 2), nullptr);
  expectHeap(Block + 499, Id, 499);
  EXPECT_TRUE(Gone.empty());

  std::uint64_t Before = generation();
  char *Moved = resize(Block, 1 << 20);
  ASSERT_NE(Moved, Block);
  EXPECT_NE(generation(), Before);
  ASSERT_EQ(Gone.size(), 1u);
  EXPECT_EQ(Gone[0].first, Id);
  EXPECT_EQ(Gone[0].second, Block);
  expectHeap(Moved + 1000000, Id, 1000000); // The id is the lowest free again.

  EXPECT_EQ(HowGone, Release::Freed);
  EXPECT_EQ(resize(Moved, 0), nullptr);
  EXPECT_EQ(Gone.size(), 2u);
  release(Wall);
}

TEST(Segments, MemoryFromElsewhere) {
  HookScope Hook;
  char *Pool = allocate(100000);
  std::uint32_t PoolId = locate(Pool).Id;
  std::uint64_t Before = generation();
  allocated(Pool + 1024, 2048);
  EXPECT_NE(generation(), Before);
  expectHeap(Pool + 1023, PoolId, 1023);
  std::uint32_t Id = locate(Pool + 1024).Id;
  EXPECT_NE(Id, PoolId);
  expectHeap(Pool + 1024 + 2047, Id, 2047);
  expectHeap(Pool + 4096, PoolId, 4096);
  Before = generation();
  released(Pool); // Not one of them.
  EXPECT_EQ(generation(), Before);
  released(Pool + 1024);
  EXPECT_NE(generation(), Before);
  EXPECT_EQ(HowGone, Release::Other);
  ASSERT_EQ(Gone.size(), 1u);
  EXPECT_EQ(Gone[0].first, Id);
  expectHeap(Pool + 1024, PoolId, 1024);
  allocated(nullptr, 0);
  release(Pool);
}

TEST(Segments, ModuleData) {
  Dl_info Info;
  ASSERT_NE(dladdr(&Initialised, &Info), 0);
  auto OffsetOf = [&](const void *Address) {
    return static_cast<const char *>(Address) - static_cast<const char *>(Info.dli_fbase);
  };
  static const char Constant[] = "constant";
  for (const void *Address : {static_cast<const void *>(&Initialised), static_cast<const void *>(Zeroed + 99999),
                              static_cast<const void *>(Constant)}) {
    Location Found = locate(Address);
    EXPECT_EQ(Found.Kind, SegmentKind::Data);
    EXPECT_EQ(Found.Id, 0u);
    EXPECT_EQ(Found.Offset, OffsetOf(Address));
    EXPECT_STREQ(Found.Module, program_invocation_short_name);
    EXPECT_EQ(Found.Module, locate(&Initialised).Module);
  }
  void *InLibC = dlsym(RTLD_DEFAULT, "_IO_2_1_stdout_");
  ASSERT_NE(dladdr(InLibC, &Info), 0);
  Location Found = locate(InLibC);
  EXPECT_EQ(Found.Kind, SegmentKind::Data);
  EXPECT_STREQ(Found.Module, "libc.so.6");
  EXPECT_EQ(Found.Offset, OffsetOf(InLibC));
}

TEST(Segments, ModulesComeAndGo) {
  const char *Name = "libanl.so.1"; // Part of the C library, unused here.
  void *Handle = dlopen(Name, RTLD_NOW);
  if (!Handle)
    GTEST_SKIP() << dlerror();
  const void *Inside = static_cast<link_map *>(Handle)->l_ld;
  EXPECT_EQ(locate(Inside).Kind, SegmentKind::Data);
  EXPECT_STREQ(locate(Inside).Module, Name);
  std::uint64_t Before = generation();
  dlclose(Handle);
  if (dlopen(Name, RTLD_NOW | RTLD_NOLOAD))
    GTEST_SKIP();
  EXPECT_NE(locate(Inside).Kind, SegmentKind::Data);
  EXPECT_NE(generation(), Before);
}

/// Uses much stack and locates a variable at its end.
__attribute__((noinline)) static Location locateDeep(int Depth) {
  volatile char Frame[100000];
  Frame[0] = char(Depth);
  Frame[99999] = char(Depth);
  Location Found = Depth ? locateDeep(Depth - 1) : locate(const_cast<const char *>(Frame));
  Frame[1] = Frame[0]; // The frame must outlive the call.
  return Found;
}

TEST(Segments, MainStack) {
  int Local = 0, Other = 0;
  Location Found = locate(&Local);
  EXPECT_EQ(Found.Kind, SegmentKind::Stack);
  EXPECT_EQ(Found.Id, 0u);
  EXPECT_LT(Found.Offset, 0);
  EXPECT_EQ(locate(&Other).Offset - Found.Offset, reinterpret_cast<char *>(&Other) - reinterpret_cast<char *>(&Local));
  Location Deep = locateDeep(50);
  EXPECT_EQ(Deep.Kind, SegmentKind::Stack);
  EXPECT_LT(Deep.Offset, Found.Offset - 5000000);
  // The environment lies above the initial stack pointer.
  EXPECT_GT(locate(environ[0]).Offset, 0);
  EXPECT_EQ(locate(environ[0]).Kind, SegmentKind::Stack);
  // Not the page after it.
  EXPECT_EQ(locate(pointer(0x7fffffffffff)).Kind, SegmentKind::Unknown);
}

TEST(Segments, ThreadStacks) {
  int OnMain = 0;
  Location FromMain = locate(&OnMain);
  std::atomic<int *> OfThread = nullptr;
  std::atomic<bool> Stop = false;
  Location Own, Main;
  std::int64_t Offsets[2];
  auto Body = [&](std::int64_t &Offset) {
    int Local = 0;
    Own = locate(&Local);
    Offset = Own.Offset;
    Main = locate(&OnMain);
    OfThread = &Local;
    while (!Stop)
      std::this_thread::yield();
  };
  for (std::int64_t &Offset : Offsets) {
    Stop = false;
    OfThread = nullptr;
    std::thread Thread(Body, std::ref(Offset));
    while (!OfThread)
      std::this_thread::yield();
    EXPECT_EQ(locate(OfThread).Kind, SegmentKind::Mapping);
    Stop = true;
    Thread.join();
    EXPECT_EQ(Own.Kind, SegmentKind::Stack);
    EXPECT_EQ(Own.Id, 0u);
    EXPECT_LT(Own.Offset, 0);
    EXPECT_EQ(Main.Kind, SegmentKind::Stack);
    EXPECT_EQ(Main.Id, 1u);
    EXPECT_EQ(Main.Offset, FromMain.Offset);
  }
  EXPECT_EQ(Offsets[0], Offsets[1]);
}

TEST(Segments, StackOffsetsDoNotDependOnTheEnvironment) {
  auto Run = [](const std::string &Value) {
    std::string Offset;
    setenv("SEGMENTS_TEST_PADDING", Value.c_str(), 1);
    // popen's shell is not this program, so name the file.
    char Self[4096] = {};
    if (readlink("/proc/self/exe", Self, sizeof(Self) - 1) < 0)
      return Offset;
    std::string Command = std::string(Self) + " --print-stack-offset";
    if (std::FILE *Output = popen(Command.c_str(), "r")) {
      char Line[100] = {};
      if (std::fgets(Line, sizeof(Line), Output))
        Offset = Line;
      pclose(Output);
    }
    return Offset;
  };
  std::string First = Run("");
  EXPECT_FALSE(First.empty());
  for (std::size_t Length : {1, 17, 100, 5000, 100000})
    EXPECT_EQ(Run(std::string(Length, 'x')), First);
  unsetenv("SEGMENTS_TEST_PADDING");
}

TEST(Segments, Mappings) {
  constexpr std::size_t Page = 4096;
  // One page each with a hole after it, so that they are regions of their own.
  char *A = static_cast<char *>(mmap(nullptr, 8 * Page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(A, MAP_FAILED);
  ASSERT_EQ(mprotect(A + Page, Page, PROT_READ), 0);
  char *B = A + 4 * Page;
  ASSERT_EQ(mprotect(B, 2 * Page, PROT_READ | PROT_WRITE), 0);
  Location InB = locate(B + 5000);
  EXPECT_EQ(InB.Kind, SegmentKind::Mapping);
  EXPECT_EQ(InB.Offset, 5000);
  Location InA = locate(A + Page + 17);
  EXPECT_EQ(InA, (Location{SegmentKind::Mapping, InB.Id + 1, 17, nullptr}));
  EXPECT_EQ(locate(B).Id, InB.Id);
  munmap(A, 8 * Page);
  EXPECT_EQ(locate(B).Kind, SegmentKind::Unknown);
}

/// The system is asked once for each region that only it knows, which takes long: a region that others join keeps its
/// name until the program's own calls say that it may be gone.
TEST(Segments, RegionsAreLookedUpOnce) {
  const std::size_t Size = std::size_t(getpagesize());
  // Pages with gaps, so that each is a region.
  char *All = static_cast<char *>(mmap(nullptr, 5 * Size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(All, MAP_FAILED);
  char *A = All + Size, *B = All + 3 * Size;
  ASSERT_EQ(mprotect(A, Size, PROT_READ), 0);
  ASSERT_EQ(mprotect(B, Size, PROT_READ), 0);
  const Location InA = locate(A + 5), InB = locate(B + 7);
  EXPECT_EQ(InA.Kind, SegmentKind::Mapping);
  EXPECT_EQ(InA.Offset, 5);
  EXPECT_EQ(InB.Offset, 7);
  EXPECT_NE(InA.Id, InB.Id);
  ASSERT_EQ(mprotect(A + Size, Size, PROT_READ), 0);
  EXPECT_EQ(locate(B + 7), InB);
  EXPECT_EQ(locate(B + 8).Offset, 8);
  Unmapping(UINTPTR_MAX - Size, UINTPTR_MAX).failed();
  EXPECT_EQ(locate(B + 7), InB) << "what goes is elsewhere";
  Unmapping(reinterpret_cast<std::uintptr_t>(A), reinterpret_cast<std::uintptr_t>(A) + Size).failed();
  EXPECT_EQ(locate(B + 7), (Location{SegmentKind::Mapping, InA.Id, std::int64_t(2 * Size + 7), nullptr}));
  EXPECT_EQ(locate(A + 5), InA);
  munmap(All, 5 * Size);
  EXPECT_EQ(locate(A + 5).Kind, SegmentKind::Unknown);
}

/// What the program gives as an address may be any number, and another one each time: the list of all mappings is not
/// read for that.
TEST(Segments, NumbersThatAreNoAddressesAreCheap) {
  auto Used = [] {
    timespec T;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
    return static_cast<double>(T.tv_sec) + static_cast<double>(T.tv_nsec) * 1e-9;
  };
  constexpr unsigned Number = 2000;
  const double Begin = Used();
  for (unsigned I = 1; I <= Number; ++I)
    ASSERT_EQ(locate(pointer(I * 37)), (Location{SegmentKind::Unknown, 0, I * 37, nullptr}));
  EXPECT_LT((Used() - Begin) / Number, 8e-6) << "to read the list takes 20 us and more";
}

TEST(Segments, ErrnoIsKept) {
  errno = 77;
  locate(&Initialised);
  locate(pointer(0x10));
  char *Block = allocate(500000);
  locate(Block);
  release(Block);
  EXPECT_EQ(errno, 77);
}

TEST(Segments, RealFunctionsAreNotRecorded) {
  void *Plain = realMalloc(100), *Aligned = realAlignedAlloc(256, 100);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(Aligned) % 256, 0u);
  // Not where they begin: a block before them may end there.
  EXPECT_NE(locate(static_cast<char *>(Plain) + 50).Kind, SegmentKind::Heap);
  EXPECT_NE(locate(static_cast<char *>(Aligned) + 50).Kind, SegmentKind::Heap);
  realFree(Plain);
  release(Aligned);
}

int main(int ArgCount, char **Args) {
  if (ArgCount == 2 && !std::strcmp(Args[1], "--print-stack-offset")) {
    int Local = 0;
    std::printf("%lld\n", static_cast<long long>(locate(&Local).Offset));
    return 0;
  }
  testing::InitGoogleTest(&ArgCount, Args);
  return RUN_ALL_TESTS();
}
