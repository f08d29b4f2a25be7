//===- Modules.cpp - MPI modules that flang does not have -----------------===//
//
// The modules of an MPI's installation are those of the compiler that it was
// built with; flang says no more of them than that they cannot be parsed. Where
// there are none of our own, this says which is missing and what can be done. A source that defines a procedure of
// MPI's name, to profile it, gets a module mpi without those that programs may define.
//
//===----------------------------------------------------------------------===//
#include "driver/cc/Compose.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <string_view>

namespace pilgrim {

static std::string lower(std::string Text) {
  std::transform(Text.begin(), Text.end(), Text.begin(), [](unsigned char C) { return std::tolower(C); });
  return Text;
}

static bool isFortran(const std::string &Source) {
  return lower(std::filesystem::path(Source).extension()).starts_with(".f");
}

/// The module of an MPI that a line uses, in lower case.
static std::string usedModule(std::string Line) {
  Line = lower(std::move(Line));
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

/// The subroutine that a line begins, in lower case and with its bracket, if it may be one of MPI's: "mpi_send(".
static std::string begunProcedure(std::string Line) {
  Line = lower(std::move(Line));
  constexpr std::string_view Word = "subroutine";
  const size_t At = Line.find_first_not_of(" \t");
  if (At == std::string::npos || Line.compare(At, Word.size(), Word) != 0)
    return "";
  std::string Name;
  for (char C : Line.substr(At + Word.size()))
    if (C != ' ' && C != '\t')
      Name += C;
  const size_t Bracket = Name.find('(');
  return Name.starts_with("mpi_") && Bracket != std::string::npos ? Name.substr(0, Bracket + 1) : "";
}

static std::string readWhole(const std::string &Path) {
  std::ifstream File(Path);
  return {std::istreambuf_iterator<char>(File), {}};
}

std::string ownModules(const Arguments &A, const Parts &P) {
  if (P.Modules.empty())
    return "";
  const std::string Own = P.Modules + "/own";
  std::string Usual, Other;
  for (const std::string &Source : A.Sources) {
    if (!isFortran(Source))
      continue;
    std::ifstream File(Source);
    for (std::string Line; std::getline(File, Line);) {
      const std::string Begun = begunProcedure(Line);
      if (Begun.empty())
        continue;
      if (Usual.empty()) {
        Usual = readWhole(P.Modules + "/mpi.mod");
        Other = readWhole(Own + "/mpi.mod");
      }
      if (!Other.empty() && Usual.contains("subroutine " + Begun) && !Other.contains("subroutine " + Begun))
        return Own;
    }
  }
  return "";
}

std::string findMissingModule(const Arguments &A, const Parts &P) {
  auto IsThere = [&](const std::string &Module) {
    std::error_code E;
    return !P.Modules.empty() && std::filesystem::exists(P.Modules + "/" + Module + ".mod", E);
  };
  if (IsThere("mpi") && IsThere("mpi_f08"))
    return "";
  for (const std::string &Source : A.Sources) {
    if (!isFortran(Source))
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
