//===- Turns.h - the order between the threads of a process ------*- C++ -*-===//
//
// A turn is a number of calls of one thread between which no other thread's call began. The process has one word: the
// number of the turn, and whose it is. A thread looks at it when a call begins and, if the turn is another's, takes the
// next one and notes down its number and how many items it has recorded so far. So no thread waits for another, nothing
// is written while one goes on alone, and whoever reads notes in the order of their numbers has an order in which what
// the program put in order is in order.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_CORE_TURNS_H
#define PILGRIM_CORE_TURNS_H

#include "trace/model/TraceData.h"

#include <atomic>
#include <optional>
#include <span>

namespace pilgrim {

/// The turns that one thread had, kept compressed: as streams of steps, or, if these say less than they take (where
/// threads take turns at random), as plain bytes.
class TurnNotes {
public:
  /// Item: how many items the thread had when the turn began.
  void note(uint64_t Turn, uint64_t Item);
  /// Whether they are written as plain bytes.
  bool isPlain() const { return IsPlain; }
  size_t memory() const { return Turns.memory() + Items.memory() + Plain.Data.capacity(); }

  class Cursor {
  public:
    explicit Cursor(const TurnNotes &N);
    Cursor(const Cursor &) = delete;
    /// Goes to the next note; false behind the last.
    bool next();
    uint64_t Turn = 0, Item = 0;

  private:
    uint64_t Left;
    bool IsPlain;
    IntStreamData TurnData, ItemData;
    std::optional<IntStreamData::Cursor> Turns, Items;
    ByteReader Plain;
  };

private:
  void becomePlain();

  IntStream Turns, Items; ///< steps
  ByteWriter Plain;       ///< then these, in pairs
  bool IsPlain = false;
  uint64_t Number = 0, LastTurn = 0, LastItem = 0;
};

/// Whose turn it is.
class TurnWord {
public:
  static constexpr unsigned ThreadBits = 20; ///< a trace has no greater threads
  /// The number of the turn in which a call of Thread that begins now is; 0 if the turn is its own already.
  uint64_t take(uint32_t Thread) {
    uint64_t Seen = Word.load(std::memory_order_relaxed);
    return (Seen & Mask) == Thread ? 0 : takeNext(Seen, Thread);
  }

private:
  static constexpr uint64_t Mask = (uint64_t(1) << ThreadBits) - 1;
  [[gnu::noinline]] uint64_t takeNext(uint64_t Seen, uint32_t Thread);
  /// The first turn, 0, is thread 0's. In a cache line of its own: all threads read it all the time.
  alignas(64) std::atomic<uint64_t> Word{0};
};

/// What a thread did in its turns.
struct ThreadTurns {
  uint32_t Thread = 0;
  const TurnNotes *Notes = nullptr;
  uint64_t Items = 0; ///< in the end
};
/// Writes the turns of Rank's threads, ascending, of which the first had the first one.
void writeTurns(std::span<const ThreadTurns> Threads, TraceData &Out, uint32_t Rank);

} // namespace pilgrim

#endif
