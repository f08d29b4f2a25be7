//===- Handles.cpp - the objects of a replay by their names in the trace --===//
#include "proxygen/replay/Handles.h"

#include <sys/mman.h>

namespace pilgrim {

std::optional<LiveHandle> Handles::find(Kind K, int64_t Number) {
  const auto Guard = lockIf(Waits, Lock);
  auto It = Live.find({K, Number});
  return It == Live.end() ? std::nullopt : std::optional(It->second);
}

std::optional<LiveHandle> Handles::get(Kind K, int64_t Number) {
  auto Guard = lockIf(Waits, Lock);
  auto It = Live.find({K, Number});
  if (It == Live.end() && Waits)
    Made.wait_for(Guard, LongestWait, [&] { return (It = Live.find({K, Number})) != Live.end(); });
  return It == Live.end() ? std::nullopt : std::optional(It->second);
}

void Handles::set(Kind K, int64_t Number, LiveHandle H) {
  const auto Guard = lockIf(Waits, Lock);
  H.Serial = ++LastSerial;
  Live[{K, Number}] = std::move(H);
  if (Waits)
    Made.notify_all();
}

void Handles::give(Kind K, int64_t Number, LiveHandle H) {
  if (auto Known = find(K, Number); Known && Known->Raw == H.Raw)
    H.Times = Known->Times + 1;
  set(K, Number, std::move(H));
}

MPI_Request *RequestPlaces::of(uint32_t Thread) {
  std::lock_guard Guard(Lock);
  MPI_Request *&Of = OfThreads[Thread];
  if (!Of) {
    void *At = ::mmap(nullptr, Most * sizeof(MPI_Request), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (At == MAP_FAILED)
      return nullptr;
    Of = static_cast<MPI_Request *>(At);
  }
  return Of;
}

void Handles::acquire(uint64_t Raw) {
  if (Waits)
    InUse.acquire(Raw);
}

void Handles::release(uint64_t Raw) {
  if (Waits)
    InUse.release(Raw);
}

void Handles::waitUntilUnused(uint64_t Raw) {
  if (Waits)
    InUse.wait(Raw);
}

void Handles::change(Kind K, int64_t Number, uint64_t Serial, uint64_t Raw, bool IsGone) {
  const auto Guard = lockIf(Waits, Lock);
  LiveHandle &H = Live[{K, Number}];
  if (H.Serial != Serial)
    return;
  H.Raw = Raw;
  if (IsGone)
    H.Kept = nullptr;
}

void Handles::setGiven(int64_t Number, bool Is) {
  const auto Guard = lockIf(Waits, Lock);
  if (auto It = Live.find({Kind::Request, Number}); It != Live.end())
    It->second.IsGiven = Is;
}

void Handles::erase(Kind K, int64_t Number, uint64_t Raw) {
  const auto Guard = lockIf(Waits, Lock);
  if (auto It = Live.find({K, Number}); It != Live.end() && It->second.Raw == Raw && --It->second.Times == 0)
    Live.erase(It);
}

} // namespace pilgrim
