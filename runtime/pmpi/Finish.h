//===- Finish.h - one trace for all ranks ------------------------*- C++ -*-===//
#ifndef PILGRIM_PMPI_FINISH_H
#define PILGRIM_PMPI_FINISH_H

#include "trace/model/TraceData.h"

namespace pilgrim {

struct Process;

/// At MPI_Finalize: merges all ranks' traces and writes the file, or shards if that does not end in time.
void finishRun(Process &P);
/// At another end: this rank's trace by itself, and one line that says so.
void writeShard(Process &P, const char *Why);
/// Instead of finishRun() in a rank that stopped tracing: the others need not wait for it.
void declineRun(Process &P);
/// This rank's own trace, with all candidates.
TraceData ownTrace(Process &P);
/// Fills in what a finished trace says of the run.
void describe(Process &P, TraceData &T);

} // namespace pilgrim

#endif
