//===- Freed.h - memory that MPI used is freed --------------------*- C++ -*-===//
//
// That a block is gone which calls have named matters to whoever makes the calls again: another block may have its
// number then. What a thread frees is recorded before its next call that is recorded, as if it were a call. Memory
// that MPI hands out and takes back is not: those calls say so. Nor is what is freed while tracing is switched off.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_FREED_H
#define PILGRIM_PMPI_FREED_H

#include "pmpi/State.h"

namespace pilgrim {

/// From now on frees are seen; before memory::enable().
void watchFrees();
/// Records what T freed, and what threads freed that make no calls; Frame as for recordSkipped().
void recordFreed(ThreadState &T, const void *Frame);

} // namespace pilgrim

#endif
