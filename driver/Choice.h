//===- Choice.h - which rows of a report are shown ---------------*- C++ -*-===//
//
// The options that reports have in common: of which ranks and functions, in what order, and how much of it. A report
// that was not told otherwise shows at most MostRows rows, and sums up the rest.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_CHOICE_H
#define PILGRIM_DRIVER_CHOICE_H

#include "driver/CommandLine.h"
#include "trace/read/Reader.h"

namespace pilgrim {

/// --function, which may be given several times.
class FunctionChoice {
public:
  void addTo(Command &C);
  bool all() const { return Globs.empty(); }
  bool wants(const std::string &Name) const;
  /// Whether it wants all functions of the trace.
  bool hasAll(const Trace &T) const;
  /// Whether the trace has a function for each of the names; false: an error was printed.
  bool check(const std::string &File, const Trace &T) const;

private:
  std::vector<std::string> Globs;
};

/// --rank: chooseRanks of Input.h says which ones.
void addRankChoice(Command &C, std::string &Ranks);

/// --sort, --top, --all.
struct RowChoice {
  static constexpr size_t MostRows = 64;
  std::string Sort; ///< empty: as the report is without it
  size_t Top = 0;   ///< 0: not given
  bool All = false;

  /// Keys: what rows may be sorted by.
  void addTo(Command &C, const std::vector<std::string> &Keys);
  size_t rows() const { return All ? SIZE_MAX : Top ? Top : MostRows; }
};

} // namespace pilgrim

#endif
