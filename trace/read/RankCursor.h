//===- RankCursor.h - the calls of all threads of a rank ---------*- C++ -*-===//
//
// Calls come in the order in which they began, as far as the trace tells it. Threads take turns. A turn is a number of
// consecutive calls of one thread. Calls outside all turns (all calls, in a rank with one thread) come last, thread by
// thread.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_RANKCURSOR_H
#define PILGRIM_TRACE_READ_RANKCURSOR_H

#include "trace/read/Reader.h"
#include "trace/read/TurnCursor.h"

namespace pilgrim {

/// Where to begin. Calls with a smaller Seq, or that end before Time (seconds since the thread's first call), may be
/// skipped.
struct CallsFrom {
  uint64_t Seq = 0;
  double Time = 0;
};

class RankCursor {
public:
  /// Wanted: only these threads, if the rank has them. Some calls before From may still be given; all of them, where
  /// the order of several threads has to be followed.
  RankCursor(const Trace &T, uint32_t Rank, std::span<const uint32_t> Wanted, CallsFrom From = {});
  /// False at the end, or if the trace is damaged; error() then describes the damage. C.View tells the thread. C's
  /// slots are valid until the next call of next().
  bool next(Call &C);
  const std::string &error() const { return Error; }

private:
  bool nextTurn();
  bool bad(const char *What);

  Trace T; // owns the streams
  struct ThreadCalls {
    CallCursor Calls;
    bool IsWanted;
  };
  std::vector<ThreadCalls> Threads;
  std::optional<TurnCursor> Turns;
  size_t At = 0;     ///< index into Threads: whose turn it is
  uint64_t Left = 0; ///< calls left in this turn
  std::string Error;
};

} // namespace pilgrim

#endif
