//===- Clock.cpp - time ---------------------------------------------------===//
#include "platform/Clock.h"
#include "platform/OpenFile.h"
#include "platform/OutsideCall.h"

#include <time.h>
#include <xxhash.h>

namespace pilgrim {

static struct {
  uint64_t Number;
  int64_t TicksAhead, Gains;
} Pretended;

uint64_t nanoseconds() {
  timespec T;
  clock_gettime(CLOCK_MONOTONIC, &T);
  return static_cast<uint64_t>(T.tv_sec) * 1000000000u + static_cast<uint64_t>(T.tv_nsec);
}

uint64_t clockId() {
  const OutsideCall Call;
  char Text[64];
  const int Fd = openFile("/proc/sys/kernel/random/boot_id", O_RDONLY);
  if (Fd < 0)
    return 0;
  const ssize_t N = read(Fd, Text, sizeof Text);
  close(Fd);
  return N > 0 ? XXH64(Text, static_cast<size_t>(N), Pretended.Number) : 0;
}

void pretendClock(uint64_t Number, int64_t TicksAhead, int64_t Gains) { Pretended = {Number, TicksAhead, Gains}; }

bool isClockPretended() { return Pretended.Number; }

/// What a clock that gains shows at Time, less Time.
static uint64_t gained(uint64_t Time) {
  constexpr int64_t Giga = 1'000'000'000;
  const auto T = static_cast<int64_t>(Time);
  return static_cast<uint64_t>(T / Giga * Pretended.Gains + T % Giga * Pretended.Gains / Giga);
}

uint64_t clockTicks() {
  const uint64_t Now = ticks();
  return Now + gained(Now) + static_cast<uint64_t>(Pretended.TicksAhead);
}

TwoClocks readClocks() {
  TwoClocks Best{};
  uint64_t Least = UINT64_MAX;
  // The best of some tries, as anything may happen between two readings.
  for (int Try = 0; Try < 8; ++Try) {
    const uint64_t Before = clockTicks(), Nano = nanoseconds(), Took = clockTicks() - Before;
    if (Took < Least) {
      Least = Took;
      Best = {Before + Took / 2, Nano + gained(Nano)};
    }
  }
  return Best;
}

} // namespace pilgrim
