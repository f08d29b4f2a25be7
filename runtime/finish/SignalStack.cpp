//===- SignalStack.cpp - a stack for what follows an overflow -------------===//
#include "finish/SignalStack.h"
#include "memory/Reserve.h"
#include "platform/Stacks.h"
#include "pmpi/Markers.h"

#include <atomic>
#include <dlfcn.h>
#include <sys/resource.h>
#include <ucontext.h>

namespace pilgrim {

/// As large as most main stacks: a handler of the program that asks for an alternate stack (SA_ONSTACK) where it has
/// none runs on this one. Pages that nobody writes cost nothing.
constexpr size_t SizeOfFirst = size_t(8) << 20;
/// Of other threads, of which there may be many.
constexpr size_t SizeOfOthers = size_t(1) << 20;
static constexpr stack_t NoStack{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};

/// What this thread was given.
__attribute__((tls_model("initial-exec"))) static constinit thread_local void *Pages = nullptr;

static bool isOurs(const stack_t &S) { return S.ss_sp && S.ss_sp == Pages; }

static SignalStackFn *realFunction() {
  static constinit std::atomic<SignalStackFn *> Real{nullptr};
  if (!Real)
    Real = reinterpret_cast<SignalStackFn *>(dlsym(RTLD_NEXT, "sigaltstack"));
  return Real;
}

/// Whether the calling thread has that stack now.
static bool use(void *New, size_t Size) {
  SignalStackFn *Real = realFunction();
  stack_t Now;
  if (Pages || !New || !Real || Real(nullptr, &Now) != 0 || !(Now.ss_flags & SS_DISABLE))
    return false;
  const stack_t Ours{.ss_sp = New, .ss_flags = 0, .ss_size = Size};
  Pages = Real(&Ours, nullptr) == 0 ? New : nullptr;
  return Pages;
}

/// What the calling thread was given, which it has no more; null if it must keep it.
static void *giveUp() {
  void *Had = Pages;
  stack_t Now;
  if (!Had || realFunction()(nullptr, &Now) != 0 || (isOurs(Now) && realFunction()(&NoStack, nullptr) != 0))
    return nullptr;
  Pages = nullptr;
  return Had;
}

void giveSignalStack() {
  if (Pages)
    return;
  if (void *New = memory::ownPages(SizeOfFirst); New && !use(New, SizeOfFirst))
    memory::ownPagesBack(New, SizeOfFirst);
}

void takeSignalStack() {
  stack_t Now;
  if (Pages && realFunction()(nullptr, &Now) == 0 && isOurs(Now) && Now.ss_size == SizeOfFirst)
    if (void *Had = giveUp())
      memory::ownPagesBack(Had, SizeOfFirst);
}

void takeSignalStackAfter(void *Context) {
  stack_t &Then = static_cast<ucontext_t *>(Context)->uc_stack;
  if (isOurs(Then))
    Then = NoStack;
}

/// Stacks of threads that have ended, for the next ones.
static constinit std::atomic<void *> Spare[32];

static void *stackForThread() {
  for (std::atomic<void *> &S : Spare)
    if (S.load(std::memory_order_relaxed))
      if (void *Old = S.exchange(nullptr))
        return Old;
  rlimit Limit; // where addresses are limited, the program needs them
  if (getrlimit(RLIMIT_AS, &Limit) != 0 || Limit.rlim_cur != RLIM_INFINITY)
    return nullptr;
  return memory::ownPages(SizeOfOthers);
}

static void backFromThread(void *Stack) {
  for (std::atomic<void *> &S : Spare)
    if (void *Free = nullptr; S.compare_exchange_strong(Free, Stack))
      return;
  memory::ownPagesBack(Stack, SizeOfOthers);
}

namespace {
/// Stands at the lowest address of a thread's alternate stack until the thread begins.
struct ThreadStart {
  ThreadFn *Run;
  void *Argument;
};
struct ThreadEndKey {
  ThreadEndKey() {
    IsThere = pthread_key_create(&Key, [](void *) {
                if (void *Had = giveUp())
                  backFromThread(Had);
              }) == 0;
  }
  pthread_key_t Key;
  bool IsThere;
};
} // namespace

static const ThreadEndKey &threadEnd() {
  static const ThreadEndKey End;
  return End;
}

static void *runWithSignalStack(void *Stack) {
  const ThreadStart Start = *static_cast<ThreadStart *>(Stack);
  if (!use(Stack, SizeOfOthers))
    backFromThread(Stack);
  else if (pthread_setspecific(threadEnd().Key, Stack) != 0) // then it is not given back
    Pages = nullptr, realFunction()(&NoStack, nullptr);
  if (hasRegions())
    learnStack();
  return Start.Run(Start.Argument);
}

int createWithSignalStack(pthread_t *Thread, const pthread_attr_t *Attributes, ThreadFn *Run, void *Argument,
                          CreateFn *Next) {
  void *Stack = threadEnd().IsThere ? stackForThread() : nullptr;
  if (!Stack)
    return Next(Thread, Attributes, Run, Argument);
  *static_cast<ThreadStart *>(Stack) = {Run, Argument};
  const int Result = Next(Thread, Attributes, runWithSignalStack, Stack);
  if (Result != 0)
    backFromThread(Stack);
  return Result;
}

int signalStackAsSeen(const stack_t *New, stack_t *Old, SignalStackFn *Next) {
  stack_t Before;
  if (Next(New, &Before) != 0)
    return -1;
  if (Old)
    *Old = isOurs(Before) ? NoStack : Before;
  return 0;
}

} // namespace pilgrim
