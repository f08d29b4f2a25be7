//===- Untraced.h - calls that a trace lacks --------------------*- C++ -*-===//
//
// A program may switch tracing off for a while. What it called then stands in
// the trace as an item that tells only how many calls there were: of a function of
// the tracer's own, whose slot UntracedCalls is that number. It is no MPI call, and
// nothing that counts or times calls may count it as one.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_UNTRACED_H
#define PILGRIM_TRACE_READ_UNTRACED_H

#include "trace/read/Walk.h"

namespace pilgrim {

/// Whether calls are missing anywhere in the trace.
bool hasUntraced(const TraceData &T);
inline bool hasUntraced(const Trace &T) { return hasUntraced(T.data()); }
/// How many calls C stands for, if it is no call but a place where tracing was
/// off.
uint64_t untracedCalls(const Call &C);
/// How many calls of each rank are missing at an event. A rank may be there several times.
std::vector<RankedCount> untracedAt(const Walk &W, uint32_t Thread, uint32_t Node, uint32_t Event);
/// How many are missing in the trace.
uint64_t untracedCalls(const TraceData &T);
inline uint64_t untracedCalls(const Trace &T) { return untracedCalls(T.data()); }
/// "12 calls", "12 calls and 30 that were not traced".
std::string countText(const TraceData &T);

} // namespace pilgrim

#endif
