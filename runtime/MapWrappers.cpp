//===- MapWrappers.cpp - mmap, munmap and mremap --------------------------===//
//
// Exports the functions with which the program maps and unmaps memory. They pass every call on to the next definition
// and, once recording is enabled, tell memory/MappedRanges.cpp. What a call unmaps is taken out of the table before the
// call, since another thread may get the addresses before it returns.
//
// They have the version that the C library's have, a hidden one. The dynamic linker binds a program to them, which asks
// for that version. dlsym() does not find them: UCX would overwrite the first instructions of what it finds with a jump
// to its own functions, which do not pass calls on. So it does that to the C library's, and these call it.
//
// The C library's allocator and the dynamic linker call none of these functions. This library's own pages come from
// memory::ownPages().
//
//===----------------------------------------------------------------------===//
#include "api/Markers.h"
#include "memory/Internal.h"

#include <cerrno>
#include <cstdarg>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#if defined(__x86_64__)
#define PILGRIM_LIBC_VERSION "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define PILGRIM_LIBC_VERSION "GLIBC_2.17"
#endif
#if defined(PILGRIM_LIBC_VERSION)

#define PILGRIM_EXPORT(Name)                                                                                           \
  __asm__(".symver pilgrim_" #Name "," #Name "@" PILGRIM_LIBC_VERSION ",remove");                                      \
  extern "C" __attribute__((visibility("default")))

using namespace pilgrim::memory;

// ---- The real functions

template <typename Type> using Pointer = std::atomic<Type *>;
static constinit Pointer<void *(void *, size_t, int, int, int, off_t)> RealMap = nullptr;
static constinit Pointer<int(void *, size_t)> RealUnmap = nullptr;
static constinit Pointer<void *(void *, size_t, size_t, int, void *)> RealRemap = nullptr;

static constexpr auto Relaxed = std::memory_order_relaxed;

template <typename Type> static void lookUp(Pointer<Type> &Function, const char *Name) {
  if (void *Symbol = dlsym(RTLD_NEXT, Name))
    Function.store(reinterpret_cast<Type *>(Symbol), Relaxed);
}

__attribute__((constructor(101))) static void findNext() {
  lookUp(RealMap, "mmap");
  lookUp(RealUnmap, "munmap");
  lookUp(RealRemap, "mremap");
}

// Before that, and where there is no next definition, the system is called.

static void *nextMap(void *Start, size_t Size, int Protection, int Flags, int File, off_t Offset) {
  if (auto *Next = RealMap.load(Relaxed))
    return Next(Start, Size, Protection, Flags, File, Offset);
  return reinterpret_cast<void *>(syscall(SYS_mmap, Start, Size, Protection, Flags, File, Offset));
}

static int nextUnmap(void *Start, size_t Size) {
  if (auto *Next = RealUnmap.load(Relaxed))
    return Next(Start, Size);
  return static_cast<int>(syscall(SYS_munmap, Start, Size));
}

static void *nextRemap(void *Old, size_t OldSize, size_t Size, int Flags, void *New) {
  if (auto *Next = RealRemap.load(Relaxed))
    return Next(Old, OldSize, Size, Flags, New);
  return reinterpret_cast<void *>(syscall(SYS_mremap, Old, OldSize, Size, Flags, New));
}

// ---- Wrappers

static bool recording() { return Enabled.load(Relaxed); }

namespace {
/// The pages that a call names; none if it will fail.
struct Pages {
  uintptr_t Low = 0, High = 0;
  Pages() = default;
  Pages(const void *Start, size_t Size) {
    const auto PageMask = static_cast<uintptr_t>(getpagesize()) - 1;
    const auto Begin = reinterpret_cast<uintptr_t>(Start);
    uintptr_t End;
    if ((Begin & PageMask) || !Size || __builtin_add_overflow(Begin, Size, &End) || End + PageMask < End)
      return;
    Low = Begin;
    High = (End + PageMask) & ~PageMask;
  }
};

/// Keeps errno, which the real call has set.
struct ErrnoKeeper {
  const int Saved = errno;
  ~ErrnoKeeper() { errno = Saved; }
};
} // namespace

/// What a call with Result has unmapped, and what it has mapped.
static void *settle(Unmapping &Gone, void *Result, const Pages &New) {
  ErrnoKeeper Keep;
  if (Result == MAP_FAILED) {
    Gone.failed();
  } else {
    Gone.succeeded();
    if (New.High)
      mapped(New.Low, New.High);
  }
  return Result;
}

PILGRIM_EXPORT(mmap)
void *pilgrim_mmap(void *Start, size_t Size, int Protection, int Flags, int File, off_t Offset) noexcept {
  if (!recording())
    return nextMap(Start, Size, Protection, Flags, File, Offset);
#if defined(MAP_FIXED_NOREPLACE)
  const bool IsFixed = (Flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) == MAP_FIXED;
#else
  const bool IsFixed = (Flags & MAP_FIXED) != 0;
#endif
  const Pages Old = IsFixed ? Pages(Start, Size) : Pages();
  Unmapping Gone(Old.Low, Old.High);
  void *Result = nextMap(Start, Size, Protection, Flags, File, Offset);
  return settle(Gone, Result, Result == MAP_FAILED ? Pages() : Pages(Result, Size));
}

PILGRIM_EXPORT(mmap64)
void *pilgrim_mmap64(void *Start, size_t Size, int Protection, int Flags, int File, off64_t Offset) noexcept {
  static_assert(sizeof(off_t) == sizeof(off64_t));
  return pilgrim_mmap(Start, Size, Protection, Flags, File, Offset);
}

/// A coroutine's stack goes, with frames on it that were not left: those around them are the innermost ones again. The
/// stack may be protected already, so it is the system that reads it.
static void forgetFrames(const void *Start, size_t Size) {
  const auto Holds = [&](const PilgrimFrame *F) {
    return reinterpret_cast<uintptr_t>(F) - reinterpret_cast<uintptr_t>(Start) < Size;
  };
  if (!Holds(__pilgrim_top)) [[likely]]
    return;
  ErrnoKeeper Keep;
  PilgrimFrame *Top = __pilgrim_top;
  for (size_t Frames = Size / sizeof *Top; Holds(Top); --Frames) {
    iovec From{&Top->Parent, sizeof Top->Parent}, To{&Top, sizeof Top};
    if (!Frames || process_vm_readv(getpid(), &To, 1, &From, 1, 0) != sizeof Top)
      Top = nullptr;
  }
  __pilgrim_top = Top;
}

PILGRIM_EXPORT(munmap) int pilgrim_munmap(void *Start, size_t Size) noexcept {
  forgetFrames(Start, Size);
  if (!recording())
    return nextUnmap(Start, Size);
  const Pages Old(Start, Size);
  Unmapping Gone(Old.Low, Old.High);
  const int Result = nextUnmap(Start, Size);
  settle(Gone, Result ? MAP_FAILED : nullptr, {});
  return Result;
}

PILGRIM_EXPORT(mremap) void *pilgrim_mremap(void *Old, size_t OldSize, size_t Size, int Flags, ...) noexcept {
  va_list Rest;
  va_start(Rest, Flags);
  void *New = va_arg(Rest, void *); // as the C library does, whether there is one or not
  va_end(Rest);
  if (!recording())
    return nextRemap(Old, OldSize, Size, Flags, New);
#if defined(MREMAP_DONTUNMAP)
  const bool IsCopy = OldSize == 0 || (Flags & MREMAP_DONTUNMAP);
#else
  const bool IsCopy = OldSize == 0;
#endif
  const bool MayMove = (Flags & MREMAP_MAYMOVE) && (IsCopy || (Flags & MREMAP_FIXED) || Size > OldSize);
  const Pages Was(Old, OldSize), Kept(Old, Size);
  // A mapping that stays where it is may be in use meanwhile.
  const Pages Target = MayMove && (Flags & MREMAP_FIXED) ? Pages(New, Size) : Pages();
  Unmapping Covered(Target.Low, Target.High);
  Unmapping Gone(IsCopy ? 0 : MayMove ? Was.Low : Kept.High, IsCopy ? 0 : Was.High);
  void *Result = nextRemap(Old, OldSize, Size, Flags, New);
  if (Result == Old && !IsCopy) {
    ErrnoKeeper Keep;
    if (MayMove)
      Gone.failed();
    else
      Gone.succeeded();
    if (Kept.High > Was.High)
      extended(Was.High, Kept.High);
    return Result;
  }
  settle(Covered, Result, {});
  return settle(Gone, Result, Result == MAP_FAILED ? Pages() : Pages(Result, Size));
}

#endif
