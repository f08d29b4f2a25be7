//===- SmallBlocks.cpp - many blocks that live shortly --------------------===//
#include "memory/SmallBlocks.h"
#include "memory/Internal.h"

#include <sys/resource.h>

namespace pilgrim::memory {

/// Whether the program may run out of addresses.
static bool areAddressesLimited() {
  rlimit Limit;
  return getrlimit(RLIMIT_AS, &Limit) != 0 || Limit.rlim_cur != RLIM_INFINITY;
}

bool SmallBlocks::reserve() {
  if (!Base && !areAddressesLimited() && (Base = static_cast<std::byte *>(ownAddresses(Room))))
    Size = Room;
  return Base;
}

/// Whether there are more blocks of that kind now. What was left of the last part is too small for one.
bool SmallBlocks::extend(size_t Kind) {
  if (Parts == Size / Part || !Kind || !mayTake(Part))
    return false;
  std::byte *New = Base + Parts * Part;
  if (Parts * Part == Usable) {
    if (!useAddresses(New, AtOnce))
      return false;
    Usable += AtOnce;
  }
  KindOf[Parts++] = static_cast<uint8_t>(Kind);
  News[Kind] = {New, New + Part / (Kind * Step) * (Kind * Step)};
  return true;
}

} // namespace pilgrim::memory
