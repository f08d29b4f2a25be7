//===- Freed.cpp - memory that MPI used is freed --------------------------===//
#include "pmpi/Freed.h"
#include "memory/Segments.h"
#include "pmpi/Wrap.h"
#include "trace/model/SegmentName.h"

#include <iterator>
#include <mutex>
#include <utility>

namespace pilgrim {

static void note(ThreadState &T, FreedMemory F) {
  F.Depth = T.NumOpen;
  T.Freed.push_back(F);
  if (!T.Log)
    return;
  T.Log->note<RawCopy>(FreedId)->freed(FreedBlock, F.Base);
}

/// Notes what the calling thread freed. The fast form does not look at Freed: so the thread's next call must take the
/// other form, and a call that is under way must end in it.
static void noteFreed(ThreadState &T, const FreedMemory &F) {
  // It is in order with other threads' calls, too: the thread's last call may have waited for some of them.
  if (T.P.HasTurns && !T.NumOpen)
    takeTurn(T);
  note(T, F);
  T.IsPredictionValid &= T.NumOpen == 0;
  for (unsigned I = 0; I < T.NumOpen; ++I)
    T.Open[I].FunctionAndFlags |= ThreadState::OpenCall::HasRecords;
  IdleThread = nullptr;
}

/// A call of another thread that is under way may name a block yet. In the recorded order that call came before the
/// free, so it must not have the number.
static memory::Reuse released(const memory::Location &Gone, const void *Base, memory::Release How) {
  Process *P = CurrentProcess;
  memory::Reuse When;
  if (P && P->HasTurns)
    When = {P->Turn.last() + 1, CurrentThread ? CurrentThread->Index : UINT32_MAX};
  if (How == memory::Release::Freed && P && P->Tracing && !P->IsOff) {
    FreedMemory F{segmentName(Gone).word(), Base, 0, true};
    std::lock_guard<Process> L(*P);
    // Asked again under the lock: another thread may have ended the trace, which writes what was freed.
    if (ThreadState *T = CurrentThread; T && P->Tracing) {
      // A call that is under way gets its names when it ends, and readers show it before what happens inside.
      F.IsHeld = T->NumOpen != 0;
      noteFreed(*T, F);
      if (F.IsHeld)
        When.From = memory::Reuse::Never;
      else if (P->HasTurns)
        When.From = T->Encoder.Who.Turn;
    } else if (P->Tracing) {
      P->addOrphan(F);
      When.From = memory::Reuse::Never;
    }
  }
  noteRelease(Gone.Id, reinterpret_cast<uintptr_t>(Base));
  return When;
}

void watchFrees() { memory::setReleaseHook(released); }

void Process::addOrphan(const FreedMemory &F) {
  Orphans.push_back(F);
  HasOrphans = true;
  chooseForm();
}

void Process::adopt(ThreadState &T) {
  std::lock_guard<Process> L(*this);
  for (const FreedMemory &F : Orphans)
    note(T, F);
  Orphans.clear();
  HasOrphans = false;
  chooseForm();
}

void releaseHeld(ThreadState &T) {
  for (const uint32_t Number : std::exchange(T.HeldNumbers, {}))
    memory::mayReuse(Number, {T.Encoder.Who.Turn, T.Index});
}

void recordFreed(ThreadState &T, const void *Frame) {
  if (T.P.HasOrphans.load(std::memory_order_relaxed))
    T.P.adopt(T);
  if (T.Freed.empty())
    return;
  const memory::Reuse FromNow{T.Encoder.Who.Turn, T.Index};
  T.Encoder.IsSegment = true;
  for (const FreedMemory &F : T.Freed) {
    const uint64_t Words[] = {FreedId | static_cast<uint64_t>(F.Depth) << 32, 0, 1 /* no return code */, 0,
                              static_cast<uint64_t>(F.Segment)};
    bool First;
    T.Calls.record(place(T, Frame, First, false), Words, std::size(Words), 0, 0, true); // takes no time
    const uint32_t Number = SegmentName::of(F.Segment).Number;
    if (F.IsHeld && T.NumOpen)
      T.HeldNumbers.push_back(Number);
    else if (F.IsHeld)
      memory::mayReuse(Number, FromNow);
  }
  T.Encoder.IsSegment = false;
  T.Freed.clear();
}

} // namespace pilgrim
