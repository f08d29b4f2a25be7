//===- TimeBlock.h - the times of consecutive calls, decoded ------*- C++ -*-===//
//
// A block holds start and duration of some consecutive calls of a thread. It is decoded by itself, with its model and
// the contexts of its calls, which the structure of a trace says. TimeEncoder writes blocks.
//
//   varint calls, start of the first call; how much earlier the earliest start is, and how much later the latest end is
//   varint limit of the drift
//   blob corrections: a range coder's bytes; number, then the distance from the one before and the steps of each
//   blob raw bits
//   the coder's words, see TimeCodeWriter::finish(): of each call the gap before it, unless it is the first, and its
//   duration
//
// What is coded are true durations and true gaps, each within its bound. So the decoded starts would drift away from
// the true ones, slowly. The writer keeps up with what a reader will decode, and corrects a start that would be off by
// more than the limit.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_TIMES_TIMEBLOCK_H
#define PILGRIM_TRACE_TIMES_TIMEBLOCK_H

#include "trace/base/Bytes.h"
#include "trace/times/TimeBounds.h"
#include "trace/times/TimeModel.h"

#include <cstdint>
#include <span>
#include <vector>

namespace pilgrim {

/// Where a call is in the program, and the path that led to it from the call before. Numbers up to
/// TimeModel::MaxContext, given out densely.
struct CallContext {
  uint32_t Place = 0, Path = 0;
};

struct CallTime {
  uint64_t Start = 0, Duration = 0; ///< in ticks
  bool operator==(const CallTime &) const = default;
};

struct TimeBlockHead {
  uint64_t Calls = 0;
  uint64_t FirstStart = 0;           ///< of the first call, exact
  uint64_t Earliest = 0, Latest = 0; ///< the earliest start and the latest end, as decoded
  uint64_t Drift = 0;                ///< no decoded start is further from the true one
  /// Corrections are multiples of this.
  uint64_t step() const { return Drift < 16 ? 1 : Drift / 8; }
  /// Damage makes the reader fail.
  static TimeBlockHead read(ByteReader &R);
  void write(ByteWriter &W) const;
};

/// Appends the times of the calls whose contexts are given, which are all of the block. Bounds and model are those that
/// the block was written with. False: the block is damaged, or is none of these calls; the reader has failed, and Out
/// is as before. Takes the memory of Out, and as much as a list of the largest numbers of contexts.
bool decodeTimes(ByteReader &R, const TimeModel &Model, const TimeBounds &Bounds, std::span<const CallContext> Contexts,
                 std::vector<CallTime> &Out);

} // namespace pilgrim

#endif
