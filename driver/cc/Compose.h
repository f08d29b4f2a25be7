//===- Compose.h - the compiler's command line ------------------*- C++ -*-===//
//
// What is added to the arguments, and where: the plugin where something may be
// compiled, the MPI's directories and libraries as its own wrapper adds them,
// and libpilgrim before any MPI library, since the first one that the loader
// meets is the one that is called.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_CC_COMPOSE_H
#define PILGRIM_DRIVER_CC_COMPOSE_H

#include "driver/cc/Arguments.h"
#include "driver/cc/Compiler.h"

namespace pilgrim {

/// What goes into a program besides the MPI.
struct Parts {
  std::string Plugin;  ///< path; empty: no instrumentation
  std::string Runtime; ///< path of libpilgrim; empty: not linked
  std::string Modules; ///< directory of flang's modules; empty: none
};

/// Whether the user asks for the MPI's own wrapper (PILGRIM_WRAPPER), or why what is asked makes no sense.
std::expected<bool, std::string> isOff();

/// Where the library is not that programs are linked with.
std::string describeMissingRuntime();

/// The parts that are there, for this compiler. Off: as the MPI's own wrapper.
Parts findParts(const Compiler &C, bool Off);

std::vector<std::string> compose(const Language &L, const Compiler &C, const Parts &P, const Arguments &A);

/// The directory of the module mpi without procedures with choice buffers, if a source defines one of these; else
/// nothing.
std::string ownModules(const Arguments &A, const Parts &P);

/// A Fortran source that uses an MPI module which there is not for flang: the
/// line that says so, else nothing.
std::string findMissingModule(const Arguments &A, const Parts &P);

} // namespace pilgrim

#endif
