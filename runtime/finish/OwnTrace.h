//===- OwnTrace.h - what one rank recorded, as a trace -----------*- C++ -*-===//
#ifndef PILGRIM_FINISH_OWNTRACE_H
#define PILGRIM_FINISH_OWNTRACE_H

#include "trace/model/TraceData.h"

namespace pilgrim {

struct Process;

/// Makes a trace of this rank's own calls. It keeps all candidates, so that it can be merged with other ranks' traces.
/// To be called once, when nothing is traced any more. MayRecord: some thread may still be in the midst of a call.
TraceData ownTrace(Process &P, bool MayRecord);
/// Adds how this rank compared its clock, if it did.
void noteClock(const Process &P, TraceData &T);
/// Says that the trace is one of several of a run, and of which run.
void becomePart(const Process &P, TraceData &T);
/// Writes what a finished trace says of the run: program, time, options and the like.
void describe(Process &P, TraceData &T);

} // namespace pilgrim

#endif
