//===- Regions.cpp - addresses outside the heap ---------------------------===//
//
// Finds the stack, the module or the mapping that holds an address. The system is asked (platform/); what it said is
// kept as long as that stays true. Heap blocks are not looked up here.
//
//===----------------------------------------------------------------------===//
#include "memory/Internal.h"
#include "memory/Segments.h"
#include "platform/LoadedModules.h"
#include "platform/Mappings.h"
#include "platform/Stacks.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <vector>

namespace pilgrim::memory {

namespace {

template <typename T> using Vector = std::vector<T, RealAllocator<T>>;

/// A loaded segment of a module.
struct ModulePart {
  AddressRange Addresses;
  uintptr_t LoadBase;
  const char *Name;
};

struct ModuleTable {
  Vector<ModulePart> Parts; ///< Sorted by address.
  Vector<char *> Names;     ///< All names ever given out; they are never freed.
};

} // namespace

// ---- Stacks

/// The main thread's stack as far as known: it grows downwards as it is used.
static constinit std::atomic<uintptr_t> MainLow = 0;
static constinit std::atomic<uintptr_t> MainHigh = 0;

/// The calling thread's stack; empty for the main thread.
PILGRIM_MEMORY_TLS static constinit thread_local AddressRange OwnStack;
PILGRIM_MEMORY_TLS static constinit thread_local bool OwnStackKnown = false;

/// Updates what is known of the main thread's stack if Region is it.
static bool learnMainStack(const AddressRange &Region) {
  if (!Region.holds(initialStackPointer()))
    return false;
  MainHigh.store(Region.End, std::memory_order_relaxed);
  MainLow.store(Region.Begin, std::memory_order_relaxed);
  return true;
}

static Location onMainStack(uintptr_t Address) {
  return {SegmentKind::Stack, isMainThread() ? 0u : 1u, int64_t(Address - initialStackPointer()), nullptr};
}

static void learnOwnStack() {
  OwnStackKnown = true; // Whatever comes, ask once.
  AddressRange Region;
  if (MainHigh.load(std::memory_order_relaxed) == 0 && mappingAt(initialStackPointer(), Region))
    learnMainStack(Region);
  if (!isMainThread())
    OwnStack = threadStack();
}

bool findStack(uintptr_t Address, Location &Found) {
  if (!OwnStackKnown) [[unlikely]]
    learnOwnStack();
  if (OwnStack.holds(Address)) {
    Found = {SegmentKind::Stack, 0, int64_t(Address - OwnStack.End), nullptr};
    return true;
  }
  if (AddressRange{MainLow.load(std::memory_order_relaxed), MainHigh.load(std::memory_order_relaxed)}.holds(Address)) {
    Found = onMainStack(Address);
    return true;
  }
  return false;
}

// ---- Modules

/// Guards Modules and the counts. dl_iterate_phdr is called with it held, and takes the dynamic linker's lock; with
/// that lock held the linker may call the malloc wrappers, but those never take this one.
static constinit SpinLock ModuleLock;
static constinit Immortal<ModuleTable> Modules;
/// The linker's counts of loads and unloads when Modules was filled.
static constinit uint64_t ModuleLoads = 0;
static constinit uint64_t ModuleUnloads = 0;

/// Whether a module was CUDA's driver library. It is noted here because this is done after each load of a library and
/// never in between.
static constinit std::atomic<bool> CudaDriverLoaded = false;

bool isCudaDriverLoaded() { return CudaDriverLoaded.load(std::memory_order_relaxed); }

/// The one copy of Name.
static const char *internName(const char *Name) {
  auto &Names = Modules.get().Names;
  for (const char *Known : Names)
    if (std::strcmp(Known, Name) == 0)
      return Known;
  size_t Size = std::strlen(Name) + 1;
  char *Copy = RealAllocator<char>().allocate(Size);
  std::memcpy(Copy, Name, Size);
  Names.push_back(Copy);
  return Copy;
}

static const char *moduleName(const ModuleView &M) {
  return internName(M.isProgram() ? program_invocation_short_name : baseName(M.path()));
}

/// Adds the segments of a module to the table.
static void addModule(const ModuleView &M) {
  const char *Name = moduleName(M);
  if (std::strncmp(Name, "libcuda.so", 10) == 0)
    CudaDriverLoaded.store(true, std::memory_order_relaxed);
  M.forEachSegment([&](AddressRange Segment) { Modules.get().Parts.push_back({Segment, M.loadBias(), Name}); });
}

/// Reads the list of modules again if any was loaded or unloaded since it was read.
static void updateModules() {
  auto &Parts = Modules.get().Parts;
  bool IsRefilling = false;
  visitModules([&](const ModuleView &M) {
    if (!IsRefilling) {
      if (M.loads() == ModuleLoads && M.unloads() == ModuleUnloads)
        return true;
      IsRefilling = true;
      Parts.clear();
      noteUnloads(M);
      ModuleLoads = M.loads();
      ModuleUnloads = M.unloads();
    }
    addModule(M);
    return false;
  });
  if (IsRefilling)
    std::sort(Parts.begin(), Parts.end(),
              [](const ModulePart &A, const ModulePart &B) { return A.Addresses.Begin < B.Addresses.Begin; });
}

bool findModule(uintptr_t Address, Location &Found) {
  Guard Locked(ModuleLock);
  updateModules();
  auto &Parts = Modules.get().Parts;
  auto It = std::upper_bound(Parts.begin(), Parts.end(), Address,
                             [](uintptr_t Value, const ModulePart &Part) { return Value < Part.Addresses.Begin; });
  if (It == Parts.begin())
    return false;
  --It;
  if (!It->Addresses.holds(Address))
    return false;
  Found = {SegmentKind::Data, 0, int64_t(Address - It->LoadBase), It->Name};
  return true;
}

// ---- Mappings

namespace {
template <typename T>
using ByAddress = std::map<uintptr_t, T, std::less<uintptr_t>, RealAllocator<std::pair<const uintptr_t, T>>>;

/// Regions that the system has told of. To ask it takes as long as hundreds of calls, so it is asked once for each:
/// what goes without our seeing it keeps its name.
struct RegionTable {
  ByAddress<uint32_t> Ids;   ///< by the first byte; they are never forgotten
  ByAddress<uintptr_t> Ends; ///< by the first byte; of those that may still be there

