//===- Handles.cpp - the objects of a replay by their names in the trace --===//
#include "proxygen/replay/Handles.h"

#include <chrono>

namespace pilgrim {

static constexpr std::chrono::seconds LongestWait(60);

std::optional<LiveHandle> Handles::find(Kind K, int64_t Number) {
  std::lock_guard Guard(Lock);
  auto It = Live.find({K, Number});
  return It == Live.end() ? std::nullopt : std::optional(It->second);
}

std::optional<LiveHandle> Handles::get(Kind K, int64_t Number) {
  std::unique_lock Guard(Lock);
  auto It = Live.find({K, Number});
  if (It == Live.end() && Waits)
    Made.wait_for(Guard, LongestWait, [&] { return (It = Live.find({K, Number})) != Live.end(); });
  return It == Live.end() ? std::nullopt : std::optional(It->second);
}

void Handles::set(Kind K, int64_t Number, LiveHandle H) {
  std::lock_guard Guard(Lock);
  Live[{K, Number}] = std::move(H);
  if (Waits)
    Made.notify_all();
}

void Handles::acquire(uint64_t Raw) {
  if (!Waits)
    return;
  std::lock_guard Guard(Lock);
  ++Users[Raw];
}

void Handles::release(uint64_t Raw) {
  if (!Waits)
    return;
  std::lock_guard Guard(Lock);
  if (auto It = Users.find(Raw); It != Users.end() && --It->second == 0) {
    Users.erase(It);
    Unused.notify_all();
  }
}

void Handles::waitUntilUnused(uint64_t Raw) {
  if (!Waits)
    return;
  std::unique_lock Guard(Lock);
  Unused.wait_for(Guard, LongestWait, [&] { return !Users.contains(Raw); });
}

void Handles::erase(Kind K, int64_t Number, uint64_t Raw) {
  std::lock_guard Guard(Lock);
  if (auto It = Live.find({K, Number}); It != Live.end() && It->second.Raw == Raw)
    Live.erase(It);
}

} // namespace pilgrim
