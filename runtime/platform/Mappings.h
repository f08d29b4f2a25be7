//===- Mappings.h - what /proc/self/maps says --------------------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_MAPPINGS_H
#define PILGRIM_PLATFORM_MAPPINGS_H

#include "platform/AddressRange.h"

namespace pilgrim {

/// Finds the region of /proc/self/maps that holds an address. False if there is none, or if the file cannot be read.
/// Allocates nothing: it may be called whatever the state of the heap.
bool mappingAt(uintptr_t Address, AddressRange &Region);

/// Whether there is anything at an address: a system call, and no more.
bool isMapped(uintptr_t Address);

} // namespace pilgrim

#endif
