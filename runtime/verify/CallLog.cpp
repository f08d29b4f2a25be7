//===- CallLog.cpp - which calls a thread made, for --verify --------------===//
#include "verify/CallLog.h"

#include <sched.h>

namespace pilgrim {

constinit std::atomic<Logging> LoggingState{Logging::Off};
static constinit std::atomic<bool> IsStarted{false};
static constinit std::atomic<uint64_t> Tickets{0};
static constinit std::atomic_flag Switching = ATOMIC_FLAG_INIT;

uint64_t takeTicket() { return ++Tickets; }

void startLogging(bool IsOff) {
  LoggedSwitch::set(IsOff);
  IsStarted = true;
}

void logTrace(bool On) {
  if (IsStarted)
    LoggingState = On ? Logging::On : Logging::Ending;
}

void stopLogging() { LoggingState = Logging::Off; }

void LoggedSwitch::begin() {
  while (Switching.test_and_set())
    sched_yield();
  ++Epoch;
}

void LoggedSwitch::end() {
  ++Epoch;
  Switching.clear();
}

void CallLog::begin(CallCopy &C, uint32_t Function) {
  C.Function = Function;
  C.Depth = static_cast<uint32_t>(Open.size());
  C.Owner = Owner;
  C.Begin = takeTicket();
}

void CallLog::leave(uintptr_t Stack) {
  for (; !Open.empty() && Open.back().Frame < Stack; Open.pop_back()) {
    CallCopy &C = *Open.back().Copy;
    if (C.Returned)
      continue;
    C.Abandoned = true;
    C.End = takeTicket();
  }
}

void CallLog::returned(CallCopy &C, int Ret) {
  const Logging Now = LoggingState;
  if (Now == Logging::Off || C.Returned)
    return;
  C.Ret = Ret;
  C.IsLate = Now == Logging::Ending;
  C.End = takeTicket();
  C.Returned = true;
}

void CallLog::close(CallCopy &C) {
  while (!Open.empty()) {
    const CallCopy *Last = Open.back().Copy;
    Open.pop_back();
    if (Last == &C)
      return;
  }
}

void CallLog::takeOver() {
  leave(UINTPTR_MAX);
  ++Owner;
}

} // namespace pilgrim
