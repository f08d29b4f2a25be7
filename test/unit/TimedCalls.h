// Calls with times as programs have them, for tests of trace/times.
#ifndef PILGRIM_TEST_UNIT_TIMEDCALLS_H
#define PILGRIM_TEST_UNIT_TIMEDCALLS_H

#include "trace/times/TimeEncoder.h"

#include <random>

namespace pilgrim::test {

bool isWithin(const TimeBound &Bound, uint64_t Time, uint64_t Decoded);

std::vector<CallContext> contextsOf(const std::vector<TimedCall> &Calls);

/// A loop over six places, one of which sometimes makes a call inside of its own; times are spread around a mean of
/// each place, and now and then the process is interrupted.
class ProgramLike {
public:
  /// Programs of the same shape and places spend the same times, with other noise.
  explicit ProgramLike(uint64_t Shape, uint32_t FirstPlace = 0, uint64_t Noise = 0);
  std::vector<TimedCall> next(size_t Calls);

private:
  TimedCall call(uint32_t Place, uint64_t Start);
  uint64_t time(unsigned Of);

  std::mt19937_64 Random;
  double Mean[12];
  uint32_t FirstPlace, Before = 0;
  uint64_t Now = uint64_t(1) << 40, Step = 0;
};

/// In bits, of the symbols of durations by place, and of gaps by path.
double entropy(const std::vector<TimedCall> &Calls, const TimeBounds &Bounds);

} // namespace pilgrim::test

#endif
