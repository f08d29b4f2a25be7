//===- Player.h - makes the calls of one thread again ------------*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_REPLAY_PLAYER_H
#define PILGRIM_PROXYGEN_REPLAY_PLAYER_H

#include "proxygen/replay/Callbacks.h"
#include "proxygen/replay/Completion.h"
#include "proxygen/replay/Order.h"
#include "proxygen/replay/Pace.h"

#include <atomic>
#include <functional>

namespace pilgrim {

/// What the threads of a rank have in common, and what is counted.
struct Replayed {
  ReplayState &State;
  Order &Turns;
  Pace Gaps;
  std::function<void()> BeforeFinalize; ///< MPI may be used there for the last time
  std::atomic<uint64_t> Calls = 0;
  std::atomic<uint64_t> OtherResults = 0; ///< calls that failed and had not, or the other way round
  std::atomic<uint64_t> LeftOut = 0;      ///< calls of callbacks that MPI did not make
};

class Player final : CallbackListener {
public:
  Player(Replayed &R, CallCursor Calls);
  /// Makes all calls. False: one could not be made; error() says why.
  bool run();
  const std::string &error() const { return Error; }
  /// Seconds, from the end of the thread's first call: as recorded, as they were now.
  double recorded() const { return Time.recorded(); }
  double now() const { return Time.now(); }

private:
  struct Level {
    CallArguments Arguments;
    Completion Requests;
    std::vector<int64_t> Status; ///< that the call gave
    int Result = MPI_SUCCESS;    ///< that it had
  };
  int calledBack(MPI_Status *Status) override;
  bool peek();
  void playNext(MPI_Status *FromCallback);
  std::optional<Order::Message> messageOfNext(const CallInfo &Info) const;
  void play(Level &L, MPI_Status *FromCallback, bool GetsMessage);
  void bad(std::string What);

  Replayed &R;
  CallCursor Calls;
  uint32_t Thread;
  Call Next;
  bool HasNext = false;
  bool IsQuiet = false;                       ///< callbacks are not the program's
  uint32_t Depth = 0;                         ///< of the call that is being made, plus 1; 0: none
  std::vector<std::unique_ptr<Level>> Levels; ///< by depth
  PaceClock Time;
  std::string Error;
};

} // namespace pilgrim

#endif
