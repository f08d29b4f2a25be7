//===- Reserve.h - when memory runs out -------------------------*- C++ -*-===//
//
// The runtime's own memory. When there is none left, a call that is being recorded still ends well: it is served from a
// reserve, and whoever traces is told to stop. Work that can be given up as a whole (joining the traces) runs under
// tryInMemory() instead.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_MEMORY_RESERVE_H
#define PILGRIM_MEMORY_RESERVE_H

#include <csetjmp>
#include <cstddef>
#include <cstdint>

namespace pilgrim::memory {

/// Never null. Not recorded by the malloc wrappers.
void *ownMalloc(size_t Size);
void ownFree(void *Block);

/// Pages from the system, all zero, that take memory when they are used. Not recorded by the wrappers of mmap. Null if
/// there is no memory.
void *ownPages(size_t Size);
void ownPagesBack(void *Pages, size_t Size);
/// Addresses only, for pages that will be wanted in one piece. Null if there are none.
void *ownAddresses(size_t Size);
/// Makes some of these addresses pages as above; false if there is no memory.
bool useAddresses(void *Begin, size_t Size);

/// Whether the calling thread is in ownMalloc() or ownFree().
bool isAllocating();
/// Whether the program has called its allocator in the calling thread, and may hold a lock that others wait for.
bool isProgramAllocating();
/// From now on ownMalloc() of the calling thread takes new pages from the system, and its ownFree() does nothing. For
/// the end of the process in a signal's handler: the allocator's lock may be held by code that will not go on.
void useNewPages();

/// While it lives, small blocks of the calling thread are of memory/SmallBlocks.h. Of two threads only the first has
/// them. What is given back afterwards, or by another thread, is lost until the process ends.
class UseSmallBlocks {
public:
  UseSmallBlocks();
  ~UseSmallBlocks();
  UseSmallBlocks(const UseSmallBlocks &) = delete;
  UseSmallBlocks &operator=(const UseSmallBlocks &) = delete;

private:
  bool IsFirst;
};

/// While it lives, tryInMemory() of the calling thread also fails if less than LeastFree bytes would be left that the
/// system can give (platform/FreeMemory.h). Made outside of tryInMemory(), which may leave without destructors.
class KeepFree {
public:
  explicit KeepFree(uint64_t LeastFree);
  ~KeepFree();
  KeepFree(const KeepFree &) = delete;
  KeepFree &operator=(const KeepFree &) = delete;

private:
  const uint64_t Before;
};

/// Sets what is called once, when the reserve is touched or could not be made large enough for what is held. It must
/// not allocate.
void setExhaustedHook(void (*Hook)());

/// Where this thread's ownMalloc() jumps to instead of touching the reserve; null for none. Returns what was set.
std::jmp_buf *setEscape(std::jmp_buf *Escape);

/// Runs Work; false if memory ran out in it. Then no destructor has run, and what it was changing must neither be read
/// nor destroyed.
template <typename F> [[gnu::noinline]] bool tryInMemory(F &&Work) {
  std::jmp_buf Here;
  std::jmp_buf *volatile Before = setEscape(nullptr);
  if (setjmp(Here)) {
    setEscape(Before);
    return false;
  }
  setEscape(&Here);
  Work();
  setEscape(Before);
  return true;
}

} // namespace pilgrim::memory

#endif
