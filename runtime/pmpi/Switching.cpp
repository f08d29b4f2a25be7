//===- Switching.cpp - while the program has tracing off ------------------===//
#include "pmpi/Switching.h"
#include "pmpi/Freed.h"
#include "pmpi/Wrap.h"

#include <cstring>
#include <iterator>
#include <strings.h>

namespace pilgrim {

Switch switchOf(int Level) { return Level >= 1 ? Switch::On : Level == 0 ? Switch::Off : Switch::None; }

Switch switchOf(const char *Key, const char *Value) {
  if (!Key || !Value || std::strcmp(Key, "PILGRIM_TRACING") != 0)
    return Switch::None;
  if (strcasecmp(Value, "ON") == 0)
    return Switch::On;
  if (strcasecmp(Value, "OFF") == 0)
    return Switch::Off;
  return Switch::Unclear;
}

void switchBefore(const void *Return, Switch S) {
  Process *P = CurrentProcess;
  if (S == Switch::On && P && P->IsOff && !isInMpiLibrary(Return))
    P->switchTracing(true);
}

void switchAfter(Switch S) {
  if (S == Switch::Off)
    CurrentProcess->switchTracing(false);
  if (S == Switch::Unclear)
    tell(TellLevel::Error, "MPI_Info_set: PILGRIM_TRACING takes ON or OFF");
}

void Process::switchTracing(bool On) {
  std::lock_guard<Process> L(*this);
  IsOff = !On;
  chooseForm();
}

void recordSkipped(ThreadState &T, const void *Frame) {
  const SkippedCalls M = T.Skipped;
  T.Skipped = {};
  if (!M.Number)
    return;
  T.IsPredictionValid &= T.NumOpen == 0;
  const uint64_t Now = T.Timed ? clockTicks() : 0;
  const uint64_t Words[] = {UntracedId | static_cast<uint64_t>(M.Depth) << 32, 0, 1 /* no return code */, 0, M.Number};
  bool First;
  T.Calls.record(place(T, Frame, First, false), Words, std::size(Words), T.Timed && M.Since ? M.Since : Now, Now, true);
}

void recordBetween(ThreadState &T, const void *Frame) {
  recordSkipped(T, Frame);
  recordFreed(T, Frame);
}

void countTooDeep(ThreadState &T) {
  SkippedCalls &M = T.Skipped;
  if (!M.Number)
    M = {0, T.Timed ? clockTicks() : 1, ThreadState::MaxOpen};
  ++M.Number;
  T.IsPredictionValid = false;
  for (ThreadState::OpenCall &C : T.Open)
    C.FunctionAndFlags |= ThreadState::OpenCall::HasRecords;
}

// An untraced call that contains recorded calls becomes its own item: those calls are inside of this one and of no
// other skipped call.
void countAround(ThreadState &T, const void *Frame, unsigned Depth) {
  recordBetween(T, Frame);
  T.GapBegin[Depth] = 0;
  T.Skipped = {1, 0, Depth};
  recordSkipped(T, Frame);
}

} // namespace pilgrim
