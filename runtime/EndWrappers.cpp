//===- EndWrappers.cpp - functions that decide how the process ends -------===//
//
// sigaction() and signal() do not show the program our handlers (finish/EndSignals.h), sigaltstack() not the stacks
// that they run on, which pthread_create() gives to threads (finish/SignalStack.h); _exit(), abort(), a SIGKILL that
// the program sends to itself, which no handler sees, and MPI's word to its launcher that the run is to be ended leave
// a shard.
//
//===----------------------------------------------------------------------===//
#include "Life.h"
#include "finish/EndSignals.h"
#include "finish/Quiet.h"
#include "finish/SignalStack.h"
#include "pmpi/MpiLibraries.h"

#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

#define PILGRIM_EXPORT extern "C" __attribute__((visibility("default")))

using namespace pilgrim;

namespace {
using SignalFn = sighandler_t(int, sighandler_t);
using ExitFn = void(int);
using AbortFn = void();
using KillFn = int(pid_t, int);
using RaiseFn = int(int);
using ThreadKillFn = int(pthread_t, int);
using WriteFn = ssize_t(int, const void *, size_t);
template <typename Fn> Fn *next(const char *Name) { return reinterpret_cast<Fn *>(dlsym(RTLD_NEXT, Name)); }

// Found when this library is loaded: handlers may call these functions.
SigactionFn *NextSigaction;
SignalFn *NextSignal;
ExitFn *NextExit;
AbortFn *NextAbort;
KillFn *NextKill;
RaiseFn *NextRaise;
SignalStackFn *NextSignalStack;
CreateFn *NextCreate;
ThreadKillFn *NextThreadKill;
WriteFn *NextWrite;
/// What MPICH and its kin talk to their launcher by; -1: none is known.
int LauncherFile = -1;
__attribute__((constructor(101))) void findNext() {
  NextSigaction = next<SigactionFn>("sigaction");
  NextSignal = next<SignalFn>("signal");
  NextExit = next<ExitFn>("_exit");
  NextAbort = next<AbortFn>("abort");
  NextKill = next<KillFn>("kill");
  NextRaise = next<RaiseFn>("raise");
  NextSignalStack = next<SignalStackFn>("sigaltstack");
  NextCreate = next<CreateFn>("pthread_create");
  NextThreadKill = next<ThreadKillFn>("pthread_kill");
  NextWrite = next<WriteFn>("write");
  if (const char *File = std::getenv("PMI_FD"))
    LauncherFile = std::atoi(File);
}
void findIfEarly() {
  if (!NextSigaction)
    findNext();
}

/// Whoever tests what remains of a run when a rank fails ends one in this way.
void endIfKilled(int Signal) {
  if (Signal == SIGKILL)
    endWithoutHandlers("ended itself by SIGKILL");
}
/// Whether what kill() is told to send a signal to is this process, or a group of which it is one.
bool isSelf(pid_t Process) { return Process == getpid() || Process == 0 || Process == -getpgrp(); }

/// Whether MPI tells its launcher to end the run, as after an error that is fatal. The launcher kills all ranks then,
/// the one that says it before it comes to exit(). In PMI-2 the text stands behind six digits of its length.
bool endsRun(std::string_view Text) {
  constexpr std::string_view Command = "cmd=abort";
  constexpr size_t Digits = 6;
  return Text.starts_with(Command) || (Text.size() > Digits && Text.substr(Digits).starts_with(Command));
}

[[noreturn]] void leave(int Code) {
  sayNothingAtExit();
  endWithoutHandlers("ended by _exit");
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

PILGRIM_EXPORT int sigaltstack(const stack_t *New, stack_t *Old) noexcept {
  findIfEarly();
  return signalStackAsSeen(New, Old, NextSignalStack);
}

PILGRIM_EXPORT int pthread_create(pthread_t *Thread, const pthread_attr_t *Attributes, void *(*Run)(void *),
                                  void *Argument) noexcept {
  findIfEarly();
  return createWithSignalStack(Thread, Attributes, Run, Argument, NextCreate);
}

PILGRIM_EXPORT [[noreturn]] void _exit(int Code) { leave(Code); }
PILGRIM_EXPORT [[noreturn]] void _Exit(int Code) noexcept { leave(Code); }

PILGRIM_EXPORT [[noreturn]] void abort() noexcept {
  findIfEarly();
  endAtAbort();
  const Sending Now;
  if (NextAbort)
    NextAbort();
  for (;;)
    __builtin_trap();
}

PILGRIM_EXPORT int kill(pid_t Process, int Signal) noexcept {
  findIfEarly();
  if (isSelf(Process))
    endIfKilled(Signal);
  const Sending Now;
  return NextKill(Process, Signal);
}

PILGRIM_EXPORT int raise(int Signal) noexcept {
  findIfEarly();
  endIfKilled(Signal);
  const Sending Now;
  return NextRaise(Signal);
}

/// All threads that it can be told are of this process.
PILGRIM_EXPORT int pthread_kill(pthread_t Thread, int Signal) noexcept {
  findIfEarly();
  endIfKilled(Signal);
  const Sending Now;
  return NextThreadKill(Thread, Signal);
}

/// What Open MPI ends the run by.
PILGRIM_EXPORT int ompi_mpi_abort(void *Communicator, int Code) {
  endByMpi();
  if (void *Next = symbolInMpiLibraries("ompi_mpi_abort"))
    return reinterpret_cast<int (*)(void *, int)>(Next)(Communicator, Code);
  leave(Code);
}

/// The last thing that it does is a jump: a thread that waits there is not in code of ours.
PILGRIM_EXPORT ssize_t write(int File, const void *Bytes, size_t Count) {
  if (!NextWrite) [[unlikely]]
    return syscall(SYS_write, File, Bytes, Count);
  if (File == LauncherFile && File >= 0 && endsRun({static_cast<const char *>(Bytes), Count})) [[unlikely]]
    endByMpi();
  return NextWrite(File, Bytes, Count);
}
