//===- CudaDriver.cpp - what CUDA's driver says of memory -----------------===//
//
// The driver's interface is stable and not ours to install: what is needed of it is declared here, so that building
// takes no CUDA.
//
//===----------------------------------------------------------------------===//
#include "memory/CudaDriver.h"
#include "memory/Internal.h"

#include <cstdlib>
#include <dlfcn.h>
#include <iterator>

namespace pilgrim::memory {

// ---- From cuda.h

/// CUresult cuPointerGetAttributes(unsigned, CUpointer_attribute *, void **, CUdeviceptr). Of an address that is not
/// CUDA's all attributes are zero.
using PointerGetAttributes = int(unsigned, unsigned *, void **, uintptr_t);
/// CUpointer_attribute
enum : unsigned { MemoryType = 2, BufferId = 7, IsManaged = 8, DeviceOrdinal = 9, RangeStart = 11, RangeSize = 12 };
/// CUmemorytype
enum : unsigned { TypeHost = 1, TypeDevice = 2, TypeUnified = 4 };
/// CUresult
enum : int { Success = 0, ErrorDeinitialized = 4 };

// ---- Finding the driver

static constinit std::atomic<PointerGetAttributes *> Ask = nullptr;
/// Looked for, found and possibly left again: not to be looked for any more.
static constinit std::atomic<bool> Settled = false;

void leaveCudaDriver() {
  Settled.store(true, std::memory_order_relaxed);
  Ask.store(nullptr, std::memory_order_release);
}

bool hasCudaDriver() {
  if (Ask.load(std::memory_order_acquire))
    return true;
  if (!isCudaDriverLoaded() || Settled.exchange(true, std::memory_order_relaxed))
    return false;
  // It is there, so this cannot fail, and leave its message for the program's dlerror(). The library stays: kept from
  // being unloaded, it may be asked at any time.
  void *Library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  void *Symbol = Library ? dlsym(Library, "cuPointerGetAttributes") : nullptr;
  Ask.store(reinterpret_cast<PointerGetAttributes *>(Symbol), std::memory_order_release);
  return Symbol != nullptr;
}

// ---- Asking it

DriverSays askCudaDriver(uintptr_t Address, CudaMemory &Found) {
  PointerGetAttributes *Function = Ask.load(std::memory_order_acquire);
  if (!Function)
    return DriverSays::Nothing;
  // As wide as any version of the driver may take them to be.
  uint64_t Type = 0, Buffer = 0, Managed = 0, Device = 0, Start = 0, Size = 0;
  unsigned Attributes[] = {MemoryType, BufferId, IsManaged, DeviceOrdinal, RangeStart, RangeSize};
  void *Values[] = {&Type, &Buffer, &Managed, &Device, &Start, &Size};
  if (int Error = Function(unsigned(std::size(Attributes)), Attributes, Values, Address); Error != Success)
    return Error == ErrorDeinitialized ? DriverSays::Nothing : DriverSays::No;
  if ((Type != TypeHost && Type != TypeDevice && Type != TypeUnified) || Address - Start >= Size)
    return DriverSays::No;
  // CUDA ends in handlers of exit() that were set before this one, which therefore runs first. Afterwards nobody
  // promises an answer.
  static constinit std::atomic<bool> HasHandler = false;
  if (!HasHandler.exchange(true, std::memory_order_relaxed))
    std::atexit(leaveCudaDriver);
  Found.Kind = Managed ? SegmentKind::Managed : Type == TypeHost ? SegmentKind::Pinned : SegmentKind::Device;
  auto Ordinal = int32_t(Device);
  Found.Device = Ordinal < 0 ? 0 : uint32_t(Ordinal);
  Found.Buffer = Buffer;
  Found.Base = Start;
  Found.Size = Size;
  return DriverSays::Yes;
}

} // namespace pilgrim::memory
