//===- Untraced.h - calls of MPI that no tracer sees -------------*- C++ -*-===//
//
// A replay may be traced itself. What it does besides the program's calls must not be in that trace, so it calls the
// functions of the MPI library and not those of a tracer, whose names are the same.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_REPLAY_UNTRACED_H
#define PILGRIM_PROXYGEN_REPLAY_UNTRACED_H

#include <mpi.h>

namespace pilgrim {

/// The function of this name in the last loaded library that has it; Linked if there is none.
void *lastLoaded(const char *Name, void *Linked);

/// untraced<PMPI_Wait>("PMPI_Wait")(...)
template <auto Function> auto untraced(const char *Name) {
  static const auto Found = reinterpret_cast<decltype(Function)>(lastLoaded(Name, reinterpret_cast<void *>(Function)));
  return Found;
}
#define PILGRIM_UNTRACED(Function) (::pilgrim::untraced<&Function>(#Function))

} // namespace pilgrim

#endif
