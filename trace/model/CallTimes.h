//===- CallTimes.h - when each call was ---------------------------*- C++ -*-===//
//
// Start and duration of every call of a rank's thread (--timing calls), in blocks of consecutive calls that
// trace/times/ encodes. Some blocks make a frame; the longer a run is, the more, so that the directory stays small.
// Frames are chunks: they travel and stand in the file as chunks of sequences do, and nobody looks into them but who
// asks for times. They hold the items of the thread in the order in which these ended, but for those that take no time
// (isFreed() in Schema.h).
//
// Frames and models end with a checksum of their own (withChecksum()), so that damage is noticed by who reads them.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_CALLTIMES_H
#define PILGRIM_TRACE_MODEL_CALLTIMES_H

#include "trace/model/Clocks.h"
#include "trace/model/Measure.h"
#include "trace/sequences/Chunk.h"
#include "trace/times/SeriesBlock.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace pilgrim {

/// Where calls are, and how the program came from one to the next: the contexts of times, by their numbers.
struct TimeContexts {
  struct Place {
    uint32_t Node = 0, Event = 0;
    MeasuredPlace Call;
    auto operator<=>(const Place &) const = default;
  };
  struct Path {
    uint32_t Before = 0; ///< place + 1; 0: the thread's begin
    uint32_t Place = 0;
    auto operator<=>(const Path &) const = default;
  };
  std::vector<Place> Places;
  std::vector<Path> Paths;
  auto operator<=>(const TimeContexts &) const = default;
};

/// By how much times may be off, and how blocks are coded. Of calls of some functions both durations and gaps have
/// bounds of their own.
struct TimeErrors {
  TimeBound Duration, Gap;
  std::map<uint32_t, TimeBound> OfFunction; ///< by id
  TimeCoding Coding{};
  /// The bounds of all contexts.
  TimeBounds bounds() const {
    TimeBounds B(Duration, Gap);
    for (const auto &[Function, Own] : OfFunction)
      B.add(Own, Own);
    return B;
  }
  /// The number that bounds() gave to those of calls of a function.
  unsigned pair(uint32_t Function) const {
    const auto At = OfFunction.find(Function);
    return At == OfFunction.end() ? 0 : static_cast<unsigned>(1 + std::distance(OfFunction.begin(), At));
  }
  auto operator<=>(const TimeErrors &) const = default;
};

/// The numbers that calls of one function, line and depth have as a cluster, wherever the structure has them: in the
/// order of their first place.
class SignatureNumbers {
public:
  uint32_t of(const MeasuredPlace &Call) {
    return NumberOf.try_emplace(Call, static_cast<uint32_t>(NumberOf.size())).first->second;
  }

private:
  std::map<MeasuredPlace, uint32_t> NumberOf;
};

/// Its bytes are blocks, each behind the index of its model, which is among CallTimes::Models.
struct TimesFrame {
  Chunk Bytes;                       ///< as many elements as there are items
  uint64_t Earliest = 0, Latest = 0; ///< the earliest start and the latest end, in ticks, as decoded
  uint64_t TotalDuration = 0;        ///< the sum of the true ones
};

/// Bytes with their checksum behind them.
std::vector<uint8_t> withChecksum(ByteWriter Bytes);
/// The same without the checksum; none if it does not fit.
std::optional<std::vector<uint8_t>> withoutChecksum(const Chunk &C);

/// Of one rank's thread.
struct CallTimes {
  uint32_t Rank = 0;
  double NanoPerTick = 0;                   ///< of the unit of the frames
  uint64_t Origin = 0;                      ///< when the rank's trace began, in ticks
  uint64_t Clock = 0;                       ///< equal on ranks whose ticks are those of one clock; 0: not known
  std::shared_ptr<const TimeErrors> Errors; ///< ranks may take a tick to be of another length
  std::shared_ptr<const TimeContexts> Contexts;
  std::vector<Chunk> Models;
  std::vector<TimesFrame> Frames;
  TimeBase Base; ///< for readers; see Clocks.h
  /// Since the trace began.
  double seconds(uint64_t Ticks) const { return Base.seconds(Ticks); }
  double length(uint64_t Ticks) const { return static_cast<double>(Ticks) * Base.NanoPerTick / 1e9; }
};

} // namespace pilgrim

#endif
