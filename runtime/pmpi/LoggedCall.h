//===- LoggedCall.h - the log of a call, for --verify ------------*- C++ -*-===//
//
// With --verify, each call that arrives is logged before the recorder sees it (verify/CallLog.h). The log decides for
// itself whether the call is the program's, how deeply it is nested, and whether it is traced. What is shared with the
// recorder: which thread has which number, and what tells that a Fortran binding makes a call for itself.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_LOGGEDCALL_H
#define PILGRIM_PMPI_LOGGEDCALL_H

#include "pmpi/RawCopy.h"
#include "pmpi/Switching.h"

namespace pilgrim {

/// Where a call was made. Return: the return address. Frame: the stack below this address is the wrapper's.
struct CallPlace {
  const void *Return, *Frame;
};

/// Logs one call from its entry to its return. It lives in the wrappers' other form, and does nothing without --verify.
class LoggedCall {
public:
  /// IsBindingsOwn: a Fortran binding makes the call for itself. S: what the call asks the tracer to do.
  LoggedCall(CallPlace Place, uint32_t Function, bool IsBindingsOwn = false, Switch S = Switch::None) {
    // A thread's first call may be the one that starts the tracer.
    if (LoggingState.load(std::memory_order_relaxed) != Logging::Off || !CurrentThread) [[unlikely]]
      begin(Place, Function, IsBindingsOwn, S);
  }
  ~LoggedCall() {
    if (Log) [[unlikely]]
      end();
  }
  LoggedCall(const LoggedCall &) = delete;
  /// The recorder has seen the call's entry. IsTraced: its own view, which counts only if another thread was switching
  /// tracing on or off at that time.
  void entered(bool IsTraced) {
    if (Copy) [[unlikely]]
      compareEpochs(IsTraced);
  }

private:
  void begin(CallPlace Place, uint32_t Function, bool IsBindingsOwn, Switch S);
  void end();
  void compareEpochs(bool IsTraced);
  CallLog *Log = nullptr;
  RawCopy *Copy = nullptr; ///< null: the call is not the program's
  Switch Asked = Switch::None;
  uint64_t Epoch = 0;
};

} // namespace pilgrim

#endif
