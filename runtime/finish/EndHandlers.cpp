//===- EndHandlers.cpp - our handlers, which the program does not see -----===//
#include "finish/EndHandlers.h"
#include "finish/Peers.h"
#include "finish/SignalStack.h"
#include "platform/LoadedModules.h"
#include "platform/Stacks.h"
#include "pmpi/MpiLibraries.h"
#include "pmpi/State.h"

#include <algorithm>
#include <dlfcn.h>
#include <iterator>
#include <unistd.h>

namespace pilgrim {

namespace {
constexpr EndSignal EndSignals[] = {
    {SIGHUP, "SIGHUP"},       {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"},     {SIGILL, "SIGILL"},
    {SIGTRAP, "SIGTRAP"},     {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},       {SIGFPE, "SIGFPE"},
    {SIGUSR1, "SIGUSR1"},     {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},     {SIGPIPE, "SIGPIPE"},
    {SIGALRM, "SIGALRM"},     {SIGTERM, "SIGTERM"}, {SIGSTKFLT, "SIGSTKFLT"}, {SIGXCPU, "SIGXCPU"},
    {SIGXFSZ, "SIGXFSZ"},     {SIGIO, "SIGIO"},     {SIGPWR, "SIGPWR"},       {SIGSYS, "SIGSYS"},
    {SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"}};
constexpr int Faults[] = {SIGILL, SIGBUS, SIGFPE, SIGSEGV};

/// A lock that a handler of the thread that has it cannot wait for: signals are blocked meanwhile.
class TableLock {
public:
  TableLock() {
    sigset_t All;
    sigfillset(&All);
    pthread_sigmask(SIG_BLOCK, &All, &Before);
    while (Flag.test_and_set(std::memory_order_acquire))
      BookLock::pause();
  }
  ~TableLock() {
    Flag.clear(std::memory_order_release);
    pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  }
  TableLock(const TableLock &) = delete;

private:
  static constinit std::atomic_flag Flag;
  sigset_t Before;
};
constinit std::atomic_flag TableLock::Flag = ATOMIC_FLAG_INIT;

constexpr int NumSignals = 32;
/// What the program believes the actions of signals to be that are ours.
struct sigaction Seen[NumSignals];
pid_t Watched; ///< the process
SigactionFn *NextSigaction;
} // namespace

constinit std::atomic<bool> Watching{false}, IsUnwatched{false};

const EndSignal *findEndSignal(int Signal) {
  for (const EndSignal &S : EndSignals)
    if (S.Number == Signal)
      return &S;
  return nullptr;
}

bool isFault(int Signal) { return std::find(std::begin(Faults), std::end(Faults), Signal) != std::end(Faults); }

bool isWatchedProcess() { return getpid() == Watched; }

void restoreAction(int Signal) {
  const struct sigaction Theirs = Seen[Signal];
  NextSigaction(Signal, &Theirs, nullptr);
}

int realSigaction(int Signal, const struct sigaction *New, struct sigaction *Old) {
  return NextSigaction(Signal, New, Old);
}

bool isEndHandler(const struct sigaction &A) { return (A.sa_flags & SA_SIGINFO) && A.sa_sigaction == onEndSignal; }
struct sigaction dispositionAsSeen(int Signal) { return Seen[Signal]; }

bool isDefault(const struct sigaction &A) { return !(A.sa_flags & SA_SIGINFO) && A.sa_handler == SIG_DFL; }

static void install(int Signal, struct sigaction *Old) {
  struct sigaction Ours{};
  Ours.sa_sigaction = onEndSignal;
  Ours.sa_flags = SA_SIGINFO | SA_RESTART | (isFault(Signal) ? SA_ONSTACK : 0);
  sigemptyset(&Ours.sa_mask);
  for (const EndSignal &S : EndSignals)
    if (!isFault(S.Number))
      sigaddset(&Ours.sa_mask, S.Number);
  NextSigaction(Signal, &Ours, Old);
}

int sigactionAsSeen(int Signal, const struct sigaction *New, struct sigaction *Old, SigactionFn *Next) {
  if (!Watching || !findEndSignal(Signal) || !isWatchedProcess())
    return Next(Signal, New, Old);
  TableLock L;
  struct sigaction Before;
  if (Next(Signal, nullptr, &Before) != 0)
    return -1;
  const struct sigaction Told = isEndHandler(Before) ? Seen[Signal] : Before;
  if (New && isDefault(*New)) {
    Seen[Signal] = *New;
    install(Signal, nullptr);
  } else if (New && Next(Signal, New, nullptr) != 0) {
    return -1;
  }
  if (Old)
    *Old = Told;
  return 0;
}

/// Handlers of MPI's own libraries and of the transport below them tell of a crash, and then let the process end.
static bool isCrashHandlerOfMpi(int Signal, const struct sigaction &A) {
  ModulePlace Place;
  if (!isFault(Signal))
    return false;
  const auto *Handler = A.sa_flags & SA_SIGINFO ? reinterpret_cast<const void *>(A.sa_sigaction)
                                                : reinterpret_cast<const void *>(A.sa_handler);
  return moduleAt(Handler, Place) && Place.Path && isTransportLibrary(Place.Path);
}

void expectPeers() {
  if (!NextSigaction)
    NextSigaction = reinterpret_cast<SigactionFn *>(dlsym(RTLD_NEXT, "sigaction"));
  Watched = getpid();
  struct sigaction A;
  if (!NextSigaction || NextSigaction(peerSignal(), nullptr, &A) != 0 || !isDefault(A))
    return;
  A.sa_sigaction = onPeerSignal;
  A.sa_flags = SA_SIGINFO | SA_RESTART;
  NextSigaction(peerSignal(), &A, nullptr);
  // A program may block all signals, and have a thread that waits for them. That one must not get ours: the first
  // thread is asked before others, unless it blocks the signal, too.
  if (threadId() == Watched) {
    sigset_t Own;
    sigemptyset(&Own);
    sigaddset(&Own, peerSignal());
    pthread_sigmask(SIG_UNBLOCK, &Own, nullptr);
  }
}

void watchEndSignals(Process &P) {
  if (P.IsVirtual || Watching)
    return;
  expectPeers();
  if (!NextSigaction)
    return;
  TableLock L;
  for (const EndSignal &S : EndSignals) {
    struct sigaction A;
    if (NextSigaction(S.Number, nullptr, &A) != 0 || !(isDefault(A) || isCrashHandlerOfMpi(S.Number, A)))
      continue;
    Seen[S.Number] = A;
    install(S.Number, nullptr);
  }
  giveSignalStack();
  Watching = true;
  IsUnwatched = false;
  takeKeptMessages(P);
}

void unwatchEndSignals() {
  IsUnwatched = true;
  if (!Watching.exchange(false))
    return;
  TableLock L;
  for (const EndSignal &S : EndSignals)
    if (struct sigaction A; NextSigaction(S.Number, nullptr, &A) == 0 && isEndHandler(A))
      NextSigaction(S.Number, &Seen[S.Number], nullptr);
  takeSignalStack();
}

} // namespace pilgrim
