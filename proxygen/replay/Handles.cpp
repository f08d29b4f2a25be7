//===- Handles.cpp - the objects of a replay by their names in the trace --===//
#include "proxygen/replay/Handles.h"

#include <algorithm>
#include <sys/mman.h>

namespace pilgrim {

/// The last one that this thread made.
static std::vector<LiveHandle>::iterator ownOf(std::vector<LiveHandle> &All) {
  for (auto H = All.end(); H != All.begin();)
    if (--H; H->Maker == std::this_thread::get_id() && !H->IsLeaving)
      return H;
  return All.end();
}

LiveHandle *Handles::meant(const Key &Of) {
  auto It = Live.find(Of);
  if (It == Live.end())
    return nullptr;
  std::vector<LiveHandle> &All = It->second;
  if (!Waits)
    return &All.front();
  auto H = ownOf(All);
  if (H == All.end())
    H = std::ranges::find(All, false, &LiveHandle::IsLeaving);
  return H == All.end() ? &All.front() : &*H;
}

LiveHandle *Handles::withHandle(const Key &Of, uint64_t Raw, bool IsLeaving) {
  auto It = Live.find(Of);
  if (It == Live.end())
    return nullptr;
  auto H =
      std::ranges::find_if(It->second, [&](const LiveHandle &X) { return X.Raw == Raw && X.IsLeaving == IsLeaving; });
  return H == It->second.end() ? nullptr : &*H;
}

std::optional<LiveHandle> Handles::find(Kind K, int64_t Number) {
  const auto Guard = lockIf(Waits, Lock);
  const LiveHandle *H = meant({K, Number});
  return H ? std::optional(*H) : std::nullopt;
}

std::optional<LiveHandle> Handles::get(Kind K, int64_t Number) {
  auto Guard = lockIf(Waits, Lock);
  const LiveHandle *H = meant({K, Number});
  if (!H && Waits)
    Made.wait_for(Guard, LongestWait, [&] { return (H = meant({K, Number})) != nullptr; });
  return H ? std::optional(*H) : std::nullopt;
}

void Handles::set(Kind K, int64_t Number, LiveHandle H) {
  const auto Guard = lockIf(Waits, Lock);
  H.Serial = ++LastSerial;
  H.Maker = std::this_thread::get_id();
  std::vector<LiveHandle> &All = Live[{K, Number}];
  // Of other kinds, one that the thread made before may be about to be freed by another thread.
  const bool Replaces = K == Kind::Request || K == Kind::Keyval || !Waits;
  if (auto Own = ownOf(All); Replaces && Own != All.end())
    *Own = std::move(H);
  else
    All.push_back(std::move(H));
  if (Waits)
    Made.notify_all();
}

void Handles::give(Kind K, int64_t Number, LiveHandle H) {
  {
    const auto Guard = lockIf(Waits, Lock);
    if (LiveHandle *Known = withHandle({K, Number}, H.Raw, false)) {
      ++Known->Times;
      Known->Serial = ++LastSerial;
      return;
    }
  }
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

void Handles::leave(Kind K, int64_t Number, uint64_t Raw) {
  const auto Guard = lockIf(Waits, Lock);
  LiveHandle *H = Waits ? meant({K, Number}) : nullptr;
  if (!H || H->Times > 1 || H->Raw != Raw)
    return;
  H->IsLeaving = true;
  Made.notify_all();
}

void Handles::letUsersBegin(Kind K, int64_t Number, uint64_t Raw) {
  constexpr std::chrono::milliseconds Some(200);
  {
    const auto Guard = lockIf(Waits, Lock);
    if (!Waits || !withHandle({K, Number}, Raw, true))
      return;
  }
  InUse.wait(Raw, Some);
}

void Handles::change(Kind K, int64_t Number, uint64_t Serial, uint64_t Raw, bool IsGone) {
  const auto Guard = lockIf(Waits, Lock);
  auto It = Live.find({K, Number});
  if (It == Live.end())
    return;
  auto H = std::ranges::find(It->second, Serial, &LiveHandle::Serial);
  if (H == It->second.end())
    return;
  H->Raw = Raw;
  if (IsGone)
    H->Kept = nullptr;
}

void Handles::setGiven(int64_t Number, bool Is) {
  const auto Guard = lockIf(Waits, Lock);
  if (LiveHandle *H = meant({Kind::Request, Number}))
    H->IsGiven = Is;
}

void Handles::setEarly(int64_t Number, bool Is) {
  const auto Guard = lockIf(Waits, Lock);
  if (LiveHandle *H = meant({Kind::Request, Number}))
    H->IsEarly = Is;
}

void Handles::erase(Kind K, int64_t Number, uint64_t Raw) {
  const auto Guard = lockIf(Waits, Lock);
  const Key Of{K, Number};
  LiveHandle *H = withHandle(Of, Raw, true);
  if (!H)
    H = withHandle(Of, Raw, false);
  if (!H || --H->Times)
    return;
  std::vector<LiveHandle> &All = Live[Of];
  All.erase(All.begin() + (H - All.data()));
  if (All.empty())
    Live.erase(Of);
}

} // namespace pilgrim
