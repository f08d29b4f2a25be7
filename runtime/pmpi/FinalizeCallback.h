//===- FinalizeCallback.h - callbacks inside MPI_Finalize ----------*- C++ -*-===//
//
// MPI_Finalize begins with the delete callbacks of the attributes of MPI_COMM_SELF, the one that was set last first
// (MPI 4.0, 11.2.4). They may call MPI as ever, and such calls are to be recorded. So when the program makes its first
// keyval, the tracer sets an attribute of its own there, whose delete callback is the last one: there the trace ends.
// In programs without keyvals it ends before MPI_Finalize is called. Where a callback of the program's returns an
// error, ours is not called; then the process leaves a shard when it ends.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_FINALIZECALLBACK_H
#define PILGRIM_PMPI_FINALIZECALLBACK_H

#include "pmpi/Real.h"

namespace pilgrim {

/// The program has made a keyval. Make: the MPI library's function.
void keyvalMade(decltype(RealFunctions::MPI_Comm_create_keyval) Make);
/// MPI_Init has returned.
void worldBegun();
/// Calls MPI_Finalize; Record(Call, what it returns) and End where the trace ends. If it fails before that, the call is
/// recorded, and the trace goes on.
int callFinalize(void *Call, void (*Record)(void *Call, int Ret), void (*End)());

} // namespace pilgrim

#endif
