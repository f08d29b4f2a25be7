//===- Clock.cpp - time ---------------------------------------------------===//
#include "platform/Clock.h"

#include <time.h>

namespace pilgrim {

uint64_t nanoseconds() {
  timespec T;
  clock_gettime(CLOCK_MONOTONIC, &T);
  return static_cast<uint64_t>(T.tv_sec) * 1000000000u + static_cast<uint64_t>(T.tv_nsec);
}

} // namespace pilgrim
