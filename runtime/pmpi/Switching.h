//===- Switching.h - while the program has tracing off ------------*- C++ -*-===//
//
// Calls that are entered then take the wrappers' other form, which keeps the books of objects and requests, so that
// names go on to mean what they do, and records nothing. How many calls are missing so is recorded before the next one
// that is not, as if it were a call (trace/read/Untraced.h).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_SWITCHING_H
#define PILGRIM_PMPI_SWITCHING_H

#include "pmpi/State.h"

#include <algorithm>

namespace pilgrim {

/// What a call asks for.
enum class Switch : uint8_t { None, On, Off, Unclear };
Switch switchOf(int Level);                          ///< MPI_Pcontrol
Switch switchOf(const char *Key, const char *Value); ///< MPI_Info_set
/// Before and after the call: one that switches tracing on or off is traced itself.
void switchBefore(const void *Return, Switch S);
void switchAfter(Switch S);

/// Records that calls are missing, if any are: Frame as in a CallPlace, or null where the program is not in a call.
void recordSkipped(ThreadState &T, const void *Frame);
/// That, and what was freed (Freed.h): what stands before a call, or at the end.
void recordBetween(ThreadState &T, const void *Frame);
void countAround(ThreadState &T, const void *Frame, unsigned Depth);
/// A call ended that is not to be recorded.
inline void countSkipped(ThreadState &T, const void *Frame, unsigned Depth) {
  SkippedCalls &M = T.Skipped;
  if (T.Open[Depth].FunctionAndFlags & ThreadState::OpenCall::HasRecords) [[unlikely]]
    return countAround(T, Frame, Depth);
  M.Depth = M.Number ? std::min(M.Depth, Depth) : Depth;
  ++M.Number;
  T.IsPredictionValid &= Depth == 0;
}

} // namespace pilgrim

#endif
