//===- PassIndex.h - items of an event, by passes ----------------*- C++ -*-===//
//
// How many items an event has at each pass of a visit over it is a number that changes now and then: EventData says how
// that is stored. This class tells how many items the first passes have together. It goes through all changes once;
// then an answer takes a few thousand steps at most, of 2^24 changes.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_PASSINDEX_H
#define PILGRIM_TRACE_READ_PASSINDEX_H

#include "trace/sequences/IntStream.h"

#include <optional>

namespace pilgrim {

class PassIndex {
public:
  static constexpr uint64_t Never = UINT64_MAX;

  /// Passes, Counts: as EventData has them, of one rank; they must outlive the index. Null: the usual number always.
  PassIndex(const IntStreamData *Passes, const IntStreamData *Counts, uint64_t Usual);

  /// What is known behind so many passes.
  struct State {
    uint64_t Passes = 0, Items = 0; ///< so far
    uint64_t Usual = 0;             ///< items of a pass
    uint64_t UntilChange = Never;   ///< passes until that number changes
    /// Of what follows: changes, and numbers after them.
    std::optional<IntStreamData::Cursor> Changes, Counts;
  };
  State behind(uint64_t Passes) const;
  uint64_t itemsBefore(uint64_t Passes) const { return behind(Passes).Items; }

private:
  static bool change(State &S);
  static constexpr size_t MaxMarks = 4096;
  std::vector<State> Marks; ///< states right before a pass of a new number, ascending
};

} // namespace pilgrim

#endif
