//===- Mappings.cpp - what /proc/self/maps says ---------------------------===//
#include "platform/Mappings.h"
#include "platform/OutsideCall.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace pilgrim {

bool mappingAt(uintptr_t Address, AddressRange &Region) {
  OutsideCall Call;
  int File;
  do
    File = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  while (File < 0 && errno == EINTR);
  if (File < 0)
    return false;
  // A line is BEGIN-END and then things that do not matter here.
  enum : uint8_t { InBegin, InEnd, InRest } Where = InBegin;
  AddressRange Line;
  bool IsFound = false;
  char Buffer[4096];
  while (!IsFound) {
    ssize_t Count = read(File, Buffer, sizeof Buffer);
    if (Count < 0 && errno == EINTR)
      continue;
    if (Count <= 0)
      break;
    for (const char *At = Buffer, *End = Buffer + Count; At != End; ++At) {
      if (Where == InRest) {
        if (*At == '\n') {
          Where = InBegin;
          Line = {};
        }
      } else if (*At == '-') {
        Where = InEnd;
      } else if (*At == ' ') {
        Where = InRest;
        if (Line.holds(Address)) {
          Region = Line;
          IsFound = true;
          break;
        }
      } else {
        uintptr_t &Number = Where == InBegin ? Line.Begin : Line.End;
        Number = Number * 16 + static_cast<uintptr_t>(*At <= '9' ? *At - '0' : *At - 'a' + 10);
      }
    }
  }
  close(File);
  return IsFound;
}

bool isMapped(uintptr_t Address) {
  const auto Page = static_cast<uintptr_t>(getpagesize());
  unsigned char IsThere;
  return mincore(reinterpret_cast<void *>(Address & ~(Page - 1)), 1, &IsThere) == 0;
}

} // namespace pilgrim
