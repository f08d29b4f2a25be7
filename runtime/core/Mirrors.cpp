//===- Mirrors.cpp - teams of threads stand where they were started -------===//
//
// A part of Contexts.h. A thread of a team (api/Markers.h) has no frames outside of the team's function. The thread
// that started the team has them, and waits. Its regions are open here, too, with copies of its frames: mirrors. They
// stay open when the team has ended. The next team shows which of them are still in the same visit, which have begun
// another one, and which have ended. How the other thread's visits ended is not known here: their paths are cut.
//
//===----------------------------------------------------------------------===//
#include "core/Contexts.h"

#include <atomic>

namespace pilgrim {

const PilgrimRegion Contexts::TeamRegion = {};

/// The thread that owns the frame may set bit 0 meanwhile.
static uint32_t visitOf(const PilgrimFrame &F) {
  return std::atomic_ref<uint32_t>(const_cast<uint32_t &>(F.Touched)).load(std::memory_order_relaxed) & ~1u;
}

/// Fills Outside with the frames that the team was started in, the innermost first. Nothing if there are too many.
void Contexts::findAround(const PilgrimFork &Fork) {
  constexpr size_t Most = 1024; // more are a recursion, which has no nodes
  Outside.clear();
  const PilgrimFork *At = &Fork;
  for (const PilgrimFrame *F = At->Frame; F;) {
    const auto Place = reinterpret_cast<uintptr_t>(F);
    if (Place < At->Begin || Place >= At->End)
      return;
    if (F->Region == &TeamRegion) {
      At = static_cast<const PilgrimFork *>(F->Node);
      F = At->Frame;
      continue;
    }
    if (!Around.isRegion(F->Region))
      return;
    if (Outside.size() == Most)
      return Outside.clear();
    Outside.push_back(F);
    F = F->Parent;
  }
}

/// Makes the regions open in which a team was started, and closes all others. Returns how many are open then.
size_t Contexts::openMirrors(const PilgrimFork &Fork) {
  findAround(Fork);
  const size_t N = Outside.size();
  const auto IsOf = [&](size_t I) {
    const Mirror &M = *Mirrors[I];
    const auto *Node = static_cast<const NodeState *>(M.Frame.Node);
    return M.Of == Outside[N - 1 - I] && M.Frame.Region == M.Of->Region && (!Node || Node->Frame == &M.Frame);
  };
  const auto Copy = [&](size_t I) {
    Mirror &M = *Mirrors[I];
    M.Of = Outside[N - 1 - I];
    M.Visit = visitOf(*M.Of);
    M.Frame.Sum = M.Of->Sum;
    M.Frame.Event = M.Of->Event;
  };
  size_t Same = 0, Keep = 0;
  bool HasMoved = true; // the region around has gone on to another event
  for (; Same < N && Same < NumMirrors && IsOf(Same); ++Same) {
    Mirror &M = *Mirrors[Same];
    if (!M.Visit || M.Visit != visitOf(*M.Of))
      break;
    HasMoved = M.Frame.Event != M.Of->Event;
    Keep += M.Frame.Node != nullptr;
    Copy(Same);
  }
  // A visit passes each event once. So this is the loop's same activation.
  const bool IsNextVisit = Same < N && Same < NumMirrors && !HasMoved && IsOf(Same) && Mirrors[Same]->Frame.Node &&
                           Mirrors[Same]->Frame.Region->Index;
  Keep += IsNextVisit;
  while (Open.size() > Keep)
    close();
  if (IsNextVisit) {
    NodeState &Loop = *Open.back();
    endRun(Loop);
    if (Loop.InVisit)
      finishVisit(Loop, Loop.Event, false);
    Copy(Same++);
  }
  NumMirrors = N;
  while (Mirrors.size() < N)
    Mirrors.push_back(std::make_unique<Mirror>());
  for (; Same < N; ++Same) {
    Mirror &M = *Mirrors[Same];
    Copy(Same);
    M.Frame.Region = M.Of->Region;
    M.Frame.Node = nullptr;
    open(&M.Frame);
  }
  return Open.size();
}

/// How many are open up to the one with that frame; 0: it is no mirror's, or not open.
size_t Contexts::openUpTo(const PilgrimFrame *Mirror) const {
  for (size_t I = 0; I < Open.size() && I < NumMirrors; ++I)
    if (Open[I]->Frame == Mirror)
      return I + 1;
  return 0;
}

} // namespace pilgrim
