//===- memory/Segments.h - From addresses to segments -----------*- C++ -*-===//
//
// Turns an address that a program passes to MPI into a segment and an offset
// in it, which mean the same in every run, where the address itself does not:
// heap blocks get small numbers, global data the name of their module, local
// variables their distance from the start of the stack.
//
// Heap blocks are known exactly because the malloc family is wrapped (see
// MallocWrappers.cpp); all else is asked of the system at look-up.  This module
// does not look at what memory contains, does not follow mmap and munmap, and
// knows no MPI: memory that MPI hands out is announced with allocated().
//
//===----------------------------------------------------------------------===//

#ifndef PILGRIM_MEMORY_SEGMENTS_H
#define PILGRIM_MEMORY_SEGMENTS_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pilgrim::memory {

enum class SegmentKind : std::uint8_t {
  Null,    ///< The null pointer.
  Heap,    ///< A block from the malloc family, or announced by allocated().
  Data,    ///< Static data (or code) of the program or of a shared object.
  Stack,   ///< The calling thread's stack, or the main thread's.
  Mapping, ///< Any other mapped memory, other threads' stacks included.
  Unknown, ///< Not mapped.
  Device,  ///< An allocation in the memory of a CUDA device ...
  Managed, ///< ... in memory that CUDA moves between host and devices ...
  Pinned,  ///< ... in the host's memory, page-locked by CUDA.
};

/// Where an address lies.
struct Location {
  SegmentKind Kind = SegmentKind::Null;
  /// Heap: the block's number, the lowest that was free when MPI first saw the
  /// block; given back when the block is freed.  Device, Managed, Pinned: the
  /// same, from the same numbers.
  /// Stack: 0 for the calling thread's own stack, 1 for the main thread's stack
  /// seen from another thread.
  /// Mapping: number of the region's start in order of first use, never reused.
  /// Otherwise 0.
  std::uint32_t Id = 0;
  /// Heap, Device, Managed, Pinned: from the block's start.  Data: from the module's load base.  Stack:
  /// from the initial stack pointer for the main thread, so that neither the
  /// environment nor address randomisation changes it (mostly negative), and
  /// from the top of the stack for others (negative).  Mapping: from the start
  /// of the region in /proc/self/maps.  Unknown: the address itself.
  std::int64_t Offset = 0;
  /// Data: base name of the object file, the program's short name for the main
  /// program; lives for ever, and equal names are equal pointers.  Otherwise
  /// null.
  const char *Module = nullptr;
  /// Device, Managed, Pinned: the CUDA device that the memory belongs to.
  std::uint32_t Device = 0;
  /// The answer is right now and must not be kept: nothing will tell when the
  /// memory is freed.
  bool IsFleeting = false;

  bool operator==(const Location &) const = default;
};

/// Starts to record heap blocks; those allocated earlier stay unknown (they are
/// found as Mapping), so call it from the earliest constructor.  Until then the
/// wrappers only pass calls on.  Cannot be undone.  Further calls do nothing.
void enable();

/// Whether enable() has been called.
bool enabled();

/// Finds the segment that holds \p Address.  A heap block found for the first
/// time becomes a registered segment: it gets its id now.  The address just
/// past a heap block counts as part of it unless it begins a page (where it may
/// as well be the start of something else).  Does not change errno.
Location locate(const void *Address);

/// Announces \p Size bytes at \p Base that come from elsewhere than the malloc
/// family (MPI_Alloc_mem, MPI_Win_allocate).  They are one Heap segment, even
/// where they lie within a malloc'ed block.  A range announced before with the
/// same base is released first.
void allocated(const void *Base, std::size_t Size);

/// Ends the range that was announced at \p Base; others are ignored.
void released(const void *Base);

/// Changes whenever an answer that locate() gave out may have become wrong
/// because a registered segment was freed or moved, a range was announced or
/// released, or locate() noticed that a module is gone.  A caller may keep
/// answers of the kinds Heap, Data, Null and (unless IsFleeting) Device, Managed
/// and Pinned as long as this stays the same; those of other kinds it must not keep, for nothing tells us when mappings
/// and threads go.  (An unloaded module is noticed at the next look-up that is
/// answered neither by a stack nor by the heap.)
const std::atomic<std::uint64_t> &generation();
/// Advances it: for those who keep answers about other things than addresses, too.
void invalidateAnswers();

/// Changes when modules were unloaded, as the generation does: code at an address may be another's from then on. That
/// is seen at each dlclose() (pmpi/Unloading.cpp), and when an address is looked up.
std::uint64_t unloads();
/// Sees whether modules were unloaded.
void lookForUnloads();

/// Notices now what was freed without our seeing it, which locate() notices when
/// it is asked about new memory.
void noticeReleases();

/// How a registered segment went.
enum class Release : std::uint8_t {
  Freed, ///< The program has just given it back, by a function that frees (or moves) memory.
  Other, ///< By released(), or nobody knows when: that it is gone was noticed now.
};

/// Sets the function that is told of every registered segment that goes (null
/// for none): where it was, with the segment's start as its address.  It runs on
/// the thread that frees, without locks held; it may allocate.  The id is reused
/// only after it returns, and so is the memory, except where realloc has moved
/// the block: then \p Base may already be someone else's.
using ReleaseHook = void (*)(const Location &Gone, const void *Base, Release How);
void setReleaseHook(ReleaseHook Hook);

/// The functions behind the wrappers.  Memory from realMalloc is never recorded
/// and must go back by realFree (or free); realFree must not be given blocks
/// from anywhere else.  Both may be called at any time, before constructors run
/// and inside the release hook too.
void *realMalloc(std::size_t Size);
void *realAlignedAlloc(std::size_t Alignment, std::size_t Size);
void realFree(void *Block);

} // namespace pilgrim::memory

#endif // PILGRIM_MEMORY_SEGMENTS_H
