//===- Choice.cpp - which rows of a report are shown ----------------------===//
#include "driver/Choice.h"

#include <algorithm>
#include <fnmatch.h>

namespace pilgrim {

void FunctionChoice::addTo(CLI::App &C) {
  C.add_option("--function", Globs, "only functions with such a name, as 'MPI_I*'; may be given several times")
      ->type_name("GLOB")
      ->expected(1)
      ->take_all();
}

bool FunctionChoice::wants(const std::string &Name) const {
  return all() || std::ranges::any_of(
                      Globs, [&](const std::string &Glob) { return fnmatch(Glob.c_str(), Name.c_str(), 0) == 0; });
}

void addRankChoice(CLI::App &C, std::string &Ranks) {
  C.add_option("--rank", Ranks, "only these ranks: R[-S][,...]")->type_name("RANKS");
}

void RowChoice::addTo(CLI::App &C, const std::vector<std::string> &Keys) {
  std::string Names;
  for (const std::string &Key : Keys)
    Names += (Names.empty() ? "" : ", ") + Key;
  C.add_option("--sort", Sort, "the largest first, by: " + Names)->check(CLI::IsMember(Keys))->type_name("KEY");
  auto *Some = C.add_option("--top", Top, "only so many rows, and the sum of the others")
                   ->check(CLI::PositiveNumber)
                   ->type_name("N");
  C.add_flag("--all", All, "all rows, however many they are")->excludes(Some);
}

} // namespace pilgrim
