//===- Untraced.h - calls that a trace lacks --------------------*- C++ -*-===//
//
// A program may switch tracing off for a while. The calls of that time are one item in the trace. It belongs to a
// function of the tracer, whose slot UntracedCalls is the number of calls. The item is not an MPI call: nothing that
// counts or times calls may count it as one.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_UNTRACED_H
#define PILGRIM_TRACE_READ_UNTRACED_H

#include "trace/read/Walk.h"

namespace pilgrim {

/// Whether calls are missing anywhere in the trace.
bool hasUntraced(const TraceData &T);
inline bool hasUntraced(const Trace &T) { return hasUntraced(T.data()); }
/// The number of calls that C stands for. C must be a place where tracing was off, not a call.
uint64_t untracedCalls(const Call &C);
/// The number of missing calls of each rank at an event. A rank may occur in several entries.
std::vector<RankedCount> untracedAt(const Walk &W, uint32_t Thread, uint32_t Node, uint32_t Event);
/// How many are missing in the trace.
uint64_t untracedCalls(const TraceData &T);
inline uint64_t untracedCalls(const Trace &T) { return untracedCalls(T.data()); }
/// "12 calls", "12 calls and 30 that were not traced".
std::string countText(const TraceData &T);

} // namespace pilgrim

#endif