  /// The first byte of the one that holds Address; nothing is known: 0.
  uintptr_t find(uintptr_t Address) const {
    auto It = Ends.upper_bound(Address);
    return It == Ends.begin() || (--It)->second <= Address ? 0 : It->first;
  }
  Location at(uintptr_t Begin, uintptr_t Address) {
    const uint32_t Id = Ids.try_emplace(Begin, static_cast<uint32_t>(Ids.size())).first->second;
    return {SegmentKind::Mapping, Id, int64_t(Address - Begin), nullptr};
  }
};
} // namespace

/// Guards Regions.
static constinit SpinLock MappingLock;
static constinit Immortal<RegionTable> Regions;
/// What all of Regions' are between.
static constinit std::atomic<uintptr_t> RegionsLow = UINTPTR_MAX, RegionsHigh = 0;
/// Whether one of them may be gone.
static constinit std::atomic<bool> AreRegionsOld = false;

void forgetRegions(uintptr_t Low, uintptr_t High) {
  if (Low < RegionsHigh.load(std::memory_order_relaxed) && High > RegionsLow.load(std::memory_order_relaxed))
    AreRegionsOld.store(true, std::memory_order_relaxed);
}

Location findMapping(uintptr_t Address) {
  {
    Guard Locked(MappingLock);
    if (AreRegionsOld.exchange(false, std::memory_order_relaxed))
      Regions.get().Ends.clear();
    const uintptr_t Begin = Regions.get().find(Address);
    if (Begin && isMapped(Address))
      return Regions.get().at(Begin, Address);
  }
  AddressRange Region;
  if (!isMapped(Address) || !mappingAt(Address, Region)) // an attribute is mostly a number
    return {SegmentKind::Unknown, 0, int64_t(Address), nullptr};
  // The main stack may have grown since we last looked.
  if (learnMainStack(Region))
    return onMainStack(Address);
  // The system makes one region of mappings that touch each other. Those that are known come and go.
  Region.Begin = std::max(Region.Begin, lastMappedEnd(Address));
  Guard Locked(MappingLock);
  RegionsLow.store(std::min(RegionsLow.load(std::memory_order_relaxed), Region.Begin), std::memory_order_relaxed);
  RegionsHigh.store(std::max(RegionsHigh.load(std::memory_order_relaxed), Region.End), std::memory_order_relaxed);
  Regions.get().Ends[Region.Begin] = Region.End;
  return Regions.get().at(Region.Begin, Address);
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
