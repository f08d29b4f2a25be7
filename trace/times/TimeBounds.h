//===- TimeBounds.h - which bound holds in which context ----------*- C++ -*-===//
#ifndef PILGRIM_TRACE_TIMES_TIMEBOUNDS_H
#define PILGRIM_TRACE_TIMES_TIMEBOUNDS_H

#include "trace/times/TimeBins.h"

#include <cstdint>
#include <span>
#include <vector>

namespace pilgrim {

enum class TimeKind : uint8_t { Duration, Gap };

/// The bounds of durations by place, and of gaps by path. What writes and what reads a trace have to be given the same.
class TimeBounds {
public:
  static constexpr unsigned MaxPairs = 128;
  /// For all contexts but those that are assigned another pair.
  explicit TimeBounds(TimeBound Duration = {}, TimeBound Gap = {}) { add(Duration, Gap); }
  /// A further pair; its number, from 1 on. At most MaxPairs: further ones are the last one.
  unsigned add(TimeBound Duration, TimeBound Gap) {
    if (Bins.size() < size_t(2) * MaxPairs) {
      Bins.emplace_back(Duration);
      Bins.emplace_back(Gap);
    }
    return static_cast<unsigned>(Bins.size() / 2 - 1);
  }
  /// Durations in the place Context, or gaps of the path Context, have the pair's bound.
  void assign(TimeKind Kind, uint32_t Context, unsigned Pair) {
    std::vector<uint8_t> &Of = PairOf[static_cast<unsigned>(Kind)];
    if (Of.size() <= Context)
      Of.resize(size_t(Context) + 1);
    Of[Context] = static_cast<uint8_t>(Pair);
  }

  unsigned numPairs() const { return static_cast<unsigned>(Bins.size() / 2); }
  unsigned pair(TimeKind Kind, uint32_t Context) const {
    const std::vector<uint8_t> &Of = PairOf[static_cast<unsigned>(Kind)];
    return Context < Of.size() ? Of[Context] : 0;
  }
  const TimeBins &bins(TimeKind Kind, uint32_t Context) const {
    return Bins[2 * pair(Kind, Context) + static_cast<unsigned>(Kind)];
  }
  /// Of all pairs.
  std::span<const TimeBins> all() const { return Bins; }

private:
  std::vector<TimeBins> Bins; ///< of durations and gaps in turn
  std::vector<uint8_t> PairOf[2];
};

} // namespace pilgrim

#endif
