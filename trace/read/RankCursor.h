//===- RankCursor.h - the calls of all threads of a rank ---------*- C++ -*-===//
//
// In the order in which they began, as far as the trace tells: thread by thread, in turns. A turn is a number of calls
// of one thread that follow each other. What no turn has (all, in a rank with one thread) stands behind, thread by
// thread.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_RANKCURSOR_H
#define PILGRIM_TRACE_READ_RANKCURSOR_H

#include "trace/read/Reader.h"

namespace pilgrim {

/// Which calls need not be given: those with smaller numbers, or that end earlier (seconds since the thread's first
/// call).
struct CallsFrom {
  uint64_t Seq = 0;
  double Time = 0;
};

class RankCursor {
public:
  /// Wanted: of these threads alone, of those that the rank has. Some calls before From may be given still: all of
  /// them, where the order of several threads has to be followed.
  RankCursor(const Trace &T, uint32_t Rank, std::span<const uint32_t> Wanted, CallsFrom From = {});
  /// False at the end, or where the trace turned out to be damaged: then error() says how. C.View says which thread it
  /// is; its slots are valid until the next call of next().
  bool next(Call &C);
  const std::string &error() const { return Error; }

private:
  bool nextTurn();
  bool bad(const char *What);

  Trace T; // which the streams belong to
  struct ThreadCalls {
    CallCursor Calls;
    bool IsWanted;
  };
  std::vector<ThreadCalls> Threads;
  std::optional<IntStreamData::Cursor> Turns, Lengths;
  size_t At = 0;     ///< whose turn it is, of Threads
  uint64_t Left = 0; ///< calls of this turn
  std::string Error;
};

} // namespace pilgrim

#endif
