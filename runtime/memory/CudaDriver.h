//===- CudaDriver.h - what CUDA's driver says of memory ---------*- C++ -*-===//
//
// Asks the driver library of CUDA, where the program has loaded it, what an address is. This loads no library,
// initialises no driver and makes no context: a program that does not use CUDA notices nothing.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_MEMORY_CUDADRIVER_H
#define PILGRIM_MEMORY_CUDADRIVER_H

#include "memory/Segments.h"

namespace pilgrim::memory {

/// An allocation as the driver describes it.
struct CudaMemory {
  SegmentKind Kind = SegmentKind::Null; ///< Device, Managed or Pinned.
  uint32_t Device = 0;
  uint64_t Buffer = 0; ///< Of this allocation and of no other in this process.
  uintptr_t Base = 0;
  size_t Size = 0;
};

enum class DriverSays : uint8_t {
  Nothing, ///< It can no longer be asked.
  No,      ///< This is no memory of CUDA's.
  Yes,
};

/// Whether the program has a driver that may be asked. Cheap where it has none.
bool hasCudaDriver();

/// Asks what Address is. The driver may wait for its own locks, and may allocate: no lock must be held.
DriverSays askCudaDriver(uintptr_t Address, CudaMemory &Found);

/// For the child of a fork, which cannot use its parent's driver.
void leaveCudaDriver();

} // namespace pilgrim::memory

#endif
