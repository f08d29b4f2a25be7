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
/// At another end of the process, when recording has ended: writes this rank's trace as a shard, and one line that says
/// Why. Unanswered: threads that may still be recording. IsSudden: without the C library's allocator. IsCause: this
/// rank ended the run, or itself, and the trace says so.
void writeShard(Process &P, const char *Why, unsigned Unanswered, bool IsSudden, bool IsCause);
/// Instead of finishRun() in a rank that stopped tracing: tells the other ranks not to wait for it.
void declineRun(Process &P);

} // namespace pilgrim

#endif
