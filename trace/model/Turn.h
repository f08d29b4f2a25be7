//===- Turn.h - a turn of a thread -------------------------------*- C++ -*-===//
//
// Threads of a rank take turns: a turn is a number of consecutive calls of one thread. Turns stand in the order in
// which they began.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_TURN_H
#define PILGRIM_TRACE_MODEL_TURN_H

#include <cstdint>

namespace pilgrim {

/// What the stream of lengths says of a turn.
struct TurnLength {
  uint64_t Calls = 0; ///< at least 1; calls that were not traced count as the item that they are
  /// When the first of these calls began, all calls of earlier turns were over. Calls of turns that follow each other
  /// without this may have been under way at the same time.
  bool BeginsAlone = false;

  static constexpr int64_t MinWord = 2;
  int64_t word() const { return static_cast<int64_t>(Calls << 1 | (BeginsAlone ? 1 : 0)); }
  /// Word: at least MinWord.
  static TurnLength of(int64_t Word) { return {static_cast<uint64_t>(Word) >> 1, (Word & 1) != 0}; }
};

} // namespace pilgrim

#endif
