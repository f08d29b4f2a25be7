//===- Turns.h - the order between the threads of a process ------*- C++ -*-===//
//
// A turn is a sequence of calls of one thread, between which no other thread's call began. The process has one word:
// the number of the current turn, and the thread that has it. A thread reads the word when a call begins. If another
// thread has the turn, it takes the next one, and notes the turn's number and how many items it has recorded so far.
//
// So no thread waits for another, and nothing is written while one thread goes on alone. The notes of all threads,
// sorted by number, give an order of all calls. It agrees with every order that the program itself enforces.
//
// A thread reads the word when a call ends, too. If the turn is no longer its own, calls of others began meanwhile: it
// notes the number of the last such turn, and takes the turn away, so that the next call of any thread begins a new
// one. So of each turn it is known whether all calls before it were over when it began.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_CORE_TURNS_H
#define PILGRIM_CORE_TURNS_H

#include "trace/model/TraceData.h"

#include <atomic>
#include <span>

namespace pilgrim {

/// The turns that one thread had, as compressed streams of steps.
class TurnNotes {
public:
  /// To is for what does not repeat, as turns that threads take at random. It must outlive this.
  void sealTo(ChunkStore &To) {
    for (IntStream *S : {&Turns, &Items, &Ends})
      S->sealTo(To);
  }
  /// Notes a turn. Item: how many items the thread had recorded when the turn began.
  void note(uint64_t Turn, uint64_t Item);
  /// The last call of the last turn is over, and turns until Last began before that.
  void ended(uint64_t Last) { Overlapped = Last - LastTurn; }
  size_t memory() const { return Turns.memory() + Items.memory() + Ends.memory(); }

  class Cursor {
  public:
    explicit Cursor(const TurnNotes &N);
    Cursor(const Cursor &) = delete;
    /// Goes to the next note; false behind the last.
    bool next();
    uint64_t Turn = 0, Item = 0;
    uint64_t End = 0; ///< the last turn that began before the last call of this one was over

  private:
    uint64_t Left, Overlapped;
    const IntStreamData EndData, TurnData, ItemData;
    IntStreamData::Cursor Ends, Turns, Items;
  };

private:
  IntStream Turns, Items; ///< steps from note to note
  IntStream Ends;         ///< by note: how many turns began before the last call before it was over
  uint64_t Number = 0, LastTurn = 0, LastItem = 0;
  uint64_t Overlapped = 0; ///< as in Ends, of the calls since the last note
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
  /// To be called when a call of Thread has ended. Returns the number of the last turn that began meanwhile; 0 if
  /// Thread has the turn still.
  uint64_t end(uint32_t Thread) {
    uint64_t Seen = Word.load(std::memory_order_acquire);
    return (Seen & Mask) == Thread ? 0 : takeAway(Seen);
  }

  /// The number of the last turn that began.
  uint64_t last() const { return Word.load(std::memory_order_relaxed) >> ThreadBits; }

private:
  static constexpr uint64_t Mask = (uint64_t(1) << ThreadBits) - 1;
  static constexpr uint64_t Nobody = Mask; ///< the thread of a turn that was taken away
  [[gnu::noinline]] uint64_t takeNext(uint64_t Seen, uint32_t Thread);
  [[gnu::noinline]] uint64_t takeAway(uint64_t Seen);
  /// Thread 0 has the first turn, 0. The word has a cache line of its own, because all threads read it all the time.
  alignas(64) std::atomic<uint64_t> Word{0};
};

/// A thread's turns at the end.
struct ThreadTurns {
  uint32_t Thread = 0;
  const TurnNotes *Notes = nullptr;
  uint64_t Items = 0;    ///< how many items the thread recorded
  bool IsInCall = false; ///< its last call is not over
};
/// Writes the turns of Rank's threads to a trace. Threads ascend, and the first one had the first turn. Chunks: as for
/// TurnNotes::sealTo().
void writeTurns(std::span<const ThreadTurns> Threads, TraceData &Out, uint32_t Rank, ChunkStore &Chunks);

} // namespace pilgrim

#endif
