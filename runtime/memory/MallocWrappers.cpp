//===- MallocWrappers.cpp - the malloc family -----------------------------===//
//
// Exports malloc and its relatives, which the dynamic linker binds the whole program to when we are preloaded. They
// pass every call on to the next definition (the C library's, or that of another preloaded allocator) and, once
// enabled, record in the block map where blocks start and end. They allocate nothing themselves, except that the
// dynamic linker's own calls while it looks those definitions up are served from a small arena.
//
//===----------------------------------------------------------------------===//
#include "memory/BlockMap.h"
#include "memory/Internal.h"
#include "memory/Segments.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

#define PILGRIM_EXPORT extern "C" __attribute__((visibility("default")))

using namespace pilgrim::memory;

// ---- Arena for the time before the real functions are known

/// Blocks have their size in the 16 bytes before them; they are never freed.
alignas(4096) static constinit std::byte Arena[64 * 1024] = {};
static constinit std::atomic<size_t> ArenaUsed = 0;

static bool inArena(const void *Pointer) {
  return reinterpret_cast<uintptr_t>(Pointer) - reinterpret_cast<uintptr_t>(Arena) < sizeof(Arena);
}

static void *arenaAlloc(size_t Size, size_t Alignment = 16) {
  if (Size > sizeof(Arena) || Alignment > 4096) {
    errno = ENOMEM;
    return nullptr;
  }
  Alignment = std::max<size_t>(Alignment, 16);
  size_t Room = 16 + Alignment + (Size + 15) / 16 * 16;
  size_t At = ArenaUsed.fetch_add(Room, std::memory_order_relaxed);
  if (At + Room > sizeof(Arena)) {
    errno = ENOMEM;
    return nullptr;
  }
  std::byte *Pointer = Arena + (At + 16 + Alignment - 1) / Alignment * Alignment;
  std::memcpy(Pointer - 16, &Size, sizeof(Size));
  return Pointer;
}

static size_t arenaSize(const void *Pointer) {
  size_t Size;
  std::memcpy(&Size, static_cast<const std::byte *>(Pointer) - 16, sizeof(Size));
  return Size;
}

// ---- The real functions

static void *bootMalloc(size_t Size);
static void *bootCalloc(size_t Count, size_t Size);
static void *bootRealloc(void *Block, size_t Size);
static void bootFree(void *Block);

template <typename Type> using Pointer = std::atomic<Type *>;

// Those that are called often begin as functions that look the real ones up, which spares a test in each call.
static constinit Pointer<void *(size_t)> RealMalloc = bootMalloc;
static constinit Pointer<void *(size_t, size_t)> RealCalloc = bootCalloc;
static constinit Pointer<void *(void *, size_t)> RealRealloc = bootRealloc;
static constinit Pointer<void(void *)> RealFree = bootFree;
static constinit Pointer<void *(size_t, size_t)> RealMemalign = nullptr;
static constinit Pointer<void *(size_t, size_t)> RealAligned = nullptr;
static constinit Pointer<int(void **, size_t, size_t)> RealPosix = nullptr;
static constinit std::atomic<bool> Resolved = false;

static constexpr auto Relaxed = std::memory_order_relaxed;

/// ThreadSanitizer, which comes before us, must see what memory goes from thread to thread.
#if defined(__SANITIZE_THREAD__)
static constexpr bool IsWatched = true;
#else
static constexpr bool IsWatched = false;
#endif

/// The next definition; or, where the C library comes before us and the program has bound to that, the first.
static void *nextSymbol(const char *Name) {
  void *Next = dlsym(RTLD_NEXT, Name);
  if (Next && !IsWatched)
    return Next;
  void *First = dlsym(RTLD_DEFAULT, Name);
  // Not moduleAt(): a sanitizer's dl_iterate_phdr may not be ready when the first block is allocated.
  Dl_info Its, Ours;
  bool IsOther = First && dladdr(First, &Its) && dladdr(Arena, &Ours) && Its.dli_fbase != Ours.dli_fbase;
  return IsOther ? First : Next;
}

template <typename Type> static void lookUp(Pointer<Type> &Function, const char *Name) {
  if (void *Symbol = nextSymbol(Name))
    Function.store(reinterpret_cast<Type *>(Symbol), Relaxed);
}

