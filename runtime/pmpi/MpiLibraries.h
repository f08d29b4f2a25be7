//===- MpiLibraries.h - the names of MPI's libraries -------------*- C++ -*-===//
//
// The one place that knows how MPICH and Open MPI name their files. There are two kinds. The C library makes calls of
// its own, which are not the program's. The Fortran bindings call the C functions on behalf of the program.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_MPILIBRARIES_H
#define PILGRIM_PMPI_MPILIBRARIES_H

namespace pilgrim {

/// Whether a module, by its path, is the C library of an MPI, which has all of its functions.
bool isWholeMpi(const char *Path);
/// Whether a module, by its path, is that, a part of it, or this library.
bool isMpiLibrary(const char *Path);
/// Whether a module, by its path, is that or a library that such an MPI sends its messages with.
bool isTransportLibrary(const char *Path);
/// Whether a module, by its path, holds an MPI's Fortran bindings.
bool isFortranLibrary(const char *Path);
/// Whether a module, by its path, holds the C++ bindings, which MPI-3 removed.
bool isCxxLibrary(const char *Path);
/// Finds a symbol in the MPI libraries that the process has loaded already; null if there is none.
void *symbolInMpiLibraries(const char *Name);

} // namespace pilgrim

#endif
