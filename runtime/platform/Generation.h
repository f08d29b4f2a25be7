//===- Generation.h - how long raw values mean the same ----------*- C++ -*-===//
//
// The recorder compares raw records: addresses, handles and return addresses as the program passed them. Equal raw
// values mean the same object only as long as nothing was freed, renamed or unloaded. The process counts such changes.
// The number of the current period is its generation; answers of an earlier generation have to be asked for again.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PLATFORM_GENERATION_H
#define PILGRIM_PLATFORM_GENERATION_H

#include <atomic>
#include <cstdint>

namespace pilgrim {

/// The current generation.
const std::atomic<uint64_t> &generation();
/// Begins a new one. To be called whenever a raw value may have come to mean something else.
void newGeneration();

} // namespace pilgrim

#endif
