//===- Switching.h - while the program has tracing off ------------*- C++ -*-===//
//
// Calls that are entered while tracing is off take the wrappers' other form. It keeps the books of objects and
// requests, so that names keep their meaning, and records nothing. The number of these calls is recorded before the
// next recorded call, as if it were a call itself (trace/read/Untraced.h). So is that of calls inside of too many
// others.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_SWITCHING_H
#define PILGRIM_PMPI_SWITCHING_H

#include "pmpi/State.h"

#include <algorithm>

namespace pilgrim {

/// What a call asks the tracer to do.
enum class Switch : uint8_t { None, On, Off, Unclear };
Switch switchOf(int Level);                          ///< MPI_Pcontrol
Switch switchOf(const char *Key, const char *Value); ///< MPI_Info_set
/// To be called before and after such a call. The call that switches tracing on or off is itself traced.
void switchBefore(const void *Return, Switch S);
void switchAfter(Switch S);

/// Records how many calls were skipped, if any were. Frame: as in a CallPlace; null: the program is in no call.
void recordSkipped(ThreadState &T, const void *Frame);
/// Records all that stands before a call, or at the end of the trace: skipped calls, and what was freed (Freed.h).
void recordBetween(ThreadState &T, const void *Frame);
/// Counts a call that is not recorded since too many calls are open.
void countTooDeep(ThreadState &T);
/// Counts a skipped call inside of which calls were recorded.
void countAround(ThreadState &T, const void *Frame, unsigned Depth);
/// Counts a call that has ended and is not to be recorded.
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
