//===- Real.h - the MPI library's own functions ------------------*- C++ -*-===//
#ifndef PILGRIM_PMPI_REAL_H
#define PILGRIM_PMPI_REAL_H

#include "pmpi/Mpi.h"

namespace pilgrim {

#include "real.h" // generated: struct RealFunctions, PILGRIM_REAL_FUNCTIONS

/// The PMPI_X of the MPI library in this process. Null where the library has none. Filled by resolveRealFunctions().
extern RealFunctions Real;

/// Finds a function of the MPI library by name ("PMPI_Send"), or null.
using RealLookup = void *(*)(const char *Name);
/// Fills Real and the Next members of the entries. False if there is no MPI in this process.
bool resolveRealFunctions(RealLookup Lookup);
/// Fills what is null in Real, as long as there is no MPI. Who asks is told that MPI is not initialized. Any other call
/// says what is wrong and ends the process, as the dynamic linker would without us.
void standInForMpi();
/// Finds a symbol in the libraries behind this one in the dynamic linker's order, else in MPI libraries that were
/// loaded later. Null if there is none.
void *lookupNext(const char *Name);
/// Makes the entries jump to the wrappers without timing.
void useUntimedWrappers();
/// Makes the entries jump to the MPI library.
void bypassWrappers();
/// Whether an address lies in the MPI library's code.
bool isInMpiLibrary(const void *Address);

} // namespace pilgrim

#endif
