//===- CallLog.h - which calls a thread made, for --verify -------*- C++ -*-===//
//
// The copies of one thread's calls, in the order in which the calls were entered. The log finds out for itself how
// deeply a call is nested, which calls a longjmp has left, and whether tracing is switched off. So it notices if the
// recorder is wrong about any of these.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_VERIFY_CALLLOG_H
#define PILGRIM_VERIFY_CALLLOG_H

#include "verify/CallCopies.h"

#include <atomic>
#include <memory>

namespace pilgrim {

/// Whether calls are logged.
enum class Logging : uint8_t {
  Off,
  On,
  Ending, ///< the trace is being ended: calls that return now are late
};
extern std::atomic<Logging> LoggingState;

/// Numbers in the order in which they are taken, by all threads.
uint64_t takeTicket();

/// Starts to log calls. IsOff: the run begins with tracing switched off.
void startLogging(bool IsOff);
/// The trace begins (again), or its end has begun. Does nothing before startLogging().
void logTrace(bool On);
/// No call is recorded any more, in any thread.
void stopLogging();

/// Whether the program has switched tracing off. A thread that sees a switch under way cannot know what it did to a
/// call that another thread enters at that time.
class LoggedSwitch {
public:
  /// A value that is the same at two times if no switch was under way at either or between them; odd: one is.
  static uint64_t epoch() { return Epoch.load(); }
  static bool isOff() { return IsOff.load(); }
  static void set(bool Off) { IsOff = Off; }
  /// A call that switches tracing begins and ends. No other one can begin meanwhile.
  static void begin();
  static void end();

private:
  inline static std::atomic<uint64_t> Epoch{0};
  inline static std::atomic<bool> IsOff{false};
};

class CallLog {
public:
  static constexpr uint32_t MaxDepth = 16; ///< calls that are nested more deeply are counted and not traced

  std::vector<std::unique_ptr<CallCopy>> Calls;
  unsigned Owner = 0;
  /// The copy of the call that is being entered; null if it is not the program's.
  CallCopy *Current = nullptr;
  bool IsEntering = false; ///< the recorder has not seen Current yet

  /// A call is entered. Ends the calls whose frames do not lie above Frame: they were left.
  void leaveUpTo(uintptr_t Frame) { leave(Frame + 1); }
  /// Ends the calls whose frames lie below Stack: a longjmp or an exception leaves them.
  void leave(uintptr_t Stack);
  /// Whether a call is open, so that MPI may be making calls of its own.
  bool isInside() const { return !Open.empty(); }
  /// The innermost call under way; null: there is none.
  CallCopy *innermost() const { return Open.empty() ? nullptr : Open.back().Copy; }
  /// Adds a copy of type Copy, a CallCopy that knows how to write the values of an MPI.
  template <typename Copy> Copy *enter(uint32_t Function, uintptr_t Frame) {
    auto New = std::make_unique<Copy>();
    Copy *C = New.get();
    begin(*C, Function);
    C->IsTraced = !LoggedSwitch::isOff() && C->Depth < MaxDepth;
    Open.push_back({C, Frame});
    Calls.push_back(std::move(New));
    return C;
  }
  /// The call of C has returned.
  static void returned(CallCopy &C, int Ret);
  /// Its wrapper returns.
  void close(CallCopy &C);
  /// Adds a copy of something that is no call and has happened before the call that is being entered, or now.
  template <typename Copy> Copy *note(uint32_t Function) {
    auto New = std::make_unique<Copy>();
    Copy *C = New.get();
    begin(*C, Function);
    C->Depth = C->Depth - IsEntering < MaxDepth ? C->Depth - IsEntering : MaxDepth;
    C->Returned = true;
    Calls.insert(Calls.end() - IsEntering, std::move(New));
    return C;
  }
  /// Another thread goes on with this log.
  void takeOver();

private:
  struct OpenCall {
    CallCopy *Copy;
    uintptr_t Frame;
  };
  void begin(CallCopy &C, uint32_t Function);
  std::vector<OpenCall> Open; ///< outermost first
};

} // namespace pilgrim

#endif
