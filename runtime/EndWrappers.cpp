//===- EndWrappers.cpp - functions that decide how the process ends -------===//
//
// sigaction() and signal() do not show the program our handlers (finish/EndSignals.h); _exit() and abort() leave a
// shard.
//
//===----------------------------------------------------------------------===//
#include "finish/EndSignals.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PILGRIM_EXPORT extern "C" __attribute__((visibility("default")))

using namespace pilgrim;

namespace {
using SignalFn = sighandler_t(int, sighandler_t);
using ExitFn = void(int);
using AbortFn = void();
template <typename Fn> Fn *next(const char *Name) { return reinterpret_cast<Fn *>(dlsym(RTLD_NEXT, Name)); }

// Found when this library is loaded: handlers may call these functions.
SigactionFn *NextSigaction;
SignalFn *NextSignal;
ExitFn *NextExit;
AbortFn *NextAbort;
__attribute__((constructor(101))) void findNext() {
  NextSigaction = next<SigactionFn>("sigaction");
  NextSignal = next<SignalFn>("signal");
  NextExit = next<ExitFn>("_exit");
  NextAbort = next<AbortFn>("abort");
}
void findIfEarly() {
  if (!NextSigaction)
    findNext();
}

[[noreturn]] void leave(int Code) {
  endWithoutHandlers();
  if (NextExit)
    NextExit(Code);
  for (;;)
    syscall(SYS_exit_group, Code);
}
} // namespace

PILGRIM_EXPORT int sigaction(int Signal, const struct sigaction *New, struct sigaction *Old) noexcept {
  findIfEarly();
  return sigactionAsSeen(Signal, New, Old, NextSigaction);
}

PILGRIM_EXPORT sighandler_t signal(int Signal, sighandler_t Handler) noexcept {
  findIfEarly();
  if (Handler == SIG_DFL) {
    struct sigaction New{}, Old;
    New.sa_handler = SIG_DFL;
    return sigactionAsSeen(Signal, &New, &Old, NextSigaction) == 0 ? Old.sa_handler : SIG_ERR;
  }
  struct sigaction Before;
  const bool IsOurs = NextSigaction(Signal, nullptr, &Before) == 0 && isEndHandler(Before);
  const sighandler_t Told = NextSignal(Signal, Handler);
  return IsOurs && Told != SIG_ERR ? dispositionAsSeen(Signal).sa_handler : Told;
}

PILGRIM_EXPORT [[noreturn]] void _exit(int Code) { leave(Code); }
PILGRIM_EXPORT [[noreturn]] void _Exit(int Code) noexcept { leave(Code); }

PILGRIM_EXPORT [[noreturn]] void abort() noexcept {
  findIfEarly();
  endAtAbort();
  if (NextAbort)
    NextAbort();
  for (;;)
    __builtin_trap();
}
