//===- ReplayState.cpp - what all threads of a replayed rank share --------===//
#include "proxygen/replay/ReplayState.h"
#include "proxygen/replay/Callbacks.h"

namespace pilgrim {

const void *ReplayState::function(Callback Kind, const std::string &Key) {
  std::lock_guard Guard(Lock);
  const unsigned Next = static_cast<unsigned>(Functions.size());
  return callbackFunction(Kind, Functions.try_emplace({Kind, Key}, Next).first->second);
}

void ReplayState::keepWithWindow(int64_t Window, const MemoryPiece &P) {
  std::lock_guard Guard(Lock);
  OfWindows[Window] = P;
}

void ReplayState::windowFreed(int64_t Window) {
  std::unique_lock Guard(Lock);
  const auto Known = OfWindows.extract(Window);
  Guard.unlock(); // the block may be waited for
  if (!Known.empty())
    Buffers.freed(Known.mapped());
}

void ReplayState::follow(const Call &C) {
  std::lock_guard Guard(Lock);
  Addresses.follow(C);
}

std::optional<MemoryPlace> ReplayState::placeOfAddress(int64_t Address) {
  std::lock_guard Guard(Lock);
  return Addresses.find(Address);
}

} // namespace pilgrim