/// Looks the real functions up. Returns false in calls that come from the look-up itself. Several threads may do it at
/// once; they find the same.
[[gnu::noinline]] static bool resolve() {
  PILGRIM_MEMORY_TLS static constinit thread_local bool Resolving = false;
  if (Resolving)
    return false;
  Resolving = true;
  int SavedErrno = errno;
  lookUp(RealCalloc, "calloc");
  lookUp(RealRealloc, "realloc");
  lookUp(RealFree, "free");
  lookUp(RealMemalign, "memalign");
  lookUp(RealAligned, "aligned_alloc");
  lookUp(RealPosix, "posix_memalign");
  lookUp(RealMalloc, "malloc");
  if (RealMalloc.load(Relaxed) == bootMalloc || RealCalloc.load(Relaxed) == bootCalloc ||
      RealRealloc.load(Relaxed) == bootRealloc || RealFree.load(Relaxed) == bootFree || !RealMemalign.load(Relaxed) ||
      !RealAligned.load(Relaxed) || !RealPosix.load(Relaxed)) {
    static constexpr char Text[] = "pilgrim: no malloc to pass calls on to\n";
    if (write(STDERR_FILENO, Text, sizeof(Text) - 1) < 0) {
    }
    _exit(127);
  }
  errno = SavedErrno;
  Resolved.store(true, std::memory_order_release);
  Resolving = false;
  return true;
}

static bool ready() { return Resolved.load(std::memory_order_acquire) || resolve(); }

static void *bootMalloc(size_t Size) { return resolve() ? RealMalloc.load(Relaxed)(Size) : arenaAlloc(Size); }

static void *bootCalloc(size_t Count, size_t Size) {
  if (resolve())
    return RealCalloc.load(Relaxed)(Count, Size);
  size_t Total; // The arena is zero and not reused.
  return arenaAlloc(__builtin_mul_overflow(Count, Size, &Total) ? SIZE_MAX : Total);
}

static void *bootRealloc(void *Block, size_t Size) {
  // Arena blocks do not get here, so it is null or unlike anything we gave out.
  return resolve() ? RealRealloc.load(Relaxed)(Block, Size) : arenaAlloc(Size);
}

static void bootFree(void *Block) {
  if (Block && resolve())
    RealFree.load(Relaxed)(Block);
}

namespace pilgrim::memory {

void *realMalloc(size_t Size) { return RealMalloc.load(Relaxed)(Size); }

void *realAlignedAlloc(size_t Alignment, size_t Size) {
  return ready() ? RealMemalign.load(Relaxed)(Alignment, Size) : arenaAlloc(Size, Alignment);
}

void realFree(void *Block) {
  if (!inArena(Block))
    RealFree.load(Relaxed)(Block);
}

} // namespace pilgrim::memory

// ---- Wrappers

static bool recording() { return Enabled.load(Relaxed); }

/// While it lives, the program is in its allocator.
class Allocating {
public:
  Allocating() { ++ProgramsDepth; }
  ~Allocating() { --ProgramsDepth; }
  Allocating(const Allocating &) = delete;
};

/// Calls the real function.
template <typename Result, typename... Of, typename... Args>
[[gnu::always_inline]] static inline Result call(const Pointer<Result(Of...)> &Real, Args... With) {
  const Allocating A;
  return Real.load(Relaxed)(With...);
}

/// Some allocators put blocks of 8 bytes or less at multiples of 8, which the block map could not tell apart.
static size_t padded(size_t Size) { return std::max<size_t>(Size, 16); }

PILGRIM_EXPORT void *malloc(size_t Size) noexcept {
  if (!recording()) [[unlikely]]
    return RealMalloc.load(Relaxed)(Size);
  Size = padded(Size);
  return insertBlock(call(RealMalloc, Size), Size);
}

/// free() while recording of all but small blocks without a segment.
[[gnu::noinline]] static void freeSlow(void *Block) {
  pilgrim::memory::Block Old;
  if (eraseBlock(Block, Old) && Old.Registered)
    retireHeap(Block, takeSegment(Block));
  call(RealFree, Block);
}

