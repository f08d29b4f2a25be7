//===- Freed.h - memory that MPI used is freed --------------------*- C++ -*-===//
//
// A replay must know when a block that calls have used was freed, since its number is reused. What a thread frees is
// recorded before the thread's next recorded call, as if it were a call itself. Memory that MPI hands out and takes
// back is not recorded here: the calls that do so say it. Nor is what is freed while tracing is switched off.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_FREED_H
#define PILGRIM_PMPI_FREED_H

#include "pmpi/State.h"

namespace pilgrim {

/// From now on frees are noted. To be called before memory::enable().
void watchFrees();
/// Records what T freed, and what threads freed that make no MPI calls. Frame: as for recordSkipped().
void recordFreed(ThreadState &T, const void *Frame);
/// The thread's outermost call is over: the numbers of what was freed inside may be others'.
void releaseHeld(ThreadState &T);

} // namespace pilgrim

#endif
