//===- Clock.cpp - time ---------------------------------------------------===//
#include "platform/Clock.h"
#include "platform/OpenFile.h"
#include "platform/OutsideCall.h"

#include <time.h>
#include <xxhash.h>

namespace pilgrim {

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
  return N > 0 ? XXH64(Text, static_cast<size_t>(N), 0) : 0;
}

} // namespace pilgrim
