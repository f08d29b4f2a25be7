//===- VirtualMpi.h - The C boundary of the virtual MPI --------*- C++ -*-===//
//
// Functions PMPI_X for ranks that exist one after the other in one process.
// They have MPICH's types and handles and the answers of the real ones where
// these are known without the other ranks' data: own rank, sizes, groups,
// topologies, types, fresh request handles, statuses. Nothing is moved and
// nothing waits: a rank runs to its end while its peers have not begun or are
// long over.
//
// All of them work on the current world, the only global.
//
//===----------------------------------------------------------------------===//

#ifndef PILGRIM_BENCHMARKS_VIRTUALMPI_H
#define PILGRIM_BENCHMARKS_VIRTUALMPI_H

namespace pilgrim::virtualranks {

class VirtualWorld;

/// The world that calls go to, or null. A call without one ends the program.
void setCurrentWorld(VirtualWorld *World);
VirtualWorld &currentWorld();

/// The address of "PMPI_Send" and so on, or null for what the virtual MPI does
/// not have.
void *virtualMpiLookup(const char *Name);

} // namespace pilgrim::virtualranks

#endif // PILGRIM_BENCHMARKS_VIRTUALMPI_H
