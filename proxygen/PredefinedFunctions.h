//===- PredefinedFunctions.h - attribute functions of the library -*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_PREDEFINEDFUNCTIONS_H
#define PILGRIM_PROXYGEN_PREDEFINEDFUNCTIONS_H

#include <optional>
#include <string>
#include <string_view>

namespace pilgrim {

/// C's name of a function that MPI has for attributes, such as MPI_COMM_DUP_FN. Symbol: what the library calls it in C
/// or Fortran. nullopt: it is none of these.
std::optional<std::string> predefinedFunction(std::string_view Symbol);

} // namespace pilgrim

#endif
