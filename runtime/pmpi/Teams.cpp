//===- Teams.cpp - where teams of threads are started ---------------------===//
//
// Markers call these functions around OpenMP's parallel regions (api/Markers.h). All visits in which a team is started
// get a number. By that, the other threads of later teams see which visits have ended since (core/Mirrors.cpp).
//
//===----------------------------------------------------------------------===//
#include "platform/Stacks.h"
#include "pmpi/Markers.h"
#include "pmpi/State.h"

using namespace pilgrim;

/// Even, and not 0.
static uint32_t newNumber() {
  static constinit std::atomic<uint32_t> Last{0};
  uint32_t Number;
  do
    Number = Last.fetch_add(2, std::memory_order_relaxed) + 2;
  while (!Number);
  return Number;
}

extern "C" {
#define PILGRIM_EXPORT __attribute__((visibility("default")))

PILGRIM_EXPORT void __pilgrim_fork(PilgrimFork *Fork, PilgrimFrame *Frame) {
  Fork->Frame = nullptr;
  const Process *P = CurrentProcess;
  if (!P || !P->Structured || !P->Tracing.load(std::memory_order_relaxed))
    return;
  Fork->Begin = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (!FrameStack.End)
    learnStack();
  Fork->End = FrameStack.End;
  if (!FrameStack.holds(Fork->Begin))
    return;
  // The regions around a numbered visit have numbers, too.
  const auto IsNew = [&](const PilgrimFrame *F) {
    const auto Place = reinterpret_cast<uintptr_t>(F);
    return Place > Fork->Begin && Place < Fork->End && isLoadedRegion(F->Region) && !(F->Touched & ~1u);
  };
  if (IsNew(Frame)) {
    const uint32_t Number = newNumber();
    for (PilgrimFrame *F = Frame; IsNew(F); F = F->Parent)
      F->Touched |= Number;
  }
  Fork->Frame = Frame;
}

PILGRIM_EXPORT void __pilgrim_join_team(PilgrimFrame *Link, const PilgrimFork *Fork) {
  Link->Parent = __pilgrim_top;
  if (!Fork->Frame || Link->Parent)
    return; // the thread that started the team is one of it
  Link->Region = &Contexts::TeamRegion;
  Link->Node = const_cast<PilgrimFork *>(Fork);
  __pilgrim_top = Link;
}

PILGRIM_EXPORT void __pilgrim_leave_team(PilgrimFrame *Link) { __pilgrim_top = Link->Parent; }
}
