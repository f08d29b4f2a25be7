//===- Choice.cpp - which rows of a report are shown ----------------------===//
#include "driver/Choice.h"
#include "driver/Command.h"
#include "driver/Output.h"

#include <algorithm>
#include <fnmatch.h>
#include <set>

namespace pilgrim {

void FunctionChoice::addTo(Command &C) {
  C.add("--function", Globs, "only functions with such a name, as 'MPI_I*'; may be given several times")
      .argument("GLOB")
      .each();
}

bool FunctionChoice::wants(const std::string &Name) const {
  return all() || std::ranges::any_of(
                      Globs, [&](const std::string &Glob) { return fnmatch(Glob.c_str(), Name.c_str(), 0) == 0; });
}

bool FunctionChoice::hasAll(const Trace &T) const {
  return std::ranges::all_of(T.functions(), [&](const auto &F) { return !isCall(F.second) || wants(F.second.Name); });
}

bool FunctionChoice::check(const std::string &File, const Trace &T) const {
  constexpr size_t MostNames = 8;
  for (const std::string &Glob : Globs) {
    bool IsKnown = false;
    std::set<std::string> Names;
    for (const auto &[Id, F] : T.functions())
      if (isCall(F)) {
        IsKnown |= fnmatch(Glob.c_str(), F.Name.c_str(), 0) == 0;
        Names.insert(F.Name);
      }
    if (IsKnown)
      continue;
    std::string Some;
    for (size_t I = 0; const std::string &Name : Names)
      if (++I <= MostNames)
        Some += (I == 1 ? "" : ", ") + printable(Name);
    if (Names.size() > MostNames)
      Some += " and " + std::to_string(Names.size() - MostNames) + " more";
    fail(File, "no function '" + Glob + "'; the trace has " + (Names.empty() ? "none" : Some));
    return false;
  }
  return true;
}

void addRankChoice(Command &C, std::string &Ranks) {
  C.add("--rank", Ranks, "only these ranks: R[-S][,...]").argument("RANKS");
}

void RowChoice::addTo(Command &C, const std::vector<std::string> &Keys) {
  std::string Names;
  for (const std::string &Key : Keys)
    Names += (Names.empty() ? "" : ", ") + Key;
  C.add("--sort", Sort, "the largest first, by: " + Names).oneOf(Keys).argument("KEY");
  const Option Some = C.add("--top", Top, "only so many rows, and the sum of the others").positive().argument("N");
  C.flag("--all", All, "all rows, however many they are").excludes(Some);
}

} // namespace pilgrim
