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

/// For tests on one machine: from now on this process has a clock of its own, which is ahead by so many ticks and
/// gains so many in each 10^9. Number: different in all processes that do so, and not 0.
void pretendClock(uint64_t Number, int64_t TicksAhead, int64_t Gains);
bool isClockPretended();
/// ticks(), or those of the pretended clock. All read this one but the fast forms of wrappers, which are not taken
/// then.
uint64_t clockTicks();

struct TwoClocks {
  uint64_t Ticks, Nano;
};
/// clockTicks() and nanoseconds() at one time. A pretended clock is wrong in both.
TwoClocks readClocks();

} // namespace pilgrim

#endif
