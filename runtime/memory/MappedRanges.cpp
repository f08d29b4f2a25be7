//===- MappedRanges.cpp - segments in mapped memory -----------------------===//
//
// Keeps what the program has mapped, as MapWrappers.cpp sees it. A mapping is a segment from mmap until its last page
// is unmapped. Of a mapping that was unmapped in part, the parts that are left keep its name, and offsets count from
// where it began. What a later mapping covers (MAP_FIXED) is unmapped.
//
// A program may map and unmap in a signal's handler. So signals are blocked while the table changes, its memory comes
// from pages of its own, and the release hook, which allocates, is not called in a handler: a thread that has blocked a
// signal may be in one, and leaves that to the next thread that has not, or to locate().
//
// Raw system calls are not seen. A mapping that went by one stays in the table until another one takes its place; so
// locate() asks here last of all that is known.
//
//===----------------------------------------------------------------------===//
#include "memory/Internal.h"
#include "platform/Generation.h"

#include <csignal>
#include <map>

namespace pilgrim::memory {

namespace {

/// Blocks of one size. They are never given back to the system.
template <size_t Size> class Pool {
public:
  /// Makes sure that Count blocks are there. False: there is no memory.
  bool reserve(size_t Count) {
    constexpr size_t Pages = size_t(64) << 10;
    while (Left < Count) {
      auto *Memory = static_cast<std::byte *>(ownPages(Pages));
      if (!Memory)
        return false;
      for (size_t At = 0; At + Size <= Pages; At += Size)
        give(Memory + At);
    }
    return true;
  }
  void *take() {
    Block *B = First;
    First = B->Next;
    --Left;
    return B;
  }
  void give(void *Memory) {
    First = new (Memory) Block{First};
    ++Left;
  }

private:
  struct Block {
    Block *Next;
  };
  Block *First = nullptr;
  size_t Left = 0;
};

/// A call adds at most three parts, and so many nodes: two where it divides others, and its own.
constexpr size_t MostAdded = 3;
constexpr size_t NodeSize = 64;
constinit Pool<NodeSize> Nodes;

/// Takes the nodes of maps from Nodes.
template <typename T> struct NodeAllocator {
  using value_type = T;
  NodeAllocator() = default;
  template <typename U> constexpr NodeAllocator(const NodeAllocator<U> &) {}
  T *allocate(size_t) {
    static_assert(sizeof(T) <= NodeSize && alignof(T) <= alignof(void *));
    return static_cast<T *>(Nodes.take());
  }
  void deallocate(T *Memory, size_t) { Nodes.give(Memory); }
  template <typename U> bool operator==(const NodeAllocator<U> &) const { return true; }
};

struct Mapping {
  uintptr_t Base;
  uint32_t Id = NoId; ///< from its first use by MPI
  size_t NumParts = 0;
  Mapping *NextGone = nullptr;
};
constinit Pool<sizeof(Mapping)> Mappings;

struct Part {
  uintptr_t End;
  Mapping *Of;
  const void *Leaver = nullptr; ///< the call that unmaps it, while it does
};
using PartMap = std::multimap<uintptr_t, Part, std::less<uintptr_t>, NodeAllocator<std::pair<const uintptr_t, Part>>>;

struct MappingTable {
  PartMap Parts;           ///< that are mapped: by their first byte; they do not overlap
  PartMap Leaving;         ///< that calls under way unmap
  Mapping *Gone = nullptr; ///< have an id, and no parts any more
};

/// Guards Table, Nodes and Mappings. Not held while something is allocated: an allocator may map memory.
constinit SpinLock MappingLock;
constinit Immortal<MappingTable> Table;
/// Whether Table has Gone.
constinit std::atomic<bool> HasGone = false;
/// Whether Table has ever had parts, to spare the lock in programs that have none.
constinit std::atomic<bool> HasParts = false;
/// How often a part of a mapping with an id went.
constinit std::atomic<uint64_t> Removals = 0;

/// The parts that the thread has looked up last. They are found without the lock, which takes two system calls.
struct RecentParts {
  struct Entry {
    uintptr_t Low = 0, High = 0;
    Location At; ///< of Low
  };
  static constexpr unsigned Size = 8;
  uint64_t AsOf = 0; ///< Removals when they were entered
  unsigned Next = 0;
  Entry Entries[Size];
};
PILGRIM_MEMORY_TLS constinit thread_local RecentParts Recent;

/// Holds the lock, with all signals blocked.
class MappingGuard {
public:
  MappingGuard() {
    sigset_t All;
    sigfillset(&All);
    pthread_sigmask(SIG_SETMASK, &All, &Before);
    MappingLock.lock();
  }
  ~MappingGuard() {
    MappingLock.unlock();
    pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  }
  MappingGuard(const MappingGuard &) = delete;
  /// Whether the thread may be in a signal's handler.
  bool isInHandler() const { return !sigisemptyset(&Before); }

private:
  sigset_t Before;
};

} // namespace

/// The part that holds Address, or the end of Parts.
static PartMap::iterator holderOf(uintptr_t Address) {
  PartMap &Parts = Table.get().Parts;
  auto It = Parts.upper_bound(Address);
  if (It == Parts.begin())
    return Parts.end();
  --It;
  return Address < It->second.End ? It : Parts.end();
}

static void add(uintptr_t Begin, uintptr_t End, Mapping *Of) {
  Table.get().Parts.emplace(Begin, Part{End, Of});
  ++Of->NumParts;
}

/// Divides the part that has Address inside.
static void divideAt(uintptr_t Address) {
  auto It = holderOf(Address);
  if (It == Table.get().Parts.end() || It->first == Address)
    return;
  add(Address, It->second.End, It->second.Of);
  It->second.End = Address;
}

/// Moves what is mapped in [Low, High) to Leaving.
static void take(uintptr_t Low, uintptr_t High, const void *Leaver) {
  divideAt(Low);
  divideAt(High);
  MappingTable &T = Table.get();
  bool HadName = false;
  for (auto It = T.Parts.lower_bound(Low); It != T.Parts.end() && It->first < High;) {
    It->second.Leaver = Leaver;
    HadName |= It->second.Of->Id != NoId;
    T.Leaving.insert(T.Parts.extract(It++));
  }
  if (!HadName)
    return;
  Removals.fetch_add(1, std::memory_order_release);
  newGeneration(Renewal::Fleeting);
}

/// Calls F(iterator) for what Leaver has taken of [Low, High). F takes it out of Leaving.
template <typename Fn> static void forEachTaken(uintptr_t Low, uintptr_t High, const void *Leaver, Fn F) {
  PartMap &Leaving = Table.get().Leaving;
  for (auto It = Leaving.lower_bound(Low); It != Leaving.end() && It->first < High;) {
    auto Taken = It++;
    if (Taken->second.Leaver == Leaver)
      F(Taken);
  }
}

static void putBack(uintptr_t Low, uintptr_t High, const void *Leaver) {
  forEachTaken(Low, High, Leaver, [](PartMap::iterator It) {
    MappingTable &T = Table.get();
    T.Parts.insert(T.Leaving.extract(It));
  });
}

static void drop(uintptr_t Low, uintptr_t High, const void *Leaver) {
  forEachTaken(Low, High, Leaver, [](PartMap::iterator It) {
    MappingTable &T = Table.get();
    Mapping *Of = It->second.Of;
    T.Leaving.erase(It);
    if (--Of->NumParts)
      return;
    if (Of->Id == NoId)
      return Mappings.give(Of);
    Of->NextGone = T.Gone;
    T.Gone = Of;
    HasGone.store(true, std::memory_order_relaxed);
  });
}

void retireUnmapped(Release How) {
  while (HasGone.load(std::memory_order_relaxed)) {
    uintptr_t Base;
    uint32_t Id;
    {
      MappingGuard Locked;
      MappingTable &T = Table.get();
      Mapping *Of = T.Gone;
      if (!Of || (How == Release::Freed && Locked.isInHandler()))
        return;
      T.Gone = Of->NextGone;
      HasGone.store(T.Gone != nullptr, std::memory_order_relaxed);
      Base = Of->Base;
      Id = Of->Id;
      Mappings.give(Of);
    }
    retireSegment(reinterpret_cast<const void *>(Base), {SegmentKind::Heap, Id}, How);
  }
}

// ---- For the wrappers

void mapped(uintptr_t Low, uintptr_t High) {
  {
    MappingGuard Locked;
    if (!Nodes.reserve(MostAdded) || !Mappings.reserve(1))
      return;
    // What is there went without our seeing it.
    take(Low, High, &Locked);
    drop(Low, High, &Locked);
    add(Low, High, new (Mappings.take()) Mapping{Low});
    HasParts.store(true, std::memory_order_release);
  }
  retireUnmapped(Release::Freed);
}

Unmapping::Unmapping(uintptr_t Low, uintptr_t High) : Low(Low), High(High) {
  forgetRegions(Low, High);
  if (Low >= High || !HasParts.load(std::memory_order_acquire))
    return;
  MappingGuard Locked;
  if (Nodes.reserve(MostAdded))
    take(Low, High, this);
}

void Unmapping::failed() {
  if (Low >= High || !HasParts.load(std::memory_order_acquire))
    return;
  MappingGuard Locked;
  putBack(Low, High, this);
}

void Unmapping::succeeded() {
  if (Low >= High || !HasParts.load(std::memory_order_acquire))
    return;
  {
    MappingGuard Locked;
    drop(Low, High, this);
  }
  retireUnmapped(Release::Freed);
}

void extended(uintptr_t End, uintptr_t NewEnd) {
  if (!HasParts.load(std::memory_order_acquire))
    return;
  {
    MappingGuard Locked;
    auto It = holderOf(End - 1);
    if (It == Table.get().Parts.end() || It->second.End != End || !Nodes.reserve(MostAdded))
      return;
    take(End, NewEnd, &Locked);
    drop(End, NewEnd, &Locked);
    It->second.End = NewEnd;
  }
  retireUnmapped(Release::Freed);
}

// ---- Look-up

static bool findRecent(uintptr_t Address, Location &Found) {
  if (Recent.AsOf != Removals.load(std::memory_order_acquire))
    return false;
  for (const RecentParts::Entry &E : Recent.Entries)
    if (Address - E.Low < E.High - E.Low) {
      Found = E.At;
      Found.Offset += int64_t(Address - E.Low);
      return true;
    }
  return false;
}

static void enterRecent(const RecentParts::Entry &New, uint64_t AsOf) {
  if (Recent.AsOf != AsOf)
    Recent = {};
  Recent.AsOf = AsOf;
  Recent.Entries[Recent.Next++ % RecentParts::Size] = New;
}

bool findMapped(uintptr_t Address, Location &Found) {
  if (!HasParts.load(std::memory_order_acquire))
    return false;
  if (findRecent(Address, Found))
    return true;
  bool IsFound, NeedsId;
  uint32_t NewId = NoId;
  uint64_t AsOf;
  RecentParts::Entry Holder;
  for (;;) {
    {
      MappingGuard Locked;
      auto It = holderOf(Address);
      IsFound = It != Table.get().Parts.end();
      NeedsId = false;
      AsOf = Removals.load(std::memory_order_relaxed);
      if (IsFound) {
        Mapping &M = *It->second.Of;
        if (M.Id == NoId)
          std::swap(M.Id, NewId);
        NeedsId = M.Id == NoId;
        Holder = {It->first, It->second.End, {SegmentKind::Heap, M.Id, int64_t(It->first - M.Base), nullptr}};
      }
    }
    if (!NeedsId)
      break;
    NewId = newSegment();
  }
  // Another thread was faster, or has unmapped it.
  if (NewId != NoId)
    dropSegment(NewId);
  if (!IsFound)
    return false;
  enterRecent(Holder, AsOf);
  Found = Holder.At;
  Found.Offset += int64_t(Address - Holder.Low);
  return true;
}

uintptr_t lastMappedEnd(uintptr_t Address) {
  if (!HasParts.load(std::memory_order_acquire))
    return 0;
  MappingGuard Locked;
  PartMap &Parts = Table.get().Parts;
  auto It = Parts.upper_bound(Address);
  return It == Parts.begin() ? 0 : (--It)->second.End;
}

// ---- Fork

void lockMappings() { MappingLock.lock(); }

void unlockMappings() { MappingLock.unlock(); }

} // namespace pilgrim::memory
