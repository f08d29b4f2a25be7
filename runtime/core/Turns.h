//===- Turns.h - the order between the threads of a process ------*- C++ -*-===//
//
// A turn is a sequence of calls of one thread, between which no other thread's call began. The process has one word:
// the number of the current turn, and the thread that has it. A thread reads the word when a call begins. If another
// thread has the turn, it takes the next one, and notes the turn's number and how many items it has recorded so far.
//
// So no thread waits for another, and nothing is written while one thread goes on alone. The notes of all threads,
// sorted by number, give an order of all calls. It agrees with every order that the program itself enforces.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_CORE_TURNS_H
#define PILGRIM_CORE_TURNS_H

#include "trace/model/TraceData.h"

#include <atomic>
#include <optional>
#include <span>

namespace pilgrim {

/// The turns that one thread had. They are kept as compressed streams of steps. If threads take turns at random, the
/// streams are larger than the numbers: then they are kept as plain bytes.
class TurnNotes {
public:
  /// Notes a turn. Item: how many items the thread had recorded when the turn began.
  void note(uint64_t Turn, uint64_t Item);
  /// Whether the notes are kept as plain bytes.
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

  IntStream Turns, Items; ///< steps from note to note
  ByteWriter Plain;       ///< the same steps in pairs of varints, if IsPlain
  bool IsPlain = false;
  uint64_t Number = 0, LastTurn = 0, LastItem = 0;
};

/// Which thread's turn it is.
class TurnWord {
public:
  static constexpr unsigned ThreadBits = 20; ///< a trace has no greater threads
  /// To be called when a call of Thread begins. Returns the number of the turn that Thread takes for it; 0 if Thread
  /// has the turn already.
  uint64_t take(uint32_t Thread) {
    uint64_t Seen = Word.load(std::memory_order_relaxed);
    return (Seen & Mask) == Thread ? 0 : takeNext(Seen, Thread);
  }

private:
  static constexpr uint64_t Mask = (uint64_t(1) << ThreadBits) - 1;
  [[gnu::noinline]] uint64_t takeNext(uint64_t Seen, uint32_t Thread);
  /// Thread 0 has the first turn, 0. The word has a cache line of its own, because all threads read it all the time.
  alignas(64) std::atomic<uint64_t> Word{0};
};

/// A thread's turns at the end.
struct ThreadTurns {
  uint32_t Thread = 0;
  const TurnNotes *Notes = nullptr;
  uint64_t Items = 0; ///< how many items the thread recorded
};
/// Writes the turns of Rank's threads to a trace. Threads ascend, and the first one had the first turn.
void writeTurns(std::span<const ThreadTurns> Threads, TraceData &Out, uint32_t Rank);

} // namespace pilgrim

#endif
