//===- Clocks.h - clocks of several machines ----------------------*- C++ -*-===//
//
// Each rank counts ticks of its machine's clock. Clocks of different machines show different times, and do not run
// equally fast. So they are compared when the run begins and when it ends, as CompareClocks.h says, and readers make
// one time of all: that of the clock of the first rank.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_CLOCKS_H
#define PILGRIM_TRACE_MODEL_CLOCKS_H

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

namespace pilgrim {

/// Two clocks at one time: one showed Own when the other one showed Reference, or at most Radius of its ticks before or
/// after that.
struct ClockPoint {
  uint64_t Own = 0, Reference = 0, Radius = 0;
  auto operator<=>(const ClockPoint &) const = default;
};

/// How a clock was compared with another one: once, or when the run began and when it ended.
struct ComparedClock {
  uint64_t Reference = 0;         ///< which clock that was
  std::vector<ClockPoint> Points; ///< ascending in both clocks, at least one
  auto operator<=>(const ComparedClock &) const = default;
};
/// By clock. None is compared with itself, directly or by way of others.
using ComparedClocks = std::map<uint64_t, ComparedClock>;

/// Whether that is so, and all points ascend.
bool areSound(const ComparedClocks &Clocks);

/// What ticks of a clock mean for readers.
struct TimeBase {
  uint64_t Origin = 0;
  double NanoPerTick = 0, Begin = 0; ///< Begin: seconds at Origin
  double Radius = 0;                 ///< by how much seconds may be off, where clocks were compared
  uint64_t Root = 0;                 ///< clocks of one root were compared; 0: those of the rank alone
  double seconds(uint64_t Ticks) const {
    return Begin + static_cast<double>(static_cast<int64_t>(Ticks - Origin)) * NanoPerTick / 1e9;
  }
};

struct TraceData;
/// Finds the bases of all ranks' times. They count from where the first rank began of those whose clocks are one, or
/// were compared; a rank whose clock is not known counts from where it began itself. What clocks were compared with is
/// the truth: a clock that was compared twice has ticks of the length that follows, and one that was compared once, of
/// the length that its first rank took them to have.
void findTimeBases(TraceData &T);

} // namespace pilgrim

#endif
