//===- Modules.cpp - MPI modules that flang does not have -----------------===//
//
// The modules of an MPI's installation are those of the compiler that it was
// built with; flang says no more of them than that they cannot be parsed. Where
// there are none of our own, this says which is missing and what can be done.
//
//===----------------------------------------------------------------------===//
#include "driver/cc/Compose.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace pilgrim {

/// The module of an MPI that a line uses, in lower case.
static std::string usedModule(std::string Line) {
  std::transform(Line.begin(), Line.end(), Line.begin(), [](unsigned char C) { return std::tolower(C); });
  size_t At = Line.find_first_not_of(" \t");
  if (At == std::string::npos || Line.compare(At, 3, "use") != 0)
    return "";
  At += 3;
  size_t Name = Line.find_first_not_of(" \t", At);
  if (Name == std::string::npos)
    return "";
  if (size_t Colons = Line.find("::", Name); Colons != std::string::npos && Colons < Line.find(','))
    Name = std::min(Line.find_first_not_of(" \t", Colons + 2), Line.size());
  else if (Name == At)
    return "";
  size_t End = Name;
  while (End < Line.size() && (std::isalnum(static_cast<unsigned char>(Line[End])) || Line[End] == '_'))
    ++End;
  std::string Module = Line.substr(Name, End - Name);
  return Module == "mpi" || Module == "mpi_f08" ? Module : "";
}

std::string findMissingModule(const Arguments &A, const Parts &P) {
  auto IsThere = [&](const std::string &Module) {
    std::error_code E;
    return !P.Modules.empty() && std::filesystem::exists(P.Modules + "/" + Module + ".mod", E);
  };
  if (IsThere("mpi") && IsThere("mpi_f08"))
    return "";
  for (const std::string &Source : A.Sources) {
    std::string Ending = std::filesystem::path(Source).extension();
    std::transform(Ending.begin(), Ending.end(), Ending.begin(), [](unsigned char C) { return std::tolower(C); });
    if (!Ending.starts_with(".f"))
      continue;
    std::ifstream File(Source);
    for (std::string Line; std::getline(File, Line);)
      if (std::string Module = usedModule(Line); !Module.empty() && !IsThere(Module))
        return fmt::format("{}: 'use {}': there is no such module for flang here: use {}, or set PILGRIM_FC to the "
                           "compiler that this MPI was built with for the whole project",
                           Source, Module, IsThere("mpi") ? "the module mpi" : "mpif.h");
  }
  return "";
}

} // namespace pilgrim
