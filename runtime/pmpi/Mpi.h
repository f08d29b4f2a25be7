//===- Mpi.h - the installed mpi.h, as the runtime wants it ------*- C++ -*-===//
//
// libpilgrim is not linked with MPI, because it must be harmless in programs without it. Functions are found at run
// time (Real.h). So are the variables of the MPI library behind constants.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_MPI_H
#define PILGRIM_PMPI_MPI_H

// C++ bindings of old libraries would want to be linked.
#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include "variables.h" // generated

#endif
