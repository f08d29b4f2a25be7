//===- Order.h - the order in which threads begin their calls ----*- C++ -*-===//
//
// A trace says in which order the calls of a rank's threads began. A thread of the replay begins a call when all calls
// before it have begun; where they were over in the recorded run, when they are over. A tracer may number threads by
// their first calls, so these get some time to begin one after the other.
//
// Of two threads that wait for the same message either may get it, whoever began first. The one that got the other's
// may go on before its turn, since the message may have to be answered before the next one comes. Nor do others wait
// for the turn of one whose message another thread may have got: the next one may be sent behind it. But no thread goes
// on before its turn with a receive that may match the message of another thread, if their buffers differ in size: the
// program kept such receives apart.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_REPLAY_ORDER_H
#define PILGRIM_PROXYGEN_REPLAY_ORDER_H

#include "trace/read/Reader.h"
#include "trace/read/TurnCursor.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>

namespace pilgrim {

class Order {
public:
  Order(const Trace &T, uint32_t Rank);
  /// A message that a call waits for. Any: what says that any will do. Count: how many elements there is room for.
  struct Message {
    uint64_t Comm = 0;
    int Source = 0, Tag = 0, AnySource = 0, AnyTag = 0;
    static constexpr int64_t AnyCount = -1;
    int64_t Count = AnyCount;
  };
  /// Waits until the thread may begin its next call. Other threads wait until begun(), or until this thread begins
  /// another call. EndsNothing: the call ends nothing that those of other threads may use. Gets: what it waits for; its
  /// communicator is not known yet.
  void begin(uint32_t Thread, bool EndsNothing, const std::optional<Message> &Gets);
  void begun();
  /// A call begins, or is over, those that callbacks make inside others included.
  void entered();
  void left();
  /// The thread is about to wait for what its call gets.
  void awaits(uint64_t Comm);
  /// Calls that were entered and not left, of all threads.
  uint32_t underWay();
  /// The thread makes no more calls.
  void ended(uint32_t Thread);

private:
  struct Own {
    uint64_t Ahead = 0; ///< calls that were made before their turn
    uint32_t UnderWay = 0;
    std::optional<Message> Gets;   ///< what the thread's next call waits for
    std::optional<Message> Awaits; ///< what the thread waits for, or has waited for last
    bool IsWaiting = false;
    bool IsInVain = false; ///< another thread has got such a message meanwhile
    bool awaitsAsWell(const Own &Other) const;
  };
  void nextTurn();
  void skipAhead();
  bool isMine(uint32_t Thread) const { return !Turns || (Turns->Thread == Thread && !(WaitsForAll && UnderWay)); }
  bool waitsInVain(const Own &O) const;
  bool turnWaitsInVain(uint32_t Thread);
  /// How long a thread has waited, and how many calls were over when that was last looked at.
  struct Wait {
    std::chrono::steady_clock::time_point Since;
    uint64_t NumOver;
  };
  bool mayTakeFromAnother(uint32_t Thread) const;
  bool needNotWait(uint32_t Thread, bool EndsNothing, Wait &W);

  Trace T;                         // owns the streams
  std::optional<TurnCursor> Turns; ///< empty: every thread goes on by itself
  bool HasThreads = false;
  std::mutex Lock;
  std::condition_variable Changed;
  uint64_t Left = 0;        ///< calls that are left in the turn
  bool WaitsForAll = false; ///< the turn has not begun, and begins when no call is under way
  uint32_t UnderWay = 0;
  uint64_t NumOver = 0;       ///< calls that were left
  std::map<uint32_t, Own> Of; ///< by thread
  static constexpr std::chrono::milliseconds LeastBetweenLooks{1}, MostBetweenLooks{20};
  std::chrono::milliseconds BetweenLooks = MostBetweenLooks; ///< how often a thread looks whether it need not wait
  static constexpr unsigned Many = 32;
  unsigned NumAhead = 0; ///< calls that were made before their turn
  static constexpr std::chrono::milliseconds MostPatience = std::chrono::seconds(60);
  std::chrono::milliseconds Patience = MostPatience; ///< how long a thread waits at most
  std::vector<uint32_t> Gone;
  bool HasFirst = false;  ///< a thread's first call is under way
  bool HasKeeper = false; ///< a thread is between begin() and begun()
};

} // namespace pilgrim

#endif
