//===- Quiet.cpp - the end of recording, with threads still running -------===//
#include "finish/Quiet.h"
#include "memory/Reserve.h"
#include "platform/LoadedModules.h"
#include "platform/OutsideCall.h"
#include "pmpi/State.h"
#include "verify/CallLog.h"

#include <cerrno>
#include <csignal>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace pilgrim {

namespace {
enum Answer : uint8_t { None, Asked, Busy, Quiet };

/// Where the code of libpilgrim lies.
const AddressRange &ownSpan() {
  static const AddressRange Span = [] {
    ModulePlace Place;
    moduleAt(reinterpret_cast<const void *>(&ownSpan), Place);
    return Place.Span;
  }();
  return Span;
}
[[maybe_unused]] const AddressRange &FoundWhenLoaded = ownSpan(); // not in a handler
} // namespace

bool isInOwnCode(const void *Context) {
  if (memory::isAllocating() || OutsideCall::isUnderWay())
    return true;
  const auto &Machine = static_cast<const ucontext_t *>(Context)->uc_mcontext;
  // Functions like memcpy have no frame: their return address is the last thing on the stack, or in a register.
#if defined(__x86_64__)
  const auto Place = static_cast<uintptr_t>(Machine.gregs[REG_RIP]);
  const auto Caller = *reinterpret_cast<const uintptr_t *>(Machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
  const auto Place = static_cast<uintptr_t>(Machine.pc), Caller = static_cast<uintptr_t>(Machine.regs[30]);
#else
  const uintptr_t Place = 0, Caller = 0;
#endif
  return ownSpan().holds(Place) || ownSpan().holds(Caller);
}

bool isBehindSystemCall([[maybe_unused]] const void *Context) {
#if defined(__x86_64__)
  const auto &Machine = static_cast<const ucontext_t *>(Context)->uc_mcontext;
  const auto *Next = reinterpret_cast<const uint8_t *>(Machine.gregs[REG_RIP]);
  constexpr uint8_t SystemCall[] = {0x0f, 0x05};
  return Next[-2] == SystemCall[0] && Next[-1] == SystemCall[1];
#else
  return true;
#endif
}

__attribute__((tls_model("initial-exec"))) static constinit thread_local bool IsThreadParked = false;

Parked::Parked(bool IsQuiet) : Before(IsThreadParked) { IsThreadParked |= IsQuiet; }
Parked::~Parked() { IsThreadParked = Before; }

/// The interrupted thread answers. A call that it is in does not follow the prediction any more, and so finds that
/// nothing is recorded.
static void answer(int, siginfo_t *, void *Context) {
  ThreadState *T = CurrentThread;
  if (!T || T->P.Tracing)
    return;
  if (!IsThreadParked && isInOwnCode(Context)) {
    T->Answer = Busy;
  } else {
    T->IsPredictionValid = false;
    T->Answer = Quiet;
  }
}

/// A signal that the program does not use, with answer() as its handler; 0: there is none.
static int takeSignal() {
  for (int S = SIGRTMAX - 1; S >= SIGRTMIN; --S) {
    struct sigaction Old, New{};
    if (sigaction(S, nullptr, &Old) != 0 || (Old.sa_flags & SA_SIGINFO) || Old.sa_handler != SIG_DFL)
      continue;
    New.sa_sigaction = answer;
    New.sa_flags = SA_SIGINFO | SA_RESTART;
    if (sigaction(S, &New, nullptr) == 0)
      return S;
  }
  return 0;
}

static void giveBack(int Signal) {
  // First ignored: that takes away those that no thread has got yet. The default would end the process.
  struct sigaction A{};
  for (auto Handler : {SIG_IGN, SIG_DFL}) {
    A.sa_handler = Handler;
    sigaction(Signal, &A, nullptr);
  }
}

static void ask(ThreadState &T, int Signal) {
  T.Answer = Asked;
  if (syscall(SYS_tgkill, getpid(), T.Tid, Signal) != 0 && errno == ESRCH)
    T.Answer = Quiet; // the thread has ended
}

static unsigned awaitQuiet(Process &P, bool AllThreads) {
  constexpr uint64_t Limit = 200'000'000; // nanoseconds; for threads that say that they are recording, the longer one
  constexpr uint64_t BusyLimit = 5'000'000'000;
  std::vector<ThreadState *> Others;
  if (!P.lockWithin(BusyLimit))
    return 1;
  for (const auto &T : P.Threads)
    if (T.get() != CurrentThread && !P.Ended.contains(T->Index) && (AllThreads || T->NumOpen))
      Others.push_back(T.get());
  P.unlock();
  const int Signal = Others.empty() ? 0 : takeSignal();
  if (!Signal)
    return static_cast<unsigned>(Others.size());
  const int SavedErrno = errno;
  for (ThreadState *T : Others)
    ask(*T, Signal);
  uint64_t End = nanoseconds() + Limit;
  for (const uint64_t Last = nanoseconds() + BusyLimit; !Others.empty() && nanoseconds() < std::min(End, Last);) {
    std::erase_if(Others, [](const ThreadState *T) { return T->Answer == Quiet; });
    for (ThreadState *T : Others)
      if (T->Answer == Busy) {
        ask(*T, Signal);
        End = nanoseconds() + Limit;
      }
    BookLock::pause();
  }
  giveBack(Signal);
  errno = SavedErrno;
  return static_cast<unsigned>(Others.size());
}

unsigned endRecording(Process &P, bool AllThreads) {
  P.trace(false);
  const unsigned Unanswered = awaitQuiet(P, AllThreads);
  stopLogging();
  return Unanswered;
}

} // namespace pilgrim
