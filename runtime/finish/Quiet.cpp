//===- Quiet.cpp - the end of recording, with threads still running -------===//
#include "finish/Quiet.h"
#include "memory/Reserve.h"
#include "platform/LoadedModules.h"
#include "platform/OutsideCall.h"
#include "pmpi/State.h"
#include "verify/CallLog.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/uio.h>
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

/// Where abort() of the C library lies.
const AddressRange &abortSpan() {
  static const AddressRange Span = [] {
    Dl_info Info;
    const ElfW(Sym) *Symbol = nullptr;
    const void *Begin = dlsym(RTLD_NEXT, "abort");
    if (!Begin ||
        !dladdr1(Begin, &Info, reinterpret_cast<void **>(const_cast<ElfW(Sym) **>(&Symbol)), RTLD_DL_SYMENT) || !Symbol)
      return AddressRange{};
    const auto Address = reinterpret_cast<uintptr_t>(Begin);
    return AddressRange{Address, Address + Symbol->st_size};
  }();
  return Span;
}
/// Where functions without a frame lie that libpilgrim calls: the C library, its mathematical part, the dynamic linker,
/// and what the system maps for reading clocks.
const std::array<AddressRange, 4> &systemSpans() {
  static const std::array<AddressRange, 4> Spans = [] {
    const void *const In[] = {dlsym(RTLD_NEXT, "abort"), dlsym(RTLD_NEXT, "exp"), dlsym(RTLD_NEXT, "__tls_get_addr"),
                              reinterpret_cast<const void *>(getauxval(AT_SYSINFO_EHDR))};
    std::array<AddressRange, 4> Out{};
    for (size_t I = 0; I < Out.size(); ++I)
      if (ModulePlace Place; In[I] && moduleAt(In[I], Place))
        Out[I] = Place.Span;
    return Out;
  }();
  return Spans;
}
[[maybe_unused]] const AddressRange &FoundWhenLoaded = ownSpan(),
                                    &AbortFoundWhenLoaded = abortSpan(); // not in a handler
[[maybe_unused]] const auto &SystemFoundWhenLoaded = systemSpans();

/// What stands there; 0 if nothing can: the stack may be used up. Where the system forbids the question, it is read.
uintptr_t wordAt(const uintptr_t *Place) {
  const int SavedErrno = errno;
  uintptr_t Word = 0;
  const iovec To{&Word, sizeof Word}, From{const_cast<uintptr_t *>(Place), sizeof Word};
  if (process_vm_readv(getpid(), &To, 1, &From, 1, 0) < 0 && errno != EFAULT)
    Word = *Place;
  errno = SavedErrno;
  return Word;
}

/// Where a signal came.
struct Interrupted {
  explicit Interrupted(const void *Context) {
    const auto &Machine = static_cast<const ucontext_t *>(Context)->uc_mcontext;
    // Functions like memcpy have no frame: their return address is the last thing on the stack, or in a register.
#if defined(__x86_64__)
    Place = static_cast<uintptr_t>(Machine.gregs[REG_RIP]);
    Stack = reinterpret_cast<const uintptr_t *>(Machine.gregs[REG_RSP]);
    Caller = wordAt(Stack);
#elif defined(__aarch64__)
    Place = static_cast<uintptr_t>(Machine.pc);
    Stack = reinterpret_cast<const uintptr_t *>(Machine.sp);
    Caller = static_cast<uintptr_t>(Machine.regs[30]);
#endif
  }
  uintptr_t Place = 0, Caller = 0;
  const uintptr_t *Stack = nullptr;
};
} // namespace

/// Where the thread's Sending is on its stack; a jump may have left that. Null: it sends no signal.
__attribute__((tls_model("initial-exec"))) static constinit thread_local const void *SendingAt = nullptr;
Sending::Sending() { SendingAt = this; }
Sending::~Sending() { SendingAt = nullptr; }

/// Whether what was interrupted is called by whoever has the Sending.
static bool isSending(const Interrupted &At) {
  constexpr uintptr_t MostOfFrames = 1024;
  const auto Above = reinterpret_cast<uintptr_t>(SendingAt), Stack = reinterpret_cast<uintptr_t>(At.Stack);
  return Above > Stack && Above - Stack < MostOfFrames;
}

bool isInOwnCode(const void *Context) {
  if (memory::isAllocating() || OutsideCall::isUnderWay())
    return true;
  const Interrupted At(Context);
  if (ownSpan().holds(At.Place))
    return true;
  // Elsewhere, as in the program, the last word of the stack may be what an earlier call has left there.
  const auto &System = systemSpans();
  return std::ranges::any_of(System, [&](const AddressRange &S) { return S.holds(At.Place); }) &&
         ownSpan().holds(At.Caller) && !isSending(At);
}

__attribute__((no_sanitize("address"))) bool isInAbort(const void *Context) {
  const AddressRange &Abort = abortSpan();
  const Interrupted At(Context);
  if (!At.Stack)
    return true; // nobody knows
  // Between its frame and what was interrupted are one or two small ones. Above them is more than is read: arguments of
  // the program, or what the C library keeps of a thread.
  constexpr size_t Words = 128;
  bool Is = Abort.holds(At.Place) || Abort.holds(At.Caller);
  for (size_t I = 0; I < Words; ++I)
    Is |= Abort.holds(At.Stack[I]);
  return Is;
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

bool isQuiet(const ThreadState &T) { return &T == CurrentThread || T.Answer == Quiet; }

unsigned endRecording(Process &P, bool AllThreads) {
  P.trace(false);
  if (ThreadState *T = CurrentThread) // in a handler, a call may be under way, as in answer()
    T->IsPredictionValid = false;
  const unsigned Unanswered = awaitQuiet(P, AllThreads);
  stopLogging();
  return Unanswered;
}

} // namespace pilgrim