PILGRIM_EXPORT void free(void *Block) noexcept {
  // Until recording starts the map is empty, so there is no need to ask first.
  if (eraseSmallBlock(Block)) [[likely]]
    return call(RealFree, Block);
  if (!Block || inArena(Block))
    return;
  if (!recording())
    return RealFree.load(Relaxed)(Block);
  freeSlow(Block);
}

PILGRIM_EXPORT void *calloc(size_t Count, size_t Size) noexcept {
  if (!recording()) [[unlikely]]
    return RealCalloc.load(Relaxed)(Count, Size);
  size_t Total;
  if (__builtin_mul_overflow(Count, Size, &Total))
    return RealCalloc.load(Relaxed)(Count, Size); // It knows how to fail.
  if (Total < 16) {
    Count = 1;
    Size = Total = 16;
  }
  return insertBlock(call(RealCalloc, Count, Size), Total);
}

PILGRIM_EXPORT void *realloc(void *Block, size_t Size) noexcept {
  if (!Block)
    return malloc(Size);
  if (inArena(Block)) {
    void *New = malloc(Size);
    if (New)
      std::memcpy(New, Block, std::min(Size, arenaSize(Block)));
    return New;
  }
  if (!recording()) [[unlikely]]
    return RealRealloc.load(Relaxed)(Block, Size);
  // The block must be off the map before another thread can get its memory.
  pilgrim::memory::Block Old;
  bool Known = eraseBlock(Block, Old);
  uint32_t Id = Known && Old.Registered ? takeSegment(Block) : NoId;
  size_t NewSize = Size ? padded(Size) : 0; // Of 0 bytes it means free.
  void *New = call(RealRealloc, Block, NewSize);
  if (New)
    insertBlock(New, NewSize);
  else if (Size && Known)
    insertBlock(Block, Old.Size); // Failed; the old block is still there.
  if (Id != NoId) {
    if (New == Block || (!New && Size))
      returnSegment(Block, Id);
    else
      retireHeap(Block, Id);
  }
  return New;
}

PILGRIM_EXPORT void *reallocarray(void *Block, size_t Count, size_t Size) noexcept {
  size_t Total;
  if (__builtin_mul_overflow(Count, Size, &Total)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(Block, Total);
}

PILGRIM_EXPORT int posix_memalign(void **Result, size_t Alignment, size_t Size) noexcept {
  if (!ready()) {
    void *Block = arenaAlloc(Size, Alignment);
    if (Block)
      *Result = Block;
    return Block ? 0 : ENOMEM;
  }
  if (!recording())
    return RealPosix.load(Relaxed)(Result, Alignment, Size);
  int Error = call(RealPosix, Result, Alignment, padded(Size));
  if (Error == 0)
    insertBlock(*Result, padded(Size));
  return Error;
}

PILGRIM_EXPORT void *aligned_alloc(size_t Alignment, size_t Size) noexcept {
  if (!ready())
    return arenaAlloc(Size, Alignment);
  if (!recording())
    return RealAligned.load(Relaxed)(Alignment, Size);
  // An allocator may insist on a multiple of the alignment. A large alignment keeps blocks far enough apart anyway.
  if (Alignment < 16)
    Size = padded(Size);
  return insertBlock(call(RealAligned, Alignment, Size), Size);
}

PILGRIM_EXPORT void *memalign(size_t Alignment, size_t Size) noexcept {
  if (!ready())
    return arenaAlloc(Size, Alignment);
  if (!recording())
    return RealMemalign.load(Relaxed)(Alignment, Size);
  return insertBlock(call(RealMemalign, Alignment, padded(Size)), padded(Size));
}

// The last two are obsolete and not in every allocator; memalign can do both.

PILGRIM_EXPORT void *valloc(size_t Size) noexcept { return memalign(size_t(sysconf(_SC_PAGESIZE)), Size); }

PILGRIM_EXPORT void *pvalloc(size_t Size) noexcept {
  auto Page = size_t(sysconf(_SC_PAGESIZE));
  size_t Rounded;
  if (__builtin_add_overflow(Size, Page - 1, &Rounded)) {
    errno = ENOMEM;
    return nullptr;
  }
  return memalign(Page, std::max(Rounded / Page, size_t(1)) * Page);
}
