//===- Generation.h - how long raw values mean the same ----------*- C++ -*-===//
//
// The recorder compares raw records: addresses, handles and return addresses as the program passed them. Equal raw
// values mean the same object only as long as nothing was freed, renamed or unloaded. The process counts such changes.
// The number of the current period is its generation; answers of an earlier generation have to be asked for again.
//
// A generation is two numbers in one. Programs free memory, types and operations all the time, communicators hardly
// ever. So the upper half counts changes of what lasts, and answers that depend on nothing else are good as long as
// that is the same. What fleets is counted in the lower half. A carry asks for a few answers again.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PLATFORM_GENERATION_H
#define PILGRIM_PLATFORM_GENERATION_H

#include <atomic>
#include <cstdint>

namespace pilgrim {

/// The current generation.
const std::atomic<uint64_t> &generation();
enum class Renewal : uint64_t {
  Fleeting = 1,               ///< addresses of memory, and handles but those of communicators
  Lasting = uint64_t(1) << 32 ///< anything
};
/// Begins a new one. To be called whenever a raw value may have come to mean something else.
void newGeneration(Renewal What);
/// Whether nothing that lasts has changed from one generation to another.
inline bool isLastingSince(uint64_t Then, uint64_t Now) { return (Then ^ Now) >> 32 == 0; }

} // namespace pilgrim

#endif
