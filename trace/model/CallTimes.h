//===- CallTimes.h - when each call was ---------------------------*- C++ -*-===//
//
// Start and duration of every call of a rank's thread (--timing calls), in blocks of consecutive calls that
// trace/times/ encodes. Blocks are chunks: they travel and stand in the file as chunks of sequences do, and nobody
// looks into them but who asks for times. They hold the items of the thread in the order in which these ended, but for
// those that take no time (isFreed() in Schema.h).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_CALLTIMES_H
#define PILGRIM_TRACE_MODEL_CALLTIMES_H

#include "trace/model/Measure.h"
#include "trace/sequences/Chunk.h"
#include "trace/times/TimeBlock.h"

#include <map>
#include <memory>
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

/// By how much times may be off. Of calls of some functions both durations and gaps have bounds of their own.
struct TimeErrors {
  TimeBound Duration, Gap;
  std::map<uint32_t, TimeBound> OfFunction; ///< by id
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

struct TimesBlock {
  Chunk Bytes;
  uint32_t Model = 0; ///< index into CallTimes::Models
  TimeBlockHead Head; ///< as the block has it
  uint64_t TotalDuration = 0;
};

/// Of one rank's thread.
struct CallTimes {
  uint32_t Rank = 0;
  double NanoPerTick = 0;                   ///< of the unit of the blocks
  uint64_t Origin = 0;                      ///< when the rank's trace began, in ticks
  std::shared_ptr<const TimeErrors> Errors; ///< ranks may take a tick to be of another length
  std::shared_ptr<const TimeContexts> Contexts;
  std::vector<Chunk> Models;
  std::vector<TimesBlock> Blocks;
  /// Since the rank's trace began; before that is none.
  double seconds(uint64_t Ticks) const {
    return static_cast<double>(static_cast<int64_t>(Ticks - Origin)) * NanoPerTick / 1e9;
  }
};

} // namespace pilgrim

#endif
