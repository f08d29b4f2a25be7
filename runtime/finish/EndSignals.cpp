//===- EndSignals.cpp - signals that end the process ----------------------===//
//
// The handler may have interrupted anything. If it has interrupted libpilgrim itself, it comes again a moment later.
// Else what was recorded is whole, and is written at once, on a stack and with memory of its own, since the allocator
// may be in the middle of something.
//
//===----------------------------------------------------------------------===//
#include "finish/EndHandlers.h"
#include "finish/Finish.h"
#include "finish/Peers.h"
#include "finish/Quiet.h"
#include "finish/SignalStack.h"
#include "memory/Reserve.h"
#include "platform/Stacks.h"
#include "platform/Tell.h"
#include "pmpi/Functions.h"
#include "pmpi/State.h"

#include <algorithm>
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace pilgrim {

namespace {
constexpr int MaxSignal = 32;
struct SignalTimer {
  int Id = -1;
};
SignalTimer Timers[MaxSignal], PeerTimer;
std::atomic<int> Ender{0};          ///< the thread that ends the process
std::atomic<bool> IsWriting{false}; ///< the shard
std::jmp_buf GiveUp;                ///< of the ender, if writing fails
} // namespace

/// Sends the signal to this thread once more, in a moment: not always in the same one, as the program may do the same
/// thing whenever so much time has passed. False: that is not possible.
static bool comeAgain(int Signal) {
  static unsigned Times = 0;
  int &Timer = Signal < MaxSignal ? Timers[Signal].Id : PeerTimer.Id;
  struct sigevent E{};
  E.sigev_notify = SIGEV_THREAD_ID;
  E.sigev_signo = Signal;
  E._sigev_un._tid = threadId();
  if (Timer < 0 && syscall(SYS_timer_create, CLOCK_MONOTONIC, &E, &Timer) != 0)
    return false;
  const struct itimerspec Soon{{0, 0}, {0, 4000L << Times++ % 6}};
  return syscall(SYS_timer_settime, Timer, 0, &Soon, nullptr) == 0;
}

static std::atomic<bool> IsForPeer{false}; ///< what is written was asked for by another rank: the process goes on
static bool IsAlone = false;               ///< what endsAlone() said when the signal came first
static std::string_view Cause;             ///< of the end; while it is written
static bool IsInProgram = false;           ///< likewise: the ender is not recording, and in no handler of the program

static constexpr std::string_view EndOfOther = "stops recording, as another rank ends the run";
static char OwnEnd[96]; ///< see endsOfItself()
static constinit std::atomic<bool> HasOwnEnd{false};
static constinit std::atomic<bool> IsJoining{false};
static constinit std::atomic<int> KeptSignal{0}; ///< that ends the process when the shard is written
static constinit std::atomic<pid_t> Waiting{0};  ///< another rank, which ends the run then
static unsigned AskedWhileJoining = 0;           ///< other ranks

static void writeLast() {
  memory::useNewPages();
  Process &P = *CurrentProcess;
  const unsigned Unanswered = endRecording(P, true);
  char Why[128];
  std::snprintf(Why, sizeof Why, "rank %d %.*s", P.Rank, static_cast<int>(Cause.size()), Cause.data());
  const bool IsOwn = Cause == OwnEnd;
  writeShard(P, IsOwn ? OwnEnd : Why,
             {.Unanswered = Unanswered,
              .IsSudden = true,
              .IsCause = IsOwn ? P.Handles.hasWorld() : Cause != EndOfOther,
              .HasOpenCalls = IsInProgram});
}

/// Calls writeLast() on a stack of its own.
static void writeOnOwnStack() {
  constexpr size_t Size = size_t(64) << 20;
  void *Stack = memory::ownPages(Size);
  if (!Stack)
    return writeLast();
  static ucontext_t There, Here;
  getcontext(&There);
  There.uc_stack.ss_sp = Stack;
  There.uc_stack.ss_size = Size;
  There.uc_link = &Here;
  makecontext(&There, writeLast, 0);
  swapcontext(&Here, &There);
}

static bool claimEnd() {
  int Nobody = 0;
  if (!Ender.compare_exchange_strong(Nobody, threadId()))
    return false;
  IsWriting = true;
  return true;
}

static bool CanGiveUp = false;

/// Writes the shard, once. Returns false if another thread is at it. IsQuiet: the program is not in a handler that may
/// have interrupted recording.
static bool endHere(std::string_view Why, bool IsQuiet = true) {
  if (!claimEnd())
    return false;
  Cause = Why;
  IsInProgram = IsQuiet;
  CanGiveUp = true;
  if (setjmp(GiveUp) == 0)
    writeOnOwnStack();
  else
    tell(TellLevel::Error, "rank %d %.*s; its calls could not be written", CurrentProcess->Rank,
         static_cast<int>(Cause.size()), Cause.data());
  CanGiveUp = false;
  awaitReader();
  IsWriting = false;
  Watching = false;
  return true;
}

/// Whether other ranks may not get the signal. A launcher and a terminal send signals to all of
/// them. Of a signal that has another cause a launcher hears when this process is gone, and then kills the others.
static bool endsAlone(const EndSignal &S, const siginfo_t &Info) {
  constexpr int Own[] = {SIGABRT, SIGXCPU, SIGXFSZ, SIGALRM, SIGVTALRM, SIGPROF, SIGTRAP, SIGSYS};
  if (isFault(S.Number) || std::ranges::find(Own, S.Number) != std::end(Own))
    return true;
  if (Info.si_code != SI_TIMER)
    IsAlone =
        (Info.si_code == SI_USER || Info.si_code == SI_TKILL || Info.si_code == SI_QUEUE) && !isLauncher(Info.si_pid);
  return IsAlone;
}

/// Another thread may be writing the shard, and needs the process for that. IsQuiet: this one is not recording.
static void awaitWriting(uint64_t Limit, bool IsQuiet = true) {
  const Parked Here(IsQuiet);
  for (const uint64_t Begin = nanoseconds();
       Ender && Ender != threadId() && (IsWriting || Watching) && nanoseconds() - Begin < Limit;)
    BookLock::pause();
}
constexpr uint64_t Second = 1'000'000'000;

bool isOtherEnding() { return IsWriting && Ender != threadId(); }

void awaitOtherEnd() {
  if (isOtherEnding())
    awaitWriting(10 * Second);
}

EndClaim::EndClaim(const Process &P) : IsCounted(!P.IsVirtual), IsMine(!IsCounted || claimEnd()) {
  if (!IsMine)
    awaitOtherEnd();
}

EndClaim::~EndClaim() {
  if (IsMine && IsCounted)
    IsWriting = Watching = false;
}

/// False: the signal will come again, or another thread ends the process.
static bool isDone(const EndSignal &S, const siginfo_t &Info, const void *Context) {
  Process *P = CurrentProcess;
  if (!P || !isWatchedProcess())
    return true; // a copy of the process
  const bool IsFault = Info.si_code > 0 && isFault(S.Number);
  if (IsWriting && CanGiveUp && Ender == threadId() && IsFault)
    std::longjmp(GiveUp, 1);
  // This thread cannot go on behind a fault, or abort(), and must not end the process yet.
  const bool IsQuiet = !isInOwnCode(Context);
  const bool IsAbort = S.Number == SIGABRT && Info.si_code == SI_TKILL && isInAbort(Context);
  const bool IsLast = IsFault || IsAbort;
  if (IsLast)
    awaitWriting(10 * Second, IsQuiet);
  if (IsJoining && !IsFault && S.Number != SIGABRT) {
    const bool IsFirst = KeptSignal.exchange(S.Number) == 0;
    if (IsFirst && endsAlone(S, Info))
      AskedWhileJoining = askPeers(*P);
    return false;
  }
  if (!P->Tracing) {
    if (!IsWriting || IsFault)
      return true;
    if (Ender == threadId() || !IsQuiet)
      return IsForPeer && !comeAgain(S.Number);
    awaitWriting(10 * Second); // behind raise() nothing may be done any more
    return true;
  }
  char Why[64];
  std::snprintf(Why, sizeof Why, "was ended by %s", S.Name);
  const bool IsAloneNow = endsAlone(S, Info);
  // Other threads may wait for the allocator while they record.
  if (!IsQuiet || memory::isProgramAllocating()) {
    static unsigned Tries = 0;
    constexpr unsigned MaxTries = 20000;
    if (!IsFault && !IsAbort && Tries++ < MaxTries && comeAgain(S.Number))
      return false;
  }
  const unsigned Asked = IsAloneNow ? askPeers(*P) : 0;
  if (!IsQuiet) {
    tell(TellLevel::Error, "rank %d %s in the middle of recording; its calls are lost", P->Rank, Why);
    awaitPeers(Asked);
    return true;
  }
  if (!endHere(Why)) {
    awaitWriting(10 * Second);
    return true;
  }
  answerAskers(*P);
  awaitPeers(Asked);
  return true;
}

/// What came before the own world was known.
struct KeptMessages {
  static constexpr unsigned Most = 64;
  siginfo_t Of[Most]{};
  std::atomic<unsigned> Number{0};
  std::atomic<bool> IsOver{false};
};
static constinit KeptMessages Kept;
static pid_t Asker = 0; ///< the last one

void takeKeptMessages(const Process &P) {
  Kept.IsOver = true;
  for (unsigned I = 0; I < std::min<unsigned>(Kept.Number, KeptMessages::Most); ++I)
    if (receive(P, Kept.Of[I]) == PeerMessage::Asks)
      Asker = Kept.Of[I].si_pid;
  if (Asker)
    comeAgain(peerSignal());
}

/// Empty: the thread is in none.
static const char *outermostCall() {
  const ThreadState *T = CurrentThread;
  return T && T->NumOpen ? functionName(rowOf(T->Open[0].function())) : "";
}

/// Whether to wait until this thread's MPI_Init has been recorded. It will be soon; if not, others have waited long
/// enough.
static bool awaitsInit() {
  constexpr unsigned MostTries = 20000; // about a second
  static unsigned Tries = 0;
  const std::string_view Call = outermostCall();
  return (Call == "MPI_Init" || Call == "MPI_Init_thread") && Tries++ < MostTries;
}

/// Another rank ends the run. This one is killed soon; or else it goes on, without being traced. Until then it stays
/// here: a sleep that the signal interrupted would be over, and the program might end this process before the other
/// rank has written its shard.
void onPeerSignal(int Signal, siginfo_t *Info, void *Context) {
  const int SavedErrno = errno;
  const Process *P = CurrentProcess;
  if (P && !Kept.IsOver && isWatchedProcess()) {
    if (const unsigned I = Kept.Number++; I < KeptMessages::Most)
      Kept.Of[I] = *Info;
    return;
  }
  const bool IsOver = IsUnwatched || !isWatchedProcess(); // nothing is left to be written here, or this is a copy
  const bool IsAsked = P && (Info->si_code == SI_TIMER || receive(*P, *Info) == PeerMessage::Asks);
  if (IsAsked && IsOver && Info->si_code != SI_TIMER) {
    answerAskers(*P);
  } else if (IsAsked && !IsOver) {
    if (Info->si_code != SI_TIMER)
      Asker = Info->si_pid;
    if (!P->Tracing && !IsJoining && !IsWriting)
      answerAskers(*P);
    if (IsJoining)
      Waiting = Asker;
    const bool IsLater =
        P->Tracing && (awaitsInit() || isInOwnCode(Context) || memory::isProgramAllocating()) && comeAgain(Signal);
    if (!IsLater && !IsJoining && P->Tracing && Asker) {
      IsForPeer = true;
      if (HasOwnEnd) {
        if (endHere(OwnEnd))
          answerAskers(*P);
      } else if (expectEnd(); endHere(EndOfOther)) {
        answerPeers(*P);
        awaitEnd();
      }
    }
  }
  errno = SavedErrno;
}

void endsOfItself(const char *Why) {
  std::snprintf(OwnEnd, sizeof OwnEnd, "%s", Why);
  HasOwnEnd = true;
}

JoiningEnds::JoiningEnds() { IsJoining = true; }

bool JoiningEnds::hasCome() { return KeptSignal || Waiting; }

const char *JoiningEnds::why() {
  static char Text[64] = "stops, as another rank ends the run";
  if (const EndSignal *S = findEndSignal(KeptSignal))
    std::snprintf(Text, sizeof Text, "was ended by %s", S->Name);
  return Text;
}

JoiningEnds::~JoiningEnds() {
  IsJoining = false;
  if (Waiting)
    answerPeers(*CurrentProcess);
  const int Signal = KeptSignal;
  if (!Signal)
    return;
  awaitPeers(AskedWhileJoining);
  restoreAction(Signal);
  raise(Signal);
}

void onEndSignal(int Signal, siginfo_t *Info, void *Context) {
  const int SavedErrno = errno;
  if (!isDone(*findEndSignal(Signal), *Info, Context)) {
    errno = SavedErrno;
    return;
  }
  // As without us. A fault comes again when the handler has returned.
  restoreAction(Signal);
  takeSignalStackAfter(Context);
  errno = SavedErrno;
  if (Info->si_code <= 0 || !isFault(Signal))
    raise(Signal); // when the handler has returned
}

/// Ask: asks other ranks to write their shards, and returns how many.
static void endAsking(const char *Why, unsigned (*Ask)(const Process &), bool IsQuiet) {
  Process *P = CurrentProcess;
  if (!P || !isWatchedProcess())
    return;
  if (P->Tracing && Watching) {
    const unsigned Asked = Ask(*P);
    if (endHere(Why, IsQuiet)) {
      answerAskers(*P);
      awaitPeers(Asked);
      return Ask == askWhoEndsToo ? endTogether(*P) : void();
    }
  }
  awaitWriting(Second);
  awaitEnd();
}

void endWithoutHandlers(const char *Why) { endAsking(Why, askWhoEndsToo, false); }

void endByMpi() {
  char Why[64] = "was ended by MPI";
  if (const ThreadState *T = CurrentThread; T && T->NumOpen)
    std::snprintf(Why, sizeof Why, "was ended by MPI in %s", functionName(rowOf(T->Open[T->NumOpen - 1].function())));
  endAsking(Why, askPeers, true);
}

void endAtAbort() {
  Process *P = CurrentProcess;
  struct sigaction A;
  if (P && isWatchedProcess())
    awaitWriting(Second);
  if (!P || !P->Tracing || !Watching || !isWatchedProcess() || realSigaction(SIGABRT, nullptr, &A) != 0 ||
      isEndHandler(A) || isDefault(A))
    return;
  if ((A.sa_flags & SA_SIGINFO) || A.sa_handler != SIG_IGN) {
    // The program's handler is called once. It may jump out of abort(), which then has not ended anything.
    sigset_t Abort;
    sigemptyset(&Abort);
    sigaddset(&Abort, SIGABRT);
    pthread_sigmask(SIG_UNBLOCK, &Abort, nullptr);
    raise(SIGABRT);
    struct sigaction Default{};
    Default.sa_handler = SIG_DFL;
    realSigaction(SIGABRT, &Default, nullptr);
  }
  const unsigned Asked = askPeers(*P);
  if (endHere("was ended by SIGABRT", false))
    awaitPeers(Asked);
  awaitWriting(Second);
}

} // namespace pilgrim
