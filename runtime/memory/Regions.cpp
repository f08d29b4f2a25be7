//===- memory/Regions.cpp - Addresses outside the heap --------------------===//
//
// Finds the stack, the module or the mapping that holds an address, by asking
// the system: the C library for stacks and modules, /proc/self/maps for the
// rest.  Keeps what it learnt as far as that stays true.  Knows nothing of heap
// blocks.
//
//===----------------------------------------------------------------------===//

#include "memory/Internal.h"
#include "memory/Segments.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <link.h>
#include <map>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

/// The initial stack pointer of the program, kept by the dynamic linker.
extern "C" void *InitialStackPointer asm("__libc_stack_end");

namespace pilgrim::memory {

namespace {

template <class T> using Vector = std::vector<T, RealAllocator<T>>;

struct Range {
  std::uintptr_t Low = 0;
  std::uintptr_t High = 0;
  bool holds(std::uintptr_t Address) const { return Address - Low < High - Low; }
};

/// A loaded segment of a module.
struct ModulePart {
  Range Addresses;
  std::uintptr_t LoadBase;
  const char *Name;
};

struct ModuleTable {
  Vector<ModulePart> Parts; ///< Sorted by address.
  Vector<char *> Names;     ///< All names ever given out; they are never freed.
};

} // namespace

// ---- Regions of /proc/self/maps

/// Reads /proc/self/maps until the region that holds \p Address.  Allocates
/// nothing: it may be called whatever the state of the heap.
static bool readMaps(std::uintptr_t Address, Range &Region) {
  int File;
  do
    File = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  while (File < 0 && errno == EINTR);
  if (File < 0)
    return false;
  // A line is LOW-HIGH and then things that do not matter here.
  enum : std::uint8_t { InLow, InHigh, InRest } Where = InLow;
  Range Line;
  bool Found = false;
  char Buffer[4096];
  while (!Found) {
    ssize_t Count = read(File, Buffer, sizeof(Buffer));
    if (Count < 0 && errno == EINTR)
      continue;
    if (Count <= 0)
      break;
    for (const char *At = Buffer, *End = Buffer + Count; At != End; ++At) {
      if (Where == InRest) {
        if (*At == '\n') {
          Where = InLow;
          Line = {};
        }
      } else if (*At == '-') {
        Where = InHigh;
      } else if (*At == ' ') {
        Where = InRest;
        if (Line.holds(Address)) {
          Region = Line;
          Found = true;
          break;
        }
      } else {
        std::uintptr_t &Number = Where == InLow ? Line.Low : Line.High;
        Number = Number * 16 + std::uintptr_t(*At <= '9' ? *At - '0' : *At - 'a' + 10);
      }
    }
  }
  close(File);
  return Found;
}

// ---- Stacks

/// The main thread; null in a program that loads us late from another thread.
static constinit std::atomic<pthread_t> MainThread = 0;

/// The main thread's stack as far as known: it grows downwards as it is used.
static constinit std::atomic<std::uintptr_t> MainLow = 0;
static constinit std::atomic<std::uintptr_t> MainHigh = 0;

/// The calling thread's stack; empty for the main thread.
PILGRIM_MEMORY_TLS static constinit thread_local Range OwnStack;
PILGRIM_MEMORY_TLS static constinit thread_local bool OwnStackKnown = false;

__attribute__((constructor)) static void findMainThread() {
  if (syscall(SYS_gettid) == getpid())
    MainThread.store(pthread_self(), std::memory_order_relaxed);
}

static bool isMainThread() {
  pthread_t Main = MainThread.load(std::memory_order_relaxed);
  return Main ? pthread_equal(Main, pthread_self()) != 0 : syscall(SYS_gettid) == getpid();
}

static std::uintptr_t initialStackPointer() { return reinterpret_cast<std::uintptr_t>(InitialStackPointer); }

/// Updates what is known of the main thread's stack if \p Region is it.
static bool learnMainStack(const Range &Region) {
  if (!Region.holds(initialStackPointer()))
    return false;
  MainHigh.store(Region.High, std::memory_order_relaxed);
  MainLow.store(Region.Low, std::memory_order_relaxed);
  return true;
}

static Location onMainStack(std::uintptr_t Address) {
  return {SegmentKind::Stack, isMainThread() ? 0u : 1u, std::int64_t(Address - initialStackPointer()), nullptr};
}

static void learnOwnStack() {
  OwnStackKnown = true; // Whatever comes, ask once.
  Range Region;
  if (MainHigh.load(std::memory_order_relaxed) == 0 && readMaps(initialStackPointer(), Region))
    learnMainStack(Region);
  // For the main thread pthread_getattr_np gives the limit, not what is in use.
  if (isMainThread())
    return;
  pthread_attr_t Attributes;
  if (pthread_getattr_np(pthread_self(), &Attributes) != 0)
    return;
  void *Low = nullptr;
  std::size_t Size = 0;
  if (pthread_attr_getstack(&Attributes, &Low, &Size) == 0)
    OwnStack = {reinterpret_cast<std::uintptr_t>(Low), reinterpret_cast<std::uintptr_t>(Low) + Size};
  pthread_attr_destroy(&Attributes);
}

bool findStack(std::uintptr_t Address, Location &Found) {
  if (!OwnStackKnown) [[unlikely]]
    learnOwnStack();
  if (OwnStack.holds(Address)) {
    Found = {SegmentKind::Stack, 0, std::int64_t(Address - OwnStack.High), nullptr};
    return true;
  }
  if (Range{MainLow.load(std::memory_order_relaxed), MainHigh.load(std::memory_order_relaxed)}.holds(Address)) {
    Found = onMainStack(Address);
    return true;
  }
  return false;
}

// ---- Modules

/// Guards Modules and the counts.  dl_iterate_phdr is called with it held, and
/// takes the dynamic linker's lock; with that lock held the linker may call the
/// malloc wrappers, but those never take this one.
static constinit SpinLock ModuleLock;
static constinit Immortal<ModuleTable> Modules;
/// The linker's counts of loads and unloads when Modules was filled.
static constinit unsigned long long ModuleAdds = 0;
static constinit unsigned long long ModuleSubs = 0;

/// The linker's count of unloads when it was last seen.
static constinit std::atomic<std::uint64_t> Unloads = 0;

std::uint64_t unloads() { return Unloads.load(std::memory_order_acquire); }

/// Called with the linker's lock held.
static void noteUnloads(std::uint64_t Count) {
  if (Unloads.exchange(Count, std::memory_order_release) != Count)
    invalidateAnswers();
}

void lookForUnloads() {
  dl_iterate_phdr(
      [](dl_phdr_info *Info, std::size_t, void *) {
        noteUnloads(Info->dlpi_subs);
        return 1;
      },
      nullptr);
}

/// Whether a module was CUDA's driver library.  It is noted here because this
/// is done after each load of a library and never in between.
static constinit std::atomic<bool> CudaDriverLoaded = false;

bool isCudaDriverLoaded() { return CudaDriverLoaded.load(std::memory_order_relaxed); }

/// The one copy of \p Name.
static const char *internName(const char *Name) {
  auto &Names = Modules.get().Names;
  for (const char *Known : Names)
    if (std::strcmp(Known, Name) == 0)
      return Known;
  std::size_t Size = std::strlen(Name) + 1;
  char *Copy = RealAllocator<char>().allocate(Size);
  std::memcpy(Copy, Name, Size);
  Names.push_back(Copy);
  return Copy;
}

static const char *moduleName(const dl_phdr_info &Info) {
  // The linker leaves the name of the main program empty.
  if (!Info.dlpi_name || !*Info.dlpi_name)
    return internName(program_invocation_short_name);
  const char *Slash = std::strrchr(Info.dlpi_name, '/');
  return internName(Slash ? Slash + 1 : Info.dlpi_name);
}

static int collectModule(dl_phdr_info *Info, std::size_t, void *Data) {
  bool &Refilling = *static_cast<bool *>(Data);
  auto &Parts = Modules.get().Parts;
  if (!Refilling) {
    if (Info->dlpi_adds == ModuleAdds && Info->dlpi_subs == ModuleSubs)
      return 1; // Nothing has changed, stop.
    Refilling = true;
    Parts.clear();
    noteUnloads(Info->dlpi_subs);
    ModuleAdds = Info->dlpi_adds;
    ModuleSubs = Info->dlpi_subs;
  }
  const char *Name = moduleName(*Info);
  if (std::strncmp(Name, "libcuda.so", 10) == 0)
    CudaDriverLoaded.store(true, std::memory_order_relaxed);
  for (const auto *Header = Info->dlpi_phdr, *End = Header + Info->dlpi_phnum; Header != End; ++Header) {
    if (Header->p_type != PT_LOAD)
      continue;
    std::uintptr_t Low = Info->dlpi_addr + Header->p_vaddr;
    Parts.push_back({{Low, Low + Header->p_memsz}, Info->dlpi_addr, Name});
  }
  return 0;
}

bool findModule(std::uintptr_t Address, Location &Found) {
  Guard Locked(ModuleLock);
  bool Refilling = false;
  dl_iterate_phdr(collectModule, &Refilling);
  auto &Parts = Modules.get().Parts;
  if (Refilling)
    std::sort(Parts.begin(), Parts.end(),
              [](const ModulePart &A, const ModulePart &B) { return A.Addresses.Low < B.Addresses.Low; });
  auto It = std::upper_bound(Parts.begin(), Parts.end(), Address,
                             [](std::uintptr_t Value, const ModulePart &Part) { return Value < Part.Addresses.Low; });
  if (It == Parts.begin())
    return false;
  --It;
  if (!It->Addresses.holds(Address))
    return false;
  Found = {SegmentKind::Data, 0, std::int64_t(Address - It->LoadBase), It->Name};
  return true;
}

// ---- Mappings

/// Guards MappingIds.
static constinit SpinLock MappingLock;
static constinit Immortal<std::map<std::uintptr_t, std::uint32_t, std::less<std::uintptr_t>,
                                   RealAllocator<std::pair<const std::uintptr_t, std::uint32_t>>>>
    MappingIds;

Location findMapping(std::uintptr_t Address) {
  Range Region;
  if (!readMaps(Address, Region))
    return {SegmentKind::Unknown, 0, std::int64_t(Address), nullptr};
  // The main stack may have grown since we last looked.
  if (learnMainStack(Region))
    return onMainStack(Address);
  Guard Locked(MappingLock);
  auto &Ids = MappingIds.get();
  auto Id = Ids.try_emplace(Region.Low, std::uint32_t(Ids.size())).first->second;
  return {SegmentKind::Mapping, Id, std::int64_t(Address - Region.Low), nullptr};
}

// ---- Fork

void lockRegions() {
  ModuleLock.lock();
  MappingLock.lock();
}

void unlockRegions() {
  MappingLock.unlock();
  ModuleLock.unlock();
}

} // namespace pilgrim::memory
