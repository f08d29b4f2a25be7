//===- Pace.cpp - the time between replayed calls -------------------------===//
#include "proxygen/replay/Pace.h"

#include <algorithm>
#include <ctime>

namespace pilgrim {

static double seconds() {
  timespec T;
  clock_gettime(CLOCK_MONOTONIC, &T);
  return static_cast<double>(T.tv_sec) + static_cast<double>(T.tv_nsec) * 1e-9;
}

/// Returns the time then. Sleeps for the most part: other ranks may need the processor. A sleep may take some 60
/// microseconds too long.
static double waitUntil(double Until) {
  constexpr double TooLong = 100e-6;
  if (double Rest = Until - seconds() - TooLong; Rest > 0) {
    timespec T{static_cast<time_t>(Rest), 0};
    T.tv_nsec = static_cast<long>((Rest - static_cast<double>(T.tv_sec)) * 1e9);
    nanosleep(&T, nullptr);
  }
  double Now;
  while ((Now = seconds()) < Until)
    ;
  return Now;
}

void PaceClock::before(const Call &C) {
  if (C.Timed != Call::Time::None && !HasAny)
    RecordedBegin = C.Start;
  if (!HasAny) {
    Begin = End = seconds();
  } else if (P.Waits && C.Timed != Call::Time::None) {
    double Until = End + std::max(C.Start - RecordedEnd, 0.0) / P.Speed;
    // A thread that waited for others meanwhile may not be late any more.
    const double Recorded = Begin + (C.Start - RecordedBegin) / P.Speed;
    Until -= std::clamp(Until - Recorded, 0.0, Late);
    Late = std::max(waitUntil(Until) - Until, 0.0);
  }
  HasAny = true;
  RecordedEnd = C.Start + C.Duration;
}

void PaceClock::after() { End = seconds(); }

} // namespace pilgrim
