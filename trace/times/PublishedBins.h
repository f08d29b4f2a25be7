//===- PublishedBins.h - the bins that Pilgrim published ----------*- C++ -*-===//
//
// A time d becomes the least k with (1 + e)^k at or above d, and is read as (1 + e)^k: off by at most e, and always too
// long. Here powers are made of whole ticks, so that each bin ends at a number that all its times may become.
// (TimeBins.h has bins that are twice as wide under the same bound.) An absolute bound a has multiples of 2a + 1.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_TIMES_PUBLISHEDBINS_H
#define PILGRIM_TRACE_TIMES_PUBLISHEDBINS_H

#include "trace/times/TimeBounds.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pilgrim {

class PublishedBins {
public:
  /// Smaller relative bounds are taken as this one: 0.1%.
  static constexpr uint32_t LeastRelative = 1000;

  explicit PublishedBins(TimeBound Bound) {
    if (!Bound.Relative) {
      Step = 2 * static_cast<int64_t>(Bound.Absolute) + 1;
      return;
    }
    const uint64_t E = std::max(Bound.Relative, LeastRelative);
    Last.push_back(0);
    while (Last.back() != INT64_MAX) {
      const auto First = static_cast<unsigned __int128>(Last.back()) + 1;
      const unsigned __int128 End = First * (1'000'000 + E) / 1'000'000;
      Last.push_back(End > INT64_MAX ? INT64_MAX : static_cast<int64_t>(End));
    }
  }

  /// Negative times have the symbol of their size, negated.
  int64_t symbol(int64_t Time) const { return Time < 0 ? -symbolOf(size(Time)) : symbolOf(Time); }
  bool isSymbol(int64_t Symbol) const {
    const int64_t S = size(Symbol);
    return Last.empty() ? S <= INT64_MAX / Step : S < static_cast<int64_t>(Last.size());
  }
  /// Symbol: isSymbol().
  int64_t time(int64_t Symbol) const {
    if (Last.empty())
      return Symbol * Step;
    const int64_t T = Last[static_cast<size_t>(size(Symbol))];
    return Symbol < 0 ? -T : T;
  }

  /// Those of all pairs and kinds, as TimeBounds has them.
  static std::vector<PublishedBins> of(const TimeBounds &Bounds) {
    std::vector<PublishedBins> Out;
    for (const TimeBins &B : Bounds.all())
      Out.emplace_back(B.bound());
    return Out;
  }

private:
  static int64_t size(int64_t Time) { return Time == INT64_MIN ? INT64_MAX : Time < 0 ? -Time : Time; }
  int64_t symbolOf(int64_t Time) const {
    if (Last.empty())
      return Time > INT64_MAX - Step / 2 ? Time / Step : (Time + Step / 2) / Step;
    return std::lower_bound(Last.begin(), Last.end(), Time) - Last.begin();
  }

  int64_t Step = 1;          ///< of absolute bounds
  std::vector<int64_t> Last; ///< of relative ones: the largest time of each bin
};

} // namespace pilgrim

#endif
