//===- SmallBlocks.cpp - many blocks that live shortly --------------------===//
#include "memory/SmallBlocks.h"
#include "memory/Reserve.h"

namespace pilgrim::memory {

bool SmallBlocks::reserve() {
  if (!Base && (Base = static_cast<std::byte *>(ownPages(Room))))
    Size = Room;
  return Base;
}

/// Whether there are more blocks of that kind now. What was left of the last part is too small for one.
bool SmallBlocks::extend(size_t Kind) {
  if (Parts == Size / Part || !Kind)
    return false;
  std::byte *New = Base + Parts * Part;
  KindOf[Parts++] = static_cast<uint8_t>(Kind);
  News[Kind] = {New, New + Part / (Kind * Step) * (Kind * Step)};
  return true;
}

} // namespace pilgrim::memory
