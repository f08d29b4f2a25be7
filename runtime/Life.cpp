//===- Life.cpp - from the program's start to its end ---------------------===//
//
// The library is loaded with the program. Its constructor decides whether there is anything to trace. The trace begins
// with the first MPI call and ends with MPI_Finalize, with MPI_Abort or with the process.
//
//===----------------------------------------------------------------------===//
#include "Life.h"
#include "KeptTimes.h"
#include "finish/EndSignals.h"
#include "finish/Finish.h"
#include "finish/Peers.h"
#include "finish/Quiet.h"
#include "memory/Reserve.h"
#include "memory/Segments.h"
#include "platform/Jumps.h"
#include "platform/Launch.h"
#include "platform/LoadedModules.h"
#include "platform/Tasks.h"
#include "pmpi/CopyCallbacks.h"
#include "pmpi/Entries.h"
#include "pmpi/FinalizeCallback.h"
#include "pmpi/Freed.h"
#include "pmpi/Functions.h"
#include "pmpi/Wrap.h"
#include "verify/CallLog.h"
#include "verify/Verify.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <string>
#include <unistd.h>

namespace pilgrim {

static std::atomic<bool> Inert{false};
static bool SaidWhy;
static EntryPoint *FinalizeEntry;
static bool IsForked;
/// Its destructor is called when a thread ends.
static pthread_key_t EndKey;
static bool HasEndKey;

bool isInert() { return Inert; }
bool isForkedCopy() { return IsForked; }
static bool WasForked;
bool wasForked() { return WasForked; }
bool saidWhyInert() { return SaidWhy; }

bool isRunByTool() {
  const char *Run = std::getenv("PILGRIM_RUN");
  return Run && std::atol(Run) == getpid();
}

static void becomeInert(const char *Why) {
  if (Inert.exchange(true))
    return;
  if (Why && isFirstOfLaunch())
    say(Why);
  SaidWhy |= Why != nullptr;
  bypassWrappers();
  unwatchEndSignals();
}

void stopTracing(const char *Why) {
  if (CurrentProcess)
    CurrentProcess->trace(false);
  becomeInert(Why);
}

/// MPI_Finalize of a rank that stopped tracing: the others wait for it.
static int finalizeWithoutTrace() {
  Process &P = *CurrentProcess;
  if (P.Rank >= 0)
    declineRun(P);
  return reinterpret_cast<decltype(Real.MPI_Finalize)>(FinalizeEntry->NextMpi)();
}

/// Called when memory runs out, in the middle of a call that is being recorded. The call can still end: it is served
/// from the reserve. Allocates nothing.
static void memoryExhausted() {
  Process *P = CurrentProcess;
  if (P && !P->Tracing)
    return; // the trace is being finished, and that prints what became of it
  char Why[96];
  std::snprintf(Why, sizeof Why,
                P && P->Rank >= 0 ? "rank %d: out of memory: it goes on untraced, without a trace"
                                  : "out of memory: the program runs untraced",
                P ? P->Rank : 0);
  say(Why);
  SaidWhy = true;
  if (P)
    P->trace(false);
  Inert = true;
  bypassWrappers();
  for (unsigned I = 0; P && !P->IsVirtual && I < NumEntries; ++I)
    if (std::strcmp(functionName(I), "MPI_Finalize") == 0) {
      FinalizeEntry = &EntryPoints[I];
      __atomic_store_n(&FinalizeEntry->Mpi, reinterpret_cast<EntryTarget>(finalizeWithoutTrace), __ATOMIC_RELEASE);
    }
}

/// The other kind of MPI than the one that this library was built for has other handles: nothing of it can be read.
static bool isOtherMpi() {
  bool HasOpenMpi = lookupNext("ompi_mpi_comm_world") != nullptr;
#if defined(OPEN_MPI)
  return !HasOpenMpi;
#else
  return HasOpenMpi;
#endif
}

/// A library that was built by pilgrim-cc brings libpilgrim along, behind the MPI library of a program that was not.
static bool isMpiBeforeUs() {
  void *First = dlsym(RTLD_DEFAULT, "MPI_Init");
  // Another tool may well come first: it passes calls on to us.
  return First && First == lookupNext("MPI_Init") && !areInOneModule(First, &Inert);
}

static void threadEnds(void *Mine);
#if !defined(PILGRIM_VIRTUAL)
static void leaveCalls(uintptr_t Stack);
#endif

/// How long a tick is, from so short a time that a program does not notice; good to a percent.
static double nanoPerTick(const Process &P) {
  constexpr uint64_t Enough = 200000;
  TwoClocks Now = readClocks();
  while (Now.Nano - P.StartNano < Enough)
    Now = readClocks();
  return static_cast<double>(Now.Nano - P.StartNano) / static_cast<double>(Now.Ticks - P.StartTicks);
}

/// PILGRIM_TEST_CLOCK=AHEAD,GAINS: the clock of rank R is R * AHEAD * 10^9 ticks ahead, and gains R * GAINS in 10^6.
/// For tests: so the ranks of one machine are like those of many. False: it says something else.
static bool setClock() {
  const char *Text = std::getenv("PILGRIM_TEST_CLOCK");
  if (!Text)
    return true;
  double Ahead, Gains;
  int Read = 0;
  constexpr double Most = 1e6;
  if (std::sscanf(Text, "%lf,%lf%n", &Ahead, &Gains, &Read) != 2 || Text[Read] || !(std::abs(Ahead) < Most) ||
      !(std::abs(Gains) < Most / 1000))
    return false;
  const long Rank = rankOfLaunch();
  pretendClock(static_cast<uint64_t>(Rank) + 1, Rank * static_cast<int64_t>(Ahead * 1e9),
               Rank * static_cast<int64_t>(Gains * 1e3));
  return true;
}

static TellLevel levelOf(LogOption Log) {
  switch (Log) {
  case LogOption::Error:
    return TellLevel::Error;
  case LogOption::Info:
    return TellLevel::Info;
  case LogOption::Debug:
    return TellLevel::Debug;
  default:
    return TellLevel::Event;
  }
}

/// False: Error says what is wrong.
static bool readOptions(Options &O, std::string &Error) {
  return parseOptions(
      O, [](void *, const char *Name) -> const char * { return std::getenv(Name); },
      [](void *Context, const char *Line) { *static_cast<std::string *>(Context) = Line; }, &Error);
}

/// Finds MPI and decides. Called by the constructor, and again by a first MPI call where MPI came later (dlopen).
static void start() {
  static std::atomic<bool> Started{false};
  if (CurrentProcess || Inert)
    return;
  if (!resolveRealFunctions(lookupNext))
    return standInForMpi(); // so far
  if (Started.exchange(true))
    return;
  if (const char *Parent = std::getenv("PILGRIM_INSIDE"); Parent && std::atol(Parent) != getpid())
    return becomeInert(nullptr); // started by a traced rank, whose trace this must not replace
  if (isMpiBeforeUs())
    return becomeInert(
        "the program finds the MPI library before libpilgrim: it runs untraced (link it with pilgrim-cc, "
        "or start it with pilgrim run)");
  if (isOtherMpi())
    return becomeInert("this program uses another MPI than libpilgrim was built for: it runs untraced");
  keepLines();
  memory::setExhaustedHook(memoryExhausted);
  auto P = std::make_unique<Process>();
  P->Finish = finishRun;
  std::string Error;
  if (!readOptions(P->Opts, Error))
    return becomeInert((Error + "; the program runs untraced").c_str());
  if (!P->Opts.Enabled)
    return becomeInert(nullptr);
  if (!setClock())
    return becomeInert("PILGRIM_TEST_CLOCK: expected AHEAD,GAINS, up to 1000000 and 1000; the program runs untraced");
  limitLines(levelOf(P->Opts.Log));
  P->Timed = P->Opts.Timing != TimingOption::Off;
  if (TimeCoding Coding; findTimeCoding(P->Opts, Coding) && Coding.Codec != TimeCodec::Bins &&
                         !makeSeriesCodec(Coding.Codec, TimeBounds()))
    return becomeInert(("PILGRIM_TIMING=" + P->Opts.value("timing") +
                        ": its library is not on this machine; the program runs untraced")
                           .c_str());
  P->IsOff = P->Opts.Start == StartOption::Off;
  P->Structured = P->Opts.Mode != ModeOption::Dynamic;
  if (P->Opts.Buffers != BuffersOption::Off) {
    watchFrees();
    memory::enable();
  }
  // Behind the memory's: who has the lock of what --verify keeps allocates, so a fork has to take it before memory's.
  if (P->Opts.Verify != VerifyOption::Off) {
    watchReleases();
    startLogging(P->IsOff);
  }
  char Folder[4096];
  if (getcwd(Folder, sizeof Folder))
    P->Folder = Folder;
  P->Run = nameOfRun();
  replaceCopyCallbacks();
  const TwoClocks Now = readClocks();
  P->StartTicks = Now.Ticks;
  P->StartNano = Now.Nano;
#if !defined(PILGRIM_VIRTUAL)
  setLeaveHook(leaveCalls);
#endif
  HasEndKey = pthread_key_create(&EndKey, threadEnds) == 0;
  if (Inert)
    return; // out of memory already
  if (!P->Timed)
    useUntimedWrappers();
  if (TimeCoding Coding; findTimeCoding(P->Opts, Coding)) {
    P->KeepsTimes = true;
    P->TimeErrors = errorsInTicks(*P, Coding.Codec, nanoPerTick);
    P->TimeErrors.Coding = Coding;
  }
  if (P->Opts.Timing == TimingOption::Histogram || P->Opts.Timing == TimingOption::PathHistogram)
    P->NanoPerTick = nanoPerTick(*P);
  P->trace(true);
  CurrentProcess = P.release();
}

static unsigned madeBefore(const Process &P) {
  constexpr unsigned MostAsked = 1024; // it takes 15 us: too long where a program makes threads all the time
  static constinit std::atomic<unsigned> Asked{0};
  return P.IsVirtual || Asked.fetch_add(1, std::memory_order_relaxed) >= MostAsked ? 0 : threadsMadeBefore();
}

ThreadState *attachThread() {
  if (!CurrentProcess && !Inert)
    start();
  Process *P = CurrentProcess;
  if (!P || !P->Tracing)
    return nullptr;
  ThreadState *T;
  bool IsNew;
  const unsigned Before = madeBefore(*P);
  {
    std::lock_guard<Process> L(*P);
    if (!P->Tracing)
      return nullptr; // it has ended meanwhile
    std::tie(T, IsNew) = P->stateFor(Before);
    IsForked = false; // this is the process that uses MPI
    if (P->Threads.size() > 1) {
      for (auto &Each : P->Threads)
        Each->Calls.takeTurns();
      P->HasTurns = true;
      WrapperForm Usual = WrapperForm::Usual;
      ActiveForm.compare_exchange_strong(Usual, WrapperForm::UsualAfterPrologue);
    }
  }
  if (!P->IsVirtual && HasEndKey)
    pthread_setspecific(EndKey, T);
  CurrentThread = T;
  if (!IsNew)
    T->takeOver();
  return T;
}

/// A thread ends: another one may get its number. Destructors that run later may still call MPI; the first such call
/// would give the thread a number again.
static void threadEnds(void *Mine) {
  auto *T = static_cast<ThreadState *>(Mine);
  if (CurrentThread != T)
    return;
  CurrentThread = IdleThread = nullptr;
  std::lock_guard<Process> L(T->P);
  T->P.Ended.insert(T->Index);
}

#if !defined(PILGRIM_VIRTUAL)
/// Ends the open calls that lie below Stack: a longjmp or an exception leaves them.
static void leaveCalls(uintptr_t Stack) {
  ThreadState *T = CurrentThread;
  if (T && T->Log)
    T->Log->leave(Stack);
  if (!T || !T->NumOpen || !T->P.Tracing)
    return;
  while (T->NumOpen) {
    const void *Scope = T->Open[T->NumOpen - 1].Scope;
    if (reinterpret_cast<uintptr_t>(Scope) >= Stack)
      return;
    dropFramesBelow(reinterpret_cast<uintptr_t>(Scope)); // of callbacks inside the call
    recordAbandoned(*T, Scope);
  }
  if (!T->Skipped.Number && T->Freed.empty())
    IdleThread = T;
}
#endif

/// Records what stands behind the last call, which ends the run. That call is recorded already, and not open any more.
static void recordLast() {
  if (CallLog *Log = CurrentThread->Log.get(); Log && Log->Current)
    Log->close(*Log->Current);
  recordBetween(*CurrentThread, __builtin_frame_address(0));
}

int finalize(void (*Record)(void *Call, int Ret), void *Call) {
  return callFinalize(Call, Record, [] {
    recordLast();
    CurrentProcess->Finish(*CurrentProcess);
    if (!CurrentProcess->IsVirtual)
      becomeInert(nullptr);
  });
}

void setCurrentProcess(Process *P) {
  CurrentProcess = P;
  CurrentThread = IdleThread = nullptr;
  Inert = P == nullptr;
}

void aborting(int Code) {
  Process &P = *CurrentProcess;
  recordLast();
  const std::string Why = "MPI_Abort(" + std::to_string(Code) + ") on rank " + std::to_string(P.Rank);
  if (!P.IsVirtual)
    endsOfItself(Why.c_str());
  const unsigned Asked = P.IsVirtual ? 0 : askPeers(P);
  // Another rank that aborts, too, may have asked meanwhile: then everything is written here, and maybe not yet there.
  const EndClaim Claim(P);
  if (!P.Tracing || !Claim) {
    answerAskers(P);
    awaitPeers(Asked);
    awaitEnd();
    return becomeInert(nullptr);
  }
  const unsigned Unanswered = endRecording(P, true);
  writeShard(P, Why.c_str(), {.Unanswered = Unanswered, .IsCause = true});
  answerAskers(P);
  awaitPeers(Asked);
  becomeInert(nullptr);
}

void abortingUntraced() {
  if (CurrentProcess && !CurrentProcess->IsVirtual && !IsForked) {
    awaitOtherEnd();
    awaitEnd();
  }
}

[[maybe_unused]] static void forkedChild() {
  CurrentThread = IdleThread = nullptr;
  IsForked = WasForked = true;
  // Before the first MPI call nobody knows which of the two will make it.
  if (!CurrentProcess || CurrentProcess->Threads.empty())
    return;
  // The child has no MPI of its own; the parent's trace is the parent's.
  CurrentProcess->trace(false);
  Inert = true;
}

#if !defined(PILGRIM_VIRTUAL)
/// Of a process that `pilgrim run` started: what it says if nothing is traced is limited, too.
static void limitLinesAsAsked() {
  Options O;
  if (std::string Error; readOptions(O, Error))
    limitLines(levelOf(O.Log));
}
#endif

} // namespace pilgrim

#if !defined(PILGRIM_VIRTUAL)
__attribute__((constructor(101))) static void loaded() {
  pthread_atfork(nullptr, nullptr, pilgrim::forkedChild);
  pilgrim::registerExitFunctions();
  // A program like ls closes its streams before it ends; that nothing was traced is told only after that.
  if (pilgrim::isRunByTool()) {
    pilgrim::keepLines();
    pilgrim::limitLinesAsAsked();
    pilgrim::expectNothing();
  }
  pilgrim::start();
}
#endif
