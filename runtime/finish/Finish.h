//===- Finish.h - one trace for all ranks ------------------------*- C++ -*-===//
#ifndef PILGRIM_FINISH_FINISH_H
#define PILGRIM_FINISH_FINISH_H

namespace pilgrim {

struct Process;

/// At MPI_Init: compares the ranks' clocks, if that is asked for.
void beginRun(Process &P);
/// At MPI_Finalize: merges all ranks' traces and writes the file. If that does not end in time, every rank writes its
/// shard.
void finishRun(Process &P);
/// Says where what is sealed goes while the program runs.
void placeSpools(const Process &P);
/// How a process ends without MPI_Finalize.
struct OtherEnd {
  unsigned Unanswered = 0;   ///< threads that may still be recording
  bool IsSudden = false;     ///< the C library's allocator must not be used
  bool IsCause = false;      ///< this rank ended the run, or itself, and the trace says so
  bool HasOpenCalls = false; ///< the calling thread is not recording: calls that it is in can be recorded
};
/// When recording has ended: writes this rank's trace as a shard, and one line that says Why.
void writeShard(Process &P, const char *Why, const OtherEnd &End);
/// Instead of finishRun() in a rank that stopped tracing: tells the other ranks not to wait for it.
void declineRun(Process &P);

} // namespace pilgrim

#endif
