//===- Reserve.cpp - when memory runs out ---------------------------------===//
//
// A vector that grows asks for about twice what it has, so the reserve is kept at a multiple of the largest block that
// was ever handed out. It is address space: no page of it is touched before it is needed.
//
//===----------------------------------------------------------------------===//
#include "memory/Reserve.h"
#include "memory/Internal.h"
#include "memory/SmallBlocks.h"
#include "platform/FreeMemory.h"

#include <algorithm>
#include <cerrno>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pilgrim::memory {

namespace {
/// Blocks are handed out from it one after another and never come back.
struct Arena {
  std::byte *Base = nullptr;
  size_t Size = 0, Used = 0;

  void *take(size_t Bytes) {
    Bytes = (Bytes + 15) / 16 * 16;
    if (Bytes > Size - Used)
      return nullptr;
    void *P = Base + Used;
    Used += Bytes;
    return P;
  }
  bool holds(const void *P) const { return reinterpret_cast<uintptr_t>(P) - reinterpret_cast<uintptr_t>(Base) < Size; }
};
constexpr size_t SmallSize = size_t(2) << 20, LargeFrom = SmallSize / 8, Times = 4;
alignas(4096) constinit std::byte SmallRoom[SmallSize] = {};
} // namespace

static void *newPages(size_t Size, int Protection) {
  const long Result = syscall(SYS_mmap, nullptr, Size, Protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return Result == -1 ? nullptr : reinterpret_cast<void *>(Result);
}

void *ownPages(size_t Size) { return newPages(Size, PROT_READ | PROT_WRITE); }
void *ownAddresses(size_t Size) { return newPages(Size, PROT_NONE); }
bool useAddresses(void *Begin, size_t Size) { return syscall(SYS_mprotect, Begin, Size, PROT_READ | PROT_WRITE) == 0; }

void ownPagesBack(void *Pages, size_t Size) { syscall(SYS_munmap, Pages, Size); }

static constinit SpinLock Lock;
void lockReserve() { Lock.lock(); }
void unlockReserve() { Lock.unlock(); }

static constinit Arena Small{SmallRoom, SmallSize, 0};
static constinit Arena Large;
static constinit std::atomic<bool> Touched = false, Told = false;
static constinit std::atomic<void (*)()> Hook = nullptr;
PILGRIM_MEMORY_TLS static constinit thread_local std::jmp_buf *EscapeOfThread = nullptr;

/// Address space that the program gets back when memory runs out. Else the tracer, which then stops, would have taken
/// the last of it, and MPI would fail in the program's next call.
constexpr size_t ProgramsSize = size_t(2) << 20;
static constinit std::atomic<void *> Programs = nullptr;

void setExhaustedHook(void (*NewHook)()) {
  if (NewHook && !Programs.load())
    Programs.store(ownPages(ProgramsSize));
  Hook.store(NewHook);
}

std::jmp_buf *setEscape(std::jmp_buf *Escape) {
  std::jmp_buf *Before = EscapeOfThread;
  EscapeOfThread = Escape;
  return Before;
}

static void tellExhausted() {
  if (void *Room = Programs.exchange(nullptr))
    ownPagesBack(Room, ProgramsSize);
  auto Call = Hook.load();
  if (Call && !Told.exchange(true))
    Call();
}

/// Sees to a reserve for what comes after a block of Size bytes.
static void enlarge(size_t Size) {
  int SavedErrno = errno;
  bool Enough;
  {
    Guard Locked(Lock);
    Enough = Large.Size / Times >= Size || Large.Used;
    if (!Enough) {
      // The old one goes only once there is a new one.
      if (void *New = ownPages(Size * Times)) {
        if (Large.Base)
          ownPagesBack(Large.Base, Large.Size);
        Large = {static_cast<std::byte *>(New), Size * Times, 0};
        Enough = true;
      }
    }
  }
  errno = SavedErrno;
  if (!Enough)
    tellExhausted();
}

[[gnu::noinline]] static void *fromReserve(size_t Size) {
  if (std::jmp_buf *Escape = EscapeOfThread)
    std::longjmp(*Escape, 1);
  tellExhausted();
  void *P;
  {
    Guard Locked(Lock);
    Touched.store(true, std::memory_order_relaxed);
    P = Small.take(Size);
    if (!P)
      P = Large.take(Size);
  }
  if (P)
    return P;
  static const char Line[] = "pilgrim: out of memory, and the reserve is used up\n";
  if (::write(STDERR_FILENO, Line, sizeof Line - 1) < 0) {
  }
  std::abort();
}

/// The thread is in the allocator, or has been interrupted there.
PILGRIM_MEMORY_TLS static constinit thread_local unsigned Depth = 0;
PILGRIM_MEMORY_TLS static constinit thread_local bool TakesNewPages = false;
static constinit Arena NewPages; ///< only one thread ends the process

bool isAllocating() { return Depth != 0; }

bool isProgramAllocating() { return ProgramsDepth != 0; }

void useNewPages() { TakesNewPages = true; }

[[gnu::noinline]] static void *fromNewPages(size_t Size) {
  if (void *P = NewPages.take(Size))
    return P;
  constexpr size_t Least = size_t(8) << 20;
  const size_t Room = std::max(Size + 16, Least);
  void *New = ownPages(Room);
  if (!New)
    return nullptr;
  NewPages = {static_cast<std::byte *>(New), Room, 0};
  return NewPages.take(Size);
}

static constinit SmallBlocks SmallOnes;
static constinit std::atomic<bool> AreSmallOnesUsed = false;
PILGRIM_MEMORY_TLS static constinit thread_local bool TakesSmallOnes = false;

UseSmallBlocks::UseSmallBlocks() : IsFirst(!AreSmallOnesUsed.exchange(true)) {
  TakesSmallOnes = IsFirst && SmallOnes.reserve();
}

UseSmallBlocks::~UseSmallBlocks() {
  if (!IsFirst)
    return;
  TakesSmallOnes = false;
  AreSmallOnesUsed.store(false);
}

/// What is to be left free, and how many bytes may be taken before it is looked how much there is. The less there is,
/// the sooner: other ranks of the machine take some at the same time.
PILGRIM_MEMORY_TLS static constinit thread_local uint64_t LeastFree = 0, BeforeLook = 0;

KeepFree::KeepFree(uint64_t Least) : Before(LeastFree) {
  LeastFree = Least;
  BeforeLook = 0;
}

KeepFree::~KeepFree() {
  LeastFree = Before;
  BeforeLook = 0;
}

static bool mayTakeOfFree(size_t Size) {
  constexpr uint64_t OfFree = 256, SeldomIfMore = uint64_t(16) << 20;
  if (Size <= BeforeLook) {
    BeforeLook -= Size;
    return true;
  }
  const uint64_t Free = freeMemory();
  if (Free < LeastFree || Free - LeastFree < Size)
    return false;
  BeforeLook = std::min((Free - LeastFree) / OfFree, SeldomIfMore);
  return true;
}

bool mayTake(size_t Size) { return !LeastFree || !EscapeOfThread || mayTakeOfFree(Size); }

static void *take(size_t Size) {
  if (TakesNewPages) [[unlikely]]
    return fromNewPages(Size);
  if (TakesSmallOnes)
    if (void *P = SmallOnes.take(Size))
      return P;
  if (!mayTake(Size)) [[unlikely]]
    return nullptr;
  ++Depth;
  void *P = realMalloc(Size);
  --Depth;
  return P;
}

void *ownMalloc(size_t Size) {
  void *P = take(Size ? Size : 1);
  if (!P) [[unlikely]]
    return fromReserve(Size);
  if (Size >= LargeFrom && !EscapeOfThread) [[unlikely]]
    enlarge(Size);
  return P;
}

void ownFree(void *Block) {
  if (Touched.load(std::memory_order_relaxed)) [[unlikely]] {
    Guard Locked(Lock);
    if (Small.holds(Block) || Large.holds(Block))
      return;
  }
  if (TakesNewPages) [[unlikely]]
    return;
  if (SmallOnes.holds(Block)) {
    if (TakesSmallOnes)
      SmallOnes.giveBack(Block);
    return;
  }
  ++Depth;
  realFree(Block);
  --Depth;
}

} // namespace pilgrim::memory
