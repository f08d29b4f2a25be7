//===- CompareTotals.h - totals of times, and true times ---------*- C++ -*-===//
//
// Measures hold the durations of all ranks' calls at an event: how many, their sum, the least and the largest with
// the ranks that had them, and perhaps a histogram. No rank can check these alone. So each adds up the true durations
// of its own calls by measure, and counts them at the borders of the histogram's bins; rank 0 adds that up and
// compares.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_VERIFY_COMPARETOTALS_H
#define PILGRIM_VERIFY_COMPARETOTALS_H

#include "trace/read/Reader.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace pilgrim {

/// The durations of one rank's calls, by the measures of a trace.
class TrueTotals {
public:
  /// NanoPerTick: of the clock that took the times of the copies.
  TrueTotals(const Trace &T, double NanoPerTick);
  /// A call of a measure; 0 ticks: it was not timed, and nothing can be said of that measure.
  void add(const Measure *M, uint64_t Ticks);
  /// What the ranks' numbers are added up from: as many words on each rank that has the same trace.
  const std::vector<uint64_t> &words() const { return Words; }
  /// Words: those of all ranks that are in the trace, rank after rank. Ranks: which these are. Returns the first
  /// difference, or nothing.
  std::string compare(std::span<const uint64_t> All, std::span<const uint32_t> Ranks) const;

private:
  /// The words of a measure, from At on. Behind them two for each bin of its histogram: calls that end in it if it ends
  /// at Surely and at Perhaps.
  enum Word : size_t { Untimed, Calls, Sum, Least, Largest, Bins };
  struct Place {
    const Measure *M;
    size_t At;
    std::vector<uint64_t> Surely,
        Perhaps; ///< for each bin where it ends at the earliest and at the latest, nanoseconds
  };
  std::string compare(const Place &P, std::span<const uint64_t> All, std::span<const uint32_t> Ranks) const;

  const Trace &T;
  double NanoPerTick;
  std::vector<Place> Places;
  std::map<const Measure *, size_t> PlaceOf;
  std::vector<uint64_t> Words;
};

} // namespace pilgrim

#endif
