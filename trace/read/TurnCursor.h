//===- TurnCursor.h - the turns of a rank's threads --------------*- C++ -*-===//
#ifndef PILGRIM_TRACE_READ_TURNCURSOR_H
#define PILGRIM_TRACE_READ_TURNCURSOR_H

#include "trace/model/TraceData.h"
#include "trace/model/Turn.h"

#include <optional>

namespace pilgrim {

/// Goes through the turns of one rank. Thread and Length are those of the turn that next() went to.
class TurnCursor {
public:
  /// The trace must live as long as the cursor.
  TurnCursor(const TraceData &T, uint32_t Rank);
  /// False behind the last turn; at once, if the trace has no turns of the rank. Also if a turn has no length: then
  /// isDamaged().
  bool next();
  bool hasTurns() const { return Threads.has_value(); }
  bool isDamaged() const { return Damaged; }

  uint32_t Thread = 0;
  TurnLength Length;

private:
  std::optional<IntStreamData::Cursor> Threads, Lengths;
  bool Damaged = false;
};

} // namespace pilgrim

#endif
