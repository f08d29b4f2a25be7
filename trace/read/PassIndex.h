//===- PassIndex.h - items of an event, by passes ----------------*- C++ -*-===//
//
// The number of items at each pass of a visit over an event changes now and then; EventData describes how it is stored.
// This class gives the total number of items of the first passes. It goes through all changes once. After that, an
// answer takes at most a few thousand steps, for 2^24 changes.
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

  /// PassesToChange, UsualItems: as in EventData, for one rank; they must outlive the index. Null: every pass has the
  /// usual number of items.
  PassIndex(const IntStreamData *PassesToChange, const IntStreamData *UsualItems, uint64_t Usual);

  /// The state after a number of passes.
  struct State {
    uint64_t Passes = 0, Items = 0; ///< so far
    uint64_t Usual = 0;             ///< items of a pass
    uint64_t UntilChange = Never;   ///< passes until that number changes
    /// Cursors at the following changes, and at the numbers that they set.
    std::optional<IntStreamData::Cursor> PassesToChange, UsualItems;
  };
  State behind(uint64_t Passes) const;
  uint64_t itemsBefore(uint64_t Passes) const { return behind(Passes).Items; }

private:
  static bool change(State &S);
  static constexpr size_t MaxMarks = 4096;
  std::vector<State> Marks; ///< states right before a pass with a new number of items, ascending
};

} // namespace pilgrim

#endif
