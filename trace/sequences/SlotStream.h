//===- SlotStream.h - the values of a slot, call by call ---------*- C++ -*-===//
//
// Stored as an integer stream of the values, or of the steps from each value to the next, whichever is shorter. Steps
// are shorter when loops go through a file in several dimensions, or when several counters take turns: the values are
// always new, but the steps repeat.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_SLOTSTREAM_H
#define PILGRIM_TRACE_SEQUENCES_SLOTSTREAM_H

#include "trace/base/Wrap.h"
#include "trace/sequences/IntStream.h"

namespace pilgrim {

class SlotStream {
public:
  /// As IntStream::sealTo().
  void sealTo(ChunkStore &To) {
    Store = &To;
    Values.sealTo(To);
  }
  void append(int64_t V) {
    const bool IsReviewed = HasValues && Values.append(V);
    if (HasSteps) {
      Steps.append(wrappedDifference(V, Last));
      Last = V;
    }
    if (++Length == NextReview || IsReviewed)
      review();
  }
  /// Keeps only values. Sums over a stream of values can be computed without expanding it.
  void dropSteps() {
    HasSteps = false;
    Steps = {};
  }
  IntStreamData data();
  size_t memory() const { return Values.memory() + Steps.memory(); }

private:
  void review();

  IntStream Values, Steps; ///< only values are sealed while there are both
  ChunkStore *Store = nullptr;
  bool HasValues = true, HasSteps = true; // at least one is true
  int64_t Last = 0;
  uint64_t Length = 0, NextReview = 512;
};

} // namespace pilgrim

#endif
