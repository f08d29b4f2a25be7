//===- CudaRanges.cpp - segments in CUDA's memory -------------------------===//
//
// Keeps which CUDA allocations MPI has met, and their numbers. There are two sources:
//
// The driver says which allocation an address belongs to. That is always right, but only for the moment: nothing tells
// when the memory is freed. So the answer is not kept, and the driver is asked at every use. The driver numbers its
// allocations. The number tells an allocation from a later one at the same address.
//
// Where the program calls the CUDA runtime as a shared library, or the driver itself, CudaWrappers.cpp sees memory
// allocated and freed. Answers about memory that was seen allocated are kept until it is seen freed.
//
//===----------------------------------------------------------------------===//
#include "memory/CudaDriver.h"
#include "memory/Internal.h"
#include "platform/Generation.h"

#include <map>
#include <utility>
#include <vector>

namespace pilgrim::memory {

namespace {

struct CudaRange {
  size_t Size = 0;
  uint32_t Id = NoId; ///< from its first use by MPI
  bool IsFreeSeen = false;
  /// These three as the driver said. If the allocation was seen, they are set when the range gets its number.
  SegmentKind Kind = SegmentKind::Null;
  uint32_t Device = 0;
  uint64_t Buffer = 0;
};

using RangeMap =
    std::map<uintptr_t, CudaRange, std::less<uintptr_t>, RealAllocator<std::pair<const uintptr_t, CudaRange>>>;

/// Ranges that were taken out of the table, with their bases.
using RangeList = std::vector<std::pair<uintptr_t, CudaRange>, RealAllocator<std::pair<uintptr_t, CudaRange>>>;

} // namespace

/// Guards Ranges. Never held while the driver is asked, since that may wait for a thread that waits here.
static constinit SpinLock CudaLock;
static constinit Immortal<RangeMap> Ranges;

/// The range that holds Address, or the table's end.
static RangeMap::iterator holderOf(uintptr_t Address) {
  RangeMap &R = Ranges.get();
  auto It = R.upper_bound(Address);
  if (It == R.begin())
    return R.end();
  --It;
  return Address - It->first < It->second.Size ? It : R.end();
}

/// Moves all ranges that overlap [Low, High) to Gone.
static void takeOverlapping(uintptr_t Low, uintptr_t High, RangeList &Gone) {
  RangeMap &R = Ranges.get();
  auto It = holderOf(Low);
  if (It == R.end())
    It = R.lower_bound(Low);
  while (It != R.end() && It->first < High) {
    Gone.push_back(*It);
    It = R.erase(It);
  }
}

static Location locationIn(const CudaRange &Range, uintptr_t Base, uintptr_t Address) {
  return {Range.Kind, Range.Id, int64_t(Address - Base), nullptr, Range.Device, !Range.IsFreeSeen};
}

/// Gives back the ids of ranges that are no longer in the table.
static void retire(const RangeList &Gone, Release How = Release::Other) {
  for (const auto &[Base, Range] : Gone) {
    if (Range.Id == NoId)
      continue;
    newGeneration(Renewal::Fleeting);
    retireSegment(reinterpret_cast<const void *>(Base), locationIn(Range, Base, Base), How);
  }
}

// ---- Memory that the wrappers see

void cudaAllocated(const void *Start, size_t Size) {
  auto Base = reinterpret_cast<uintptr_t>(Start);
  if (!Base || !Size)
    return;
  RangeList Gone;
  {
    Guard Locked(CudaLock);
    takeOverlapping(Base, Base + Size, Gone);
    CudaRange &New = Ranges.get()[Base];
    New.Size = Size;
    New.IsFreeSeen = true;
  }
  retire(Gone);
}

void cudaReleased(const void *Start) {
  RangeList Gone;
  {
    Guard Locked(CudaLock);
    RangeMap &R = Ranges.get();
    if (auto It = R.find(reinterpret_cast<uintptr_t>(Start)); It != R.end()) {
      Gone.push_back(*It);
      R.erase(It);
    }
  }
  retire(Gone, Release::Freed);
}

// ---- Memory that they do not see

/// Drops the ranges that the driver no longer knows. All: also those that were seen allocated.
static void dropDead(bool All) {
  RangeList Known, Gone;
  {
    Guard Locked(CudaLock);
    for (const auto &Entry : Ranges.get())
      if (All || !Entry.second.IsFreeSeen)
        Known.push_back(Entry);
  }
  for (const auto &[Base, Range] : Known) {
    CudaMemory Now;
    DriverSays Answer = askCudaDriver(Base, Now);
    if (Answer == DriverSays::Nothing)
      break;
    if (Answer == DriverSays::Yes && (Range.Id == NoId || Now.Buffer == Range.Buffer))
      continue;
    Guard Locked(CudaLock);
    RangeMap &R = Ranges.get();
    // Unless another thread has put something else there.
    if (auto It = R.find(Base); It != R.end() && It->second.Id == Range.Id && It->second.Buffer == Range.Buffer) {
      Gone.push_back(*It);
      R.erase(It);
    }
  }
  retire(Gone);
}

void cudaWasReset() { dropDead(true); }

void noticeReleases() { dropDead(false); }

// ---- Look-up

/// Looks Address up in what is known already.
static bool findKnown(uintptr_t Address, bool EvenIfFleeting, Location &Found) {
  Guard Locked(CudaLock);
  auto It = holderOf(Address);
  if (It == Ranges.get().end() || It->second.Id == NoId || !(It->second.IsFreeSeen || EvenIfFleeting))
    return false;
  Found = locationIn(It->second, It->first, Address);
  return true;
}

/// Makes the table agree with what the driver says of Address: Now if it is CUDA's, else null. Returns whether a range
/// had to be entered.
static bool update(uintptr_t Address, const CudaMemory *Now) {
  RangeList Gone;
  bool IsNew = false;
  {
    Guard Locked(CudaLock);
    auto It = holderOf(Address);
    bool IsKnown = It != Ranges.get().end();
    // The wrappers' word on where a range begins and ends stands: in a pool of memory the driver may mean the pool.
    if (IsKnown && It->second.IsFreeSeen)
      return false;
    if (IsKnown && Now && It->first == Now->Base && It->second.Size == Now->Size && It->second.Buffer == Now->Buffer)
      return false;
    if (IsKnown)
      takeOverlapping(It->first, It->first + 1, Gone);
    if (Now) {
      takeOverlapping(Now->Base, Now->Base + Now->Size, Gone);
      CudaRange New;
      New.Size = Now->Size;
      New.Buffer = Now->Buffer;
      Ranges.get()[Now->Base] = New;
      IsNew = true;
    }
  }
  retire(Gone);
  return IsNew;
}

bool findCuda(uintptr_t Address, Location &Found) {
  if (!hasCudaDriver()) // No CUDA; or its end has come, and what was known is all there is.
    return findKnown(Address, true, Found);
  if (findKnown(Address, false, Found))
    return true;
  CudaMemory Now;
  uintptr_t Inside = Address;
  DriverSays Answer = askCudaDriver(Inside, Now);
  // Just past the end, as of heap blocks.
  if (Answer == DriverSays::No && (Address & 4095) != 0)
    Answer = askCudaDriver(--Inside, Now);
  if (Answer == DriverSays::Nothing)
    return findKnown(Address, true, Found);
  if (Answer == DriverSays::No) {
    update(Address, nullptr);
    return false;
  }
  // A new segment gets the lowest number that is free: now is the time to learn which are.
  if (update(Inside, &Now))
    noticeReleases();
  bool IsNew = false;
  {
    Guard Locked(CudaLock);
    auto It = holderOf(Inside);
    if (It == Ranges.get().end())
      return false; // Another thread frees it while MPI uses it.
    CudaRange &Range = It->second;
    if (Range.Id == NoId) {
      IsNew = true;
      Range.Id = newSegment();
      Range.Kind = Now.Kind;
      Range.Device = Now.Device;
      Range.Buffer = Now.Buffer;
    }
    Found = locationIn(It->second, It->first, Address);
  }
  // Page-locked memory may have been a mapping without a name of its own before.
  if (IsNew && Found.Kind == SegmentKind::Pinned)
    newGeneration(Renewal::Fleeting);
  return true;
}

// ---- Fork

void lockCuda() { CudaLock.lock(); }

void unlockCuda() { CudaLock.unlock(); }

} // namespace pilgrim::memory
