//===- Segments.h - from addresses to segments ------------------*- C++ -*-===//
//
// Turns an address that a program passes to MPI into a segment and an offset in it. These mean the same in every run;
// the address does not. Heap blocks get small numbers, global data the name of its module, local variables their
// distance from the start of the stack.
//
// Heap blocks are known exactly, because the malloc family is wrapped (MallocWrappers.cpp); so is what the program maps
// with mmap() and mremap() (MapWrappers.cpp). The system is asked about everything else when it is looked up. This room
// does not look at what memory contains. It knows no MPI: memory that MPI hands out is announced with allocated().
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_MEMORY_SEGMENTS_H
#define PILGRIM_MEMORY_SEGMENTS_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pilgrim::memory {

enum class SegmentKind : uint8_t {
  Null,    ///< the null pointer
  Heap,    ///< a block from the malloc family, a mapping of mmap(), or a range announced by allocated()
  Data,    ///< static data (or code) of the program or of a shared object
  Stack,   ///< the calling thread's stack, or the main thread's
  Mapping, ///< any other mapped memory: other threads' stacks, what raw system calls map
  Unknown, ///< not mapped
  Device,  ///< an allocation in the memory of a CUDA device
  Managed, ///< an allocation that CUDA moves between host and devices
  Pinned,  ///< host memory that CUDA has page-locked
};

/// Where an address lies.
struct Location {
  SegmentKind Kind = SegmentKind::Null;
  /// Heap, Device, Managed, Pinned: the block's number. It is the lowest one that was free when MPI first saw the
  /// block, and is given back when the block is freed. Stack: 0 for the calling thread's own stack, 1 for the main
  /// thread's stack seen from another thread. Mapping: the number of the region's start, in order of first use. It is
  /// never reused. Others: 0.
  uint32_t Id = 0;
  /// Heap, Device, Managed, Pinned: from the block's start.
  /// Data: from the module's load bias.
  /// Stack: of the main thread from the initial stack pointer, which the environment and address randomisation do not
  /// change (mostly negative); of others from the top of the stack (negative).
  /// Mapping: from the start of the region in /proc/self/maps, less what is known of it.
  /// Unknown: the address itself.
  int64_t Offset = 0;
  /// Data: the base name of the object file; of the program its short name. Lives for ever, and equal names are equal
  /// pointers. Others: null.
  const char *Module = nullptr;
  /// Device, Managed, Pinned: the CUDA device that the memory belongs to.
  uint32_t Device = 0;
  /// The answer must not be kept: nothing will tell when the memory is freed.
  bool IsFleeting = false;

  bool operator==(const Location &) const = default;
};

/// Starts to record heap blocks and mappings. Those that were made earlier stay unknown (they are found as Mapping), so
/// call it from the earliest constructor. Until then the wrappers only pass calls on. It cannot be undone. Further
/// calls do nothing.
void enable();

/// Whether enable() has been called.
bool enabled();

/// Who looks something up: its number as a thread, and the number of its last turn (core/Turns.h).
struct Asker {
  uint64_t Turn = 0;
  uint32_t Thread = UINT32_MAX;
};

/// Who may have the number of a segment that went for another one: who asks in that turn or a later one, and one thread
/// in any.
struct Reuse {
  static constexpr uint64_t Never = UINT64_MAX; ///< before mayReuse()
  uint64_t From = 0;
  uint32_t Thread = UINT32_MAX;

  bool isFor(const Asker &A) const { return From <= A.Turn || (From != Never && Thread == A.Thread); }
};

/// Finds the segment that holds Address. A heap block that is found for the first time becomes a registered segment: it
/// gets its number now. The address just past a heap block counts as part of it, unless it begins a page; there another
/// mapping may begin. Does not change errno.
///
/// An answer of the kinds Heap, Data, Null, Device, Managed and Pinned may be kept until the generation changes
/// (platform/Generation.h), unless it IsFleeting. It changes when a registered segment was freed or moved, when a range
/// was announced or released, and when it was noticed that a module is gone. Answers of other kinds must not be kept:
/// nothing tells when mappings and threads go. An unloaded module is noticed at the next look-up that neither a stack
/// nor the heap answers.
Location locate(const void *Address, const Asker &Who = {});

/// Announces Size bytes at Base that do not come from the malloc family (MPI_Alloc_mem, MPI_Win_allocate). They are one
/// Heap segment, even where they lie within a block from malloc. A range that was announced before with the same base
/// is released first.
void allocated(const void *Base, size_t Size);

/// Ends the range that was announced at Base; others are ignored.
void released(const void *Base);

/// Notices now which CUDA memory was freed without our seeing it. locate() does so when it is asked about new memory.
void noticeReleases();

/// How a registered segment went.
enum class Release : uint8_t {
  Freed, ///< the program has just given it back, by a function that frees, unmaps or moves memory
  Other, ///< by released(); or it went at an unknown time, and that was noticed now
};

/// Sets the function that is told of every registered segment that goes; null for none. Gone is the segment with its
/// start as its address. The function runs on the thread that frees, without locks held, and may allocate. The number
/// is reused only after it returns, by whom it says. So is the memory, unless realloc has moved the block, or it was a
/// mapping: then Base may already be another block's.
using ReleaseHook = Reuse (*)(const Location &Gone, const void *Base, Release How);
void setReleaseHook(ReleaseHook Hook);
/// Says anew who may have a number that the hook has returned something else than 0 for.
void mayReuse(uint32_t Id, const Reuse &When);

/// The functions behind the wrappers. Memory from realMalloc is never recorded and must go back by realFree (or free).
/// realFree must not be given blocks from anywhere else. Both may be called at any time: before constructors run, and
/// inside the release hook.
void *realMalloc(size_t Size);
void *realAlignedAlloc(size_t Alignment, size_t Size);
void realFree(void *Block);

} // namespace pilgrim::memory

#endif
