//===- Join.h - which functions may reach MPI ---------------------*- C++ -*-===//
#ifndef PILGRIM_CORE_JOIN_H
#define PILGRIM_CORE_JOIN_H

#include "api/Markers.h"

#include <span>

namespace pilgrim {

/// Sets the flags of those functions of all modules that may come to an MPI call: that have one, or call by name one
/// that may. Flags that are set already stay.
void joinModules(std::span<const PilgrimModule *const> Modules);

} // namespace pilgrim

#endif
