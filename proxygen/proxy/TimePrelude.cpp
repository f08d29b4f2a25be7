//===- TimePrelude.cpp - busy work between calls ---------------------------===//
//
// Busy work before calls, as long as the program computed there: a mean, or the time before that very call.
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/Prelude.h"

namespace pilgrim {

std::span<const PreludeHelper> timePrelude() {
  static const std::vector<PreludeHelper> All = {
      {"compute", {}, R"(
/* Busy work for so many seconds. */
#include <time.h>
static double turns_a_second;
@static volatile double sink = 1;

static inline void work(long times) {
  for (long i = 0; i < times; ++i)
    sink = sink * 0.999999 + 1e-6;
}

static inline double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The fastest of some tries: other processes may have the processor in the others. */
static inline void calibrate(void) {
  for (int i = 0; i < 8; ++i) {
    const double begin = seconds();
    work(50000);
    const double rate = 50000 / (seconds() - begin);
    turns_a_second = rate > turns_a_second ? rate : turns_a_second;
  }
}

/* Long times by the clock: how fast a processor works depends on what its neighbours do meanwhile. */
static inline void compute(double length) {
  if (length > 2e-5)
    for (const double end = seconds() + length; seconds() < end;)
      work((long)(1e-6 * turns_a_second));
  else
    work((long)(length * turns_a_second));
}
)"},
      {"gap", {"compute"}, R"(
/* The times before the calls: of each rank and call a byte. */
static double gap_lengths[256];
@static const char *next_gap;

static inline void set_up_gaps(void) {
  gap_lengths[1] = 1e-8;
  for (int i = 2; i < 256; ++i)
    gap_lengths[i] = gap_lengths[i - 1] * 1.095;
}

static inline void gap(void) { compute(gap_lengths[(unsigned char)*next_gap++]); }
)"},
  };
  return All;
}

} // namespace pilgrim
