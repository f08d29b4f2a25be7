//===- Segments.cpp - heap segments and locate() --------------------------===//
//
// Gives heap blocks their numbers when MPI first sees them, and takes the numbers back when the blocks go. MPI never
// sees most blocks: only the block map knows these, and they cost nothing here. Regions.cpp, CudaRanges.cpp and
// MappedRanges.cpp look up what is not heap.
//
//===----------------------------------------------------------------------===//
#include "memory/Segments.h"

#include "core/IdPool.h"
#include "memory/BlockMap.h"
#include "memory/CudaDriver.h"
#include "memory/Internal.h"
#include "platform/Generation.h"

#include <cerrno>
#include <map>
#include <pthread.h>
#include <unordered_map>

namespace pilgrim::memory {

constinit std::atomic<bool> Enabled = false;

namespace {

template <typename Key, typename Value>
using HashMap =
    std::unordered_map<Key, Value, std::hash<Key>, std::equal_to<Key>, RealAllocator<std::pair<const Key, Value>>>;

template <typename Key, typename Value>
using OrderedMap = std::map<Key, Value, std::less<Key>, RealAllocator<std::pair<const Key, Value>>>;

/// A range from allocated(); it gets its id when it is first looked up.
struct ForeignRange {
  size_t Size;
  uint32_t Id;
};

struct SegmentTable {
  BasicIdPool<RealAllocator<uint64_t>> Ids;
  OrderedMap<uint32_t, Reuse> Held;  ///< free, but not for everybody; in Ids they are in use
  HashMap<uintptr_t, uint32_t> Heap; ///< Base of a block to its id.
  OrderedMap<uintptr_t, ForeignRange> Foreign;
};

} // namespace

/// Who looks up in this thread.
PILGRIM_MEMORY_TLS static constinit thread_local Asker Now;

/// Guards Table. Taken after the locks of Regions.cpp and CudaRanges.cpp where both are needed.
static constinit SpinLock TableLock;
static constinit Immortal<SegmentTable> Table;
/// Size of Table's Foreign, to spare the lock in programs that have none.
static constinit std::atomic<size_t> ForeignCount = 0;

/// The lowest number that this thread may have. Of those that are held it looks at some.
static uint32_t takeNumber(SegmentTable &T) {
  constexpr unsigned Most = 64;
  const uint32_t Free = T.Ids.alloc();
  unsigned Tries = 0;
  for (auto It = T.Held.begin(); It != T.Held.end() && It->first < Free && Tries < Most; ++It, ++Tries) {
    if (!It->second.isFor(Now))
      continue;
    const uint32_t Id = It->first;
    T.Held.erase(It);
    T.Ids.free(Free);
    return Id;
  }
  return Free;
}

static void giveNumber(SegmentTable &T, uint32_t Id, const Reuse &When) {
  if (!When.From)
    T.Ids.free(Id);
  else if (When.From == Reuse::Never)
    T.Held.try_emplace(Id, When); // mayReuse() may have come before
  else
    T.Held.insert_or_assign(Id, When);
}

static constinit std::atomic<ReleaseHook> Hook = nullptr;

void setReleaseHook(ReleaseHook NewHook) { Hook.store(NewHook, std::memory_order_release); }

// ---- Enabling, fork

// A child must not inherit a lock that another thread held, nor a table half changed, hence all locks are taken for the
// time of the fork.
static void prepareFork() {
  lockRegions();
  lockCuda();
  lockMappings();
  TableLock.lock();
  lockReserve();
  HoldsAllLocks = true;
}

static void afterFork() {
  HoldsAllLocks = false;
  unlockReserve();
  TableLock.unlock();
  unlockMappings();
  unlockCuda();
  unlockRegions();
}

static void afterForkInChild() {
  afterFork();
  leaveCudaDriver();
}

void enable() {
  static constinit std::atomic<bool> Done = false;
  if (Done.exchange(true, std::memory_order_relaxed))
    return;
  // The wrappers take every block of the real functions for one from the heap, so the arena that serves the look-up of
  // those must be behind us.
  realFree(realMalloc(1));
  // Handlers registered first run last before a fork: those of other libraries then never wait for a thread that waits
  // for us.
  pthread_atfork(prepareFork, afterFork, afterForkInChild);
  Enabled.store(true, std::memory_order_relaxed);
}

bool enabled() { return Enabled.load(std::memory_order_relaxed); }

// ---- Segments that go

uint32_t takeSegment(const void *Base) {
  uint32_t Id = NoId;
  {
    Guard Locked(TableLock);
    auto &Heap = Table.get().Heap;
    if (auto It = Heap.find(reinterpret_cast<uintptr_t>(Base)); It != Heap.end()) {
      Id = It->second;
      Heap.erase(It);
    }
  }
  newGeneration(Renewal::Fleeting);
  return Id;
}

void returnSegment(const void *Base, uint32_t Id) {
  if (Id == NoId)
    return;
  auto Address = reinterpret_cast<uintptr_t>(Base);
  Guard Locked(TableLock);
  Table.get().Heap.insert_or_assign(Address, Id);
  markRegistered(Address);
}

void retireSegment(const void *Base, const Location &Gone, Release How) {
  if (Gone.Id == NoId)
    return;
  int SavedErrno = errno;
  Reuse When;
  if (ReleaseHook Call = Hook.load(std::memory_order_acquire))
    When = Call(Gone, Base, How);
  errno = SavedErrno;
  // Only now may another thread get the id.
  Guard Locked(TableLock);
  giveNumber(Table.get(), Gone.Id, When);
}

void mayReuse(uint32_t Id, const Reuse &When) {
  Guard Locked(TableLock);
  Table.get().Held.insert_or_assign(Id, When);
}

uint32_t newSegment() {
  Guard Locked(TableLock);
  return takeNumber(Table.get());
}

void dropSegment(uint32_t Id) {
  Guard Locked(TableLock);
  Table.get().Ids.free(Id);
}

// ---- Memory from elsewhere

void allocated(const void *Base, size_t Size) {
  if (!Base)
    return;
  released(Base);
  {
    Guard Locked(TableLock);
    auto &Foreign = Table.get().Foreign;
    // Of no bytes its address is all that there is to name.
    Foreign[reinterpret_cast<uintptr_t>(Base)] = {std::max<size_t>(Size, 1), NoId};
    ForeignCount.store(Foreign.size(), std::memory_order_release);
  }
  // The range may lie in a malloc'ed block that has been located before.
  newGeneration(Renewal::Fleeting);
}

void released(const void *Base) {
  uint32_t Id = NoId;
  {
    Guard Locked(TableLock);
    auto &Foreign = Table.get().Foreign;
    auto It = Foreign.find(reinterpret_cast<uintptr_t>(Base));
    if (It == Foreign.end())
      return;
    Id = It->second.Id;
    Foreign.erase(It);
    ForeignCount.store(Foreign.size(), std::memory_order_release);
  }
  newGeneration(Renewal::Fleeting);
  retireSegment(Base, {SegmentKind::Heap, Id}, Release::Other);
}

/// Looks Address up in the announced ranges.
static bool findForeign(uintptr_t Address, Location &Found) {
  if (ForeignCount.load(std::memory_order_acquire) == 0)
    return false;
  Guard Locked(TableLock);
  SegmentTable &T = Table.get();
  auto It = T.Foreign.upper_bound(Address);
  if (It == T.Foreign.begin())
    return false;
  --It;
  uintptr_t Offset = Address - It->first;
  ForeignRange &Range = It->second;
  if (Offset > Range.Size || (Offset == Range.Size && Offset != 0 && (Address & 4095) == 0))
    return false;
  if (Range.Id == NoId)
    Range.Id = takeNumber(T);
  Found = {SegmentKind::Heap, Range.Id, int64_t(Offset), nullptr};
  return true;
}

// ---- Look-up

/// Looks Address up among the heap blocks and registers its block.
static bool findHeap(const void *Pointer, Location &Found) {
  Block Holder;
  if (!findBlock(Pointer, Holder))
    return false;
  auto Address = reinterpret_cast<uintptr_t>(Pointer);
  Guard Locked(TableLock);
  SegmentTable &T = Table.get();
  auto [It, New] = T.Heap.try_emplace(Holder.Base, NoId);
  if (New) {
    It->second = takeNumber(T);
    markRegistered(Holder.Base);
  }
  Found = {SegmentKind::Heap, It->second, int64_t(Address - Holder.Base), nullptr};
  return true;
}

Location locate(const void *Address, const Asker &Who) {
  if (!Address)
    return {};
  Now = Who;
  int SavedErrno = errno;
  auto Value = reinterpret_cast<uintptr_t>(Address);
  Location Found;
  retireUnmapped(Release::Other);
  // A stack comes before the heap, as it may have been malloc'ed. What was there before CUDA page-locked it keeps its
  // name, so that buffers in it still compare.
  if (!findStack(Value, Found) && !findForeign(Value, Found) && !findHeap(Address, Found) &&
      !findModule(Value, Found) && !findCuda(Value, Found) && !findMapped(Value, Found))
    Found = findMapping(Value);
  errno = SavedErrno;
  return Found;
}

} // namespace pilgrim::memory
