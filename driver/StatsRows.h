//===- StatsRows.h - calls, bytes and time summed up -------------*- C++ -*-===//
//
// What pilgrim stats tells, from a walk over the trace: its time grows with the trace's bytes. Only where counts, roots
// or destinations differ from call to call without any order, and for a range of time, are the calls themselves gone
// through.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_STATSROWS_H
#define PILGRIM_DRIVER_STATSROWS_H

#include "driver/Choice.h"
#include "driver/SiteText.h"
#include "trace/model/Measure.h"

#include <limits>

namespace pilgrim {

/// Sums of some calls; they stay at the limit.
struct StatsRow {
  std::string Function;             ///< as far as rows are by it
  SiteText Site;                    ///< likewise
  uint32_t FirstRank = 0, Rank = 0; ///< likewise: the ranks from the one to the other together
  uint64_t Calls = 0, Sent = 0, Received = 0;
  uint64_t Untraced = 0;    ///< calls made while tracing was off
  MeasuredPart Time;        ///< what the calls took, nanoseconds
  uint64_t NotReturned = 0; ///< of Calls: they take no time
  Spread Durations;         ///< of those calls of which this is known: all or none of a measure's

  /// Whether any of the calls has taken a time that is known.
  bool isTimeKnown() const { return !Calls || NotReturned < Calls; }
  double seconds() const { return static_cast<double>(Time.Sum) / 1e9; }
  void add(const StatsRow &Other);
};

struct StatsQuery {
  enum class By { Function, Site, Rank };
  By What = By::Function;
  RankSet Ranks;
  FunctionChoice Functions;
  /// Seconds, as Call::Start counts them. Not everything: only calls under way between these times, and of their
  /// times the part in between. The calls' own times must be in the trace.
  double From = 0, To = std::numeric_limits<double>::infinity();
};

struct StatsTable {
  /// By function and site: the longest first, without times those with the most calls. By rank: neighbours with equal
  /// sums are one row, in which the numbers are those of each of them.
  std::vector<StatsRow> Rows;
  StatsRow All; ///< its time: that of calls which are not inside of others
  bool IsTimed = false;
  bool HasHistograms = false;
  std::string Error; ///< why this is no answer; empty: it is one
};

StatsTable sumUp(const Walk &W, const StatsQuery &Q);
/// The same of a range of time: goes through the calls in it.
StatsTable sumUpRange(const Trace &T, const StatsQuery &Q);

} // namespace pilgrim

#endif
