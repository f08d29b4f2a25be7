//===- Join.h - which functions may reach MPI ---------------------*- C++ -*-===//
#ifndef PILGRIM_CORE_JOIN_H
#define PILGRIM_CORE_JOIN_H

#include "api/Markers.h"

#include <span>

namespace pilgrim {

/// Sets the flags of all functions that may reach an MPI call: those that have one, and those that call by name a
/// function that may. Flags that are set already stay set.
void joinModules(std::span<const PilgrimModule *const> Modules);

} // namespace pilgrim

#endif
