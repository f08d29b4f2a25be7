//===- CompareTotals.h - totals of times, and true times ---------*- C++ -*-===//
//
// Measures hold the durations of all ranks' calls at an event, and the gaps before them by what was before: how many,
// their sum and deviation, the least and the largest with the ranks that had them, and perhaps a histogram. No rank can
// check these alone. So each adds up the true times of its own calls by measure, and counts them at the borders of the
// histogram's bins; rank 0 adds that up and compares. The ranks' own sums at a place of the program follow from the
// same.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_VERIFY_COMPARETOTALS_H
#define PILGRIM_VERIFY_COMPARETOTALS_H

#include "trace/read/Reader.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pilgrim {

/// The times of one rank's calls, by the measures of a trace.
class TrueTotals {
public:
  /// NanoPerTick: of the clock that took the times of the copies.
  TrueTotals(const Trace &T, double NanoPerTick);
  /// A call of a measure took so long; 0 ticks: it was not timed, and nothing can be said of that measure.
  void add(const Measure *M, uint64_t Ticks);
  /// So many ticks were between a call of M and the one of After before it. Nullopt, or no call before it: that is not
  /// known, and nothing can be said of such gaps.
  void addGap(const Measure *M, const Measure *After, std::optional<uint64_t> Ticks);
  /// What the ranks' numbers are added up from: as many words on each rank that has the same trace.
  const std::vector<uint64_t> &words() const { return Words; }
  /// Words: those of all ranks that are in the trace, rank after rank. Ranks: which these are. Returns the first
  /// difference, or nothing.
  std::string compare(std::span<const uint64_t> All, std::span<const uint32_t> Ranks) const;

private:
  /// The words of a spread, from At on. Squares: the bits of a double. Behind them two for each bin of its histogram:
  /// times that end in it if it ends at Surely and at Perhaps.
  enum Word : size_t { Unknown, Count, Sum, Squares, Least, Largest, Bins };
  struct Part {
    const char *What;
    Spread Is;
    bool IsOfPaths; ///< added up from several spreads
    size_t At;
    std::vector<uint64_t> Surely,
        Perhaps; ///< for each bin where it ends at the earliest and at the latest, nanoseconds
  };
  /// Where a measure stands in the trace.
  struct Home {
    uint32_t Group, Node, Event, Which;
    size_t Parts; ///< durations, all gaps, and then the gaps by path
  };
  void addPart(const char *What, Spread Is);
  void count(const Part &P, uint64_t Ticks);
  std::string compare(const Part &P, std::span<const uint64_t> All, std::span<const uint32_t> Ranks) const;
  std::string compareRankSums(std::span<const uint64_t> All, std::span<const uint32_t> Ranks) const;
  static bool hasOthers(const Measure &M);

  const Trace &T;
  double NanoPerTick;
  std::vector<Part> Parts;
  std::map<const Measure *, Home> Homes;
  std::vector<uint64_t> Words;
};

} // namespace pilgrim

#endif
