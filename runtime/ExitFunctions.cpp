//===- ExitFunctions.cpp - a process that ends by exit() -----------------===//
//
// A process that ends without MPI_Finalize leaves the shards of its ranks. Where in exit() that is done matters: a
// destructor may still call MPI_Finalize, and several threads may call exit() at the same time.
//
//===----------------------------------------------------------------------===//
#include "Life.h"
#include "finish/EndSignals.h"
#include "finish/Finish.h"
#include "finish/Peers.h"
#include "finish/Quiet.h"
#include "platform/Launch.h"
#include "platform/LoadedModules.h"
#include "pmpi/Functions.h"
#include "pmpi/MpiLibraries.h"
#include "pmpi/Wrap.h"
#include "verify/Verify.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

extern "C" int __cxa_atexit(void (*)(void *), void *, void *Library) noexcept;

namespace pilgrim {

/// Whether the process has waited for others that it started.
static bool hadChildren() {
  rusage Children{};
  getrusage(RUSAGE_CHILDREN, &Children);
  return Children.ru_maxrss != 0;
}

/// Leaves the shard of a process that ends without MPI_Finalize, or waits for who does.
static void leaveShard() {
  Process *P = CurrentProcess;
  std::optional<EndClaim> Claim;
  if (P && P->Tracing && !isInert()) {
    // MPI itself ends a run of one rank by exit(), if a call fails.
    const ThreadState *T = CurrentThread;
    const std::string How = T && T->NumOpen
                                ? std::string("in ") + functionName(rowOf(T->Open[T->NumOpen - 1].function()))
                                : std::string("without MPI_Finalize");
    const std::string Why =
        "rank " + std::to_string(P->Rank) + (P->Handles.hasWorld() ? " ended " + How : " used sessions alone");
    endsOfItself(Why.c_str());
    const unsigned Asked = askWhoEndsToo(*P);
    if (Claim.emplace(*P)) {
      const unsigned Unanswered = endRecording(*P, true);
      if (P->Rank >= 0)
        writeShard(*P, Why.c_str(), {.Unanswered = Unanswered, .IsCause = P->Handles.hasWorld()});
      else if (isFirstOfLaunch() && !wasForked()) // a child may have asked MPI_Initialized, and no more
        tell(TellLevel::Event, hadChildren() ? "nothing traced of the program itself: it did not call MPI_Init"
                                             : "nothing traced: the program did not call MPI_Init");
    }
    Claim.reset();
    answerAskers(*P);
    awaitPeers(Asked);
    endTogether(*P);
  } else {
    awaitOtherEnd();
    awaitEnd();
    if (P)
      endTogether(*P);
  }
}

/// Not dlopen() to ask MPI itself: the dynamic linker would initialize once more what it has finalized.
static bool isMpiLoaded() {
  return visitModules([](const ModuleView &Module) { return isWholeMpi(Module.path()); });
}

static void sayNoMpi() {
  tell(TellLevel::Event, hadChildren() ? "nothing traced of the program itself: it does not use MPI"
                                       : "nothing traced: the program does not use MPI");
}

/// Ends what has not ended yet, and says what there is to say.
static void processEnds() {
  const Process *P = CurrentProcess;
  if (isForkedCopy())
    return;
  leaveShard();
  if (int Code = verificationExitCode()) {
    std::fflush(nullptr);
    _exit(Code);
  }
  if (P || saidWhyInert() || isInert() || !isRunByTool() || !isFirstOfLaunch())
    return;
  if (isMpiLoaded())
    return tell(TellLevel::Event,
                "nothing traced: MPI is loaded, but no call of it came to libpilgrim; a library that is "
                "opened with RTLD_DEEPBIND calls past it");
  sayNoMpi();
}

/// What runs here is a program without MPI, and the one whose lines are printed.
static bool IsWithoutMpi = false;

void expectNothing() { IsWithoutMpi = isFirstOfLaunch() && !isMpiLoaded(); }

void sayNothingAtExit() {
  if (IsWithoutMpi && !CurrentProcess && !isInert() && isRunByTool())
    sayNoMpi();
}

// exit() calls what was registered last first. The destructors of all libraries are one such call, which is registered
// when the libraries that a program starts with have been initialized. So what their constructors register comes after
// all destructors, one of which may call MPI_Finalize. Where this library was loaded later it comes before: then the
// destructor here does it.
static bool AreExitCallsDone;
static std::atomic<bool> AreDestructorsDone;
static bool WasLoadedAtStart;

/// Whether this library came with the program. The dynamic linker stands behind all that did, as they need it.
static bool isLoadedAtStart() {
  const auto Own = reinterpret_cast<uintptr_t>(&isLoadedAtStart),
             Linker = reinterpret_cast<uintptr_t>(dlsym(RTLD_NEXT, "__tls_get_addr"));
  bool IsBefore = false;
  visitModules([&](const ModuleView &Module) {
    IsBefore = Module.segmentAt(Own).holds(Own);
    return IsBefore || Module.segmentAt(Linker).holds(Linker);
  });
  return IsBefore;
}

static void calledByExit(void *) {
  AreExitCallsDone = true;
  // A destructor that calls exit() is the last one.
  if (AreDestructorsDone || WasLoadedAtStart)
    processEnds();
}

/// Several threads may call exit(): each function is then called by one of them, and the thread that comes to the end
/// first ends the process. So each thread calls this after the function that writes the shard: it is registered several
/// times, as threads may come here at the same time, and each leaves one to the next before it waits. Where this
/// library was loaded later, what ends the trace is still to come: that is not waited for long.
static void calledLast(void *) {
  if (isForkedCopy())
    return;
  const Process *P = CurrentProcess;
  static thread_local bool HasWaited;
  if (std::exchange(HasWaited, true))
    return;
  if (P && P->Tracing && !isInert())
    __cxa_atexit(calledLast, nullptr, nullptr);
  constexpr uint64_t Limit = 100'000'000; // nanoseconds
  auto IsEnding = [] { return AreDestructorsDone || isOtherEnding(); };
  for (const uint64_t Begin = nanoseconds();
       P && P->Tracing && !isInert() && !IsEnding() && nanoseconds() - Begin < Limit;)
    BookLock::pause();
  if (IsEnding())
    leaveShard();
}

/// quick_exit() calls no destructors, and its _exit() is the C library's own. Registered before the program's, so
/// called behind them: one may call MPI_Finalize.
static void calledByQuickExit() { endWithoutHandlers("ended by quick_exit"); }

void registerExitFunctions() {
  WasLoadedAtStart = isLoadedAtStart();
  std::at_quick_exit(calledByQuickExit);
  constexpr int AtTheSameTime = 16;
  for (int I = 0; I < AtTheSameTime; ++I)
    __cxa_atexit(calledLast, nullptr, nullptr);
  // Of no library: else it would be called by this library's destructors. This library is never unloaded.
  AreExitCallsDone = __cxa_atexit(calledByExit, nullptr, nullptr) != 0;
}

__attribute__((destructor)) static void unloaded() {
  AreDestructorsDone = true;
  if (AreExitCallsDone)
    processEnds();
}

} // namespace pilgrim
