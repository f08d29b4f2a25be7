//===- Clock.h - time --------------------------------------------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_CLOCK_H
#define PILGRIM_PLATFORM_CLOCK_H

#include <cstdint>

namespace pilgrim {

/// Nanoseconds of the monotonic clock.
uint64_t nanoseconds();

/// The fastest clock of the machine. Its unit is unknown: compare it with nanoseconds() over a long time.
inline uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return nanoseconds();
#endif
}

/// Which clock that is: equal in all processes of this machine since it was started. 0: not known.
uint64_t clockId();

} // namespace pilgrim

#endif
