//===- PredefinedFunctions.cpp - attribute functions of the library -------===//
#include "proxygen/PredefinedFunctions.h"

#include <algorithm>
#include <cctype>

namespace pilgrim {

std::optional<std::string> predefinedFunction(std::string_view Symbol) {
  if (constexpr std::string_view OpenMpis = "OMPI_C_"; Symbol.starts_with(OpenMpis))
    return std::string(Symbol.substr(OpenMpis.size()));
  if (Symbol == "MPIR_Dup_fn" || Symbol == "MPII_Dup_fn")
    return "MPI_COMM_DUP_FN";
  // Fortran's have lower case, and underscores behind.
  while (Symbol.ends_with('_'))
    Symbol.remove_suffix(1);
  std::string Name(Symbol);
  std::ranges::transform(Name, Name.begin(), [](unsigned char C) { return static_cast<char>(std::toupper(C)); });
  if (Name.starts_with("PMPI_"))
    Name.erase(0, 1);
  for (std::string_view What : {"DUP_FN", "NULL_COPY_FN", "NULL_DELETE_FN"})
    for (std::string_view Of : {"", "COMM_", "TYPE_", "WIN_"}) // those of MPI-1 are for communicators
      if (Name == "MPI_" + std::string(Of) + std::string(What))
        return "MPI_" + std::string(Of.empty() ? "COMM_" : Of) + std::string(What);
  return std::nullopt;
}

} // namespace pilgrim
