//===- DiffCalls.h - the calls that diff compares ----------------*- C++ -*-===//
//
// What two traces have to agree in: the calls of a rank and thread, without what only some ways to link a program show.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_DIFFCALLS_H
#define PILGRIM_DRIVER_DIFFCALLS_H

#include "driver/CallCompare.h"

#include <optional>

namespace pilgrim {

class DiffCalls {
public:
  explicit DiffCalls(std::shared_ptr<const RankView> View) : In(Trace::calls(std::move(View))) {}

  /// OnSkipped: gets calls that are not compared.
  template <typename Fn> bool next(Call &C, Fn &&OnSkipped) {
    Before = In.items();
    while (In.next(C)) {
      ++Given;
      if (CallCompare::isCompared(C))
        return true;
      OnSkipped(C);
    }
    return false;
  }
  bool next(Call &C) {
    return next(C, [](const Call &) {});
  }
  const std::string &error() const { return In.error(); }
  const CallCursor &cursor() const { return In; }
  /// Items that had been read before the last next().
  uint64_t itemsBefore() const { return Before; }
  /// Whether calls of callbacks have been read that were not given yet.
  bool hasReadAhead() const { return In.items() != Given; }

private:
  CallCursor In;
  uint64_t Before = 0, Given = 0;
};

/// What two sides of a difference are.
struct DiffInput {
  std::string File;
  Trace T;
};

/// The first difference of each rank and thread, with both calls; one after the other. Returns the exit code.
int diffByRank(const DiffInput &A, const DiffInput &B);
/// One line for all ranks whose first difference is alike. Returns the exit code.
int diffByGroup(const DiffInput &A, const DiffInput &B);

} // namespace pilgrim

#endif
