//===- Internal.h - shared by this directory's files ------------*- C++ -*-===//
//
// What the files of this room need from one another: the lock, the containers' allocator, and the calls between the
// malloc wrappers, the segment table and the look-up of regions. Outside of this room only CudaWrappers.cpp and
// MapWrappers.cpp include it.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_MEMORY_INTERNAL_H
#define PILGRIM_MEMORY_INTERNAL_H

#include "memory/BlockMap.h"
#include "memory/Reserve.h"
#include "memory/Segments.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <sched.h>

/// Thread-local variables must not need an allocation when they are first used, as that would call the wrappers again.
#define PILGRIM_MEMORY_TLS __attribute__((tls_model("initial-exec")))

namespace pilgrim::memory {

/// Set while this thread holds all locks because it is about to fork. Other fork handlers may allocate then, so locking
/// must not wait for itself.
PILGRIM_MEMORY_TLS inline constinit thread_local bool HoldsAllLocks = false;

/// Whether the calling thread may take so many more bytes (KeepFree).
bool mayTake(size_t Size);

/// A lock that needs no memory, no initialisation and no destruction. It is held briefly and never while program code
/// runs.
class SpinLock {
public:
  void lock() {
    if (HoldsAllLocks)
      return;
    while (Held.exchange(true, std::memory_order_acquire))
      for (unsigned Try = 0; Held.load(std::memory_order_relaxed); ++Try)
        if (Try >= 64)
          sched_yield();
  }
  void unlock() {
    if (!HoldsAllLocks)
      Held.store(false, std::memory_order_release);
  }

private:
  std::atomic<bool> Held = false;
};

class Guard {
public:
  explicit Guard(SpinLock &Lock) : Lock(Lock) { Lock.lock(); }
  ~Guard() { Lock.unlock(); }
  Guard(const Guard &) = delete;
  Guard &operator=(const Guard &) = delete;

private:
  SpinLock &Lock;
};

/// Allocator for containers that are used under the locks: bypasses the wrappers, so that it cannot come back to us.
template <typename T> struct RealAllocator {
  using value_type = T;
  RealAllocator() = default;
  template <typename U> constexpr RealAllocator(const RealAllocator<U> &) {}
  T *allocate(size_t Count) { return static_cast<T *>(ownMalloc(Count * sizeof(T))); }
  void deallocate(T *Memory, size_t) { ownFree(Memory); }
  template <typename U> bool operator==(const RealAllocator<U> &) const { return true; }
};

/// A variable that is made at first use (under its owner's lock) and never destroyed: wrappers run before constructors
/// and after destructors.
template <typename T> class Immortal {
public:
  T &get() {
    if (!Made) {
      new (Storage) T;
      Made = true;
    }
    return *std::launder(reinterpret_cast<T *>(Storage));
  }

private:
  alignas(T) std::byte Storage[sizeof(T)] = {};
  bool Made = false;
};

/// How deep the program is in its allocator, while the wrappers record.
PILGRIM_MEMORY_TLS __attribute__((visibility("hidden"))) inline constinit thread_local unsigned ProgramsDepth = 0;

/// Whether the wrappers record blocks.
__attribute__((visibility("hidden"))) extern constinit std::atomic<bool> Enabled;

// Segments.cpp, for the wrappers.

inline constexpr uint32_t NoId = UINT32_MAX;

/// Takes the registered block at Base out of the table. The block map must not have it any more. Begins a new
/// generation. To be called before the real allocator gets the block. Returns the block's number, or NoId. The number
/// stays in use until returnSegment() or retireSegment() gets it.
uint32_t takeSegment(const void *Base);

/// The block with this number stays where it was: a realloc in place.
void returnSegment(const void *Base, uint32_t Id);

/// The segment Gone.Id that was at Base is gone. Does nothing if that is NoId.
void retireSegment(const void *Base, const Location &Gone, Release How);
/// The program freed the heap block with this number.
inline void retireHeap(const void *Base, uint32_t Id) { retireSegment(Base, {SegmentKind::Heap, Id}, Release::Freed); }

/// A number for a segment that is not a heap block.
uint32_t newSegment();
/// The number is not needed after all.
void dropSegment(uint32_t Id);

// Regions.cpp, for locate() and fork.

/// Each of these fills Found and returns true if Address is of its kind.
bool findStack(uintptr_t Address, Location &Found);
bool findModule(uintptr_t Address, Location &Found);
/// Falls back to Unknown.
Location findMapping(uintptr_t Address);
/// The program unmaps [Low, High), or maps other memory there.
void forgetRegions(uintptr_t Low, uintptr_t High);

/// Whether findModule() has met CUDA's driver library.
bool isCudaDriverLoaded();

void lockRegions();
void unlockRegions();

// MappedRanges.cpp, for locate(), the wrappers and fork.

/// As the functions above. To be asked last, but for findMapping().
bool findMapped(uintptr_t Address, Location &Found);
/// The end of the last mapping that begins at or before Address; 0 if there is none.
uintptr_t lastMappedEnd(uintptr_t Address);

/// The program has mapped [Low, High).
void mapped(uintptr_t Low, uintptr_t High);
/// The mapping that ended at End ends at NewEnd now.
void extended(uintptr_t End, uintptr_t NewEnd);
/// A call that unmaps [Low, High). Made before the call; either function is called after it.
class Unmapping {
public:
  Unmapping(uintptr_t Low, uintptr_t High);
  void failed();
  void succeeded();
  Unmapping(const Unmapping &) = delete;

private:
  const uintptr_t Low, High;
};
/// Gives back the numbers of mappings that are gone. Freed: leaves them if the thread may be in a signal's handler.
void retireUnmapped(Release How);

void lockMappings();
void unlockMappings();

// Reserve.cpp, for fork.

void lockReserve();
void unlockReserve();

// CudaRanges.cpp, for locate(), the wrappers and fork.

/// As the functions above. To be asked after findModule().
bool findCuda(uintptr_t Address, Location &Found);

/// The program got Size bytes at Start from CUDA. That it frees them will be seen, too.
void cudaAllocated(const void *Start, size_t Size);
/// The program frees what it got at Start. To be called before CUDA frees it.
void cudaReleased(const void *Start);
/// All that a device or a context had may be gone.
void cudaWasReset();

void lockCuda();
void unlockCuda();

} // namespace pilgrim::memory

#endif
