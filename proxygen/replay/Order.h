//===- Order.h - the order in which threads begin their calls ----*- C++ -*-===//
//
// A trace says in which order the calls of a rank's threads began. A thread of the replay begins a call when all calls
// before it have begun.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_REPLAY_ORDER_H
#define PILGRIM_PROXYGEN_REPLAY_ORDER_H

#include "trace/read/Reader.h"

#include <condition_variable>
#include <mutex>

namespace pilgrim {

class Order {
public:
  Order(const Trace &T, uint32_t Rank);
  /// Waits until the thread may begin its next call. Other threads wait until begun(), or until this thread begins
  /// another call.
  void begin(uint32_t Thread);
  void begun();
  /// The thread makes no more calls.
  void ended(uint32_t Thread);

private:
  void nextTurn();

  Trace T; // owns the streams
  std::optional<IntStreamData::Cursor> Turns, Lengths;
  std::mutex Lock;
  std::condition_variable Changed;
  uint32_t At = 0;   ///< whose turn it is
  uint64_t Left = 0; ///< calls left in it
  std::vector<uint32_t> Gone;
  std::unique_lock<std::mutex> Held; ///< between begin() and begun()
};

} // namespace pilgrim

#endif
