//===- Mpi.h - the installed mpi.h, as the runtime wants it ------*- C++ -*-===//
//
// The library is not linked with MPI: it must be harmless in programs without it. Functions are found at run time
// (Real.h), and so are the variables of the MPI library that stand behind constants.
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
