//===- SignalStack.cpp - a stack for what follows an overflow -------------===//
#include "finish/SignalStack.h"
#include "memory/Reserve.h"

#include <atomic>
#include <dlfcn.h>
#include <ucontext.h>

namespace pilgrim {

/// As large as most main stacks: a handler of the program that asks for an alternate stack (SA_ONSTACK) where it has
/// none runs on this one. Pages that nobody writes cost nothing.
constexpr size_t SizeOfStack = size_t(8) << 20;
static constinit std::atomic<void *> Pages{nullptr};
static constexpr stack_t None{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};

static bool isOurs(const stack_t &S) { return S.ss_sp && S.ss_sp == Pages; }

static SignalStackFn *realFunction() {
  static constinit std::atomic<SignalStackFn *> Real{nullptr};
  if (!Real)
    Real = reinterpret_cast<SignalStackFn *>(dlsym(RTLD_NEXT, "sigaltstack"));
  return Real;
}

void giveSignalStack() {
  SignalStackFn *Real = realFunction();
  stack_t Now;
  if (Pages || !Real || Real(nullptr, &Now) != 0 || !(Now.ss_flags & SS_DISABLE))
    return;
  Pages = memory::ownPages(SizeOfStack);
  const stack_t Ours{.ss_sp = Pages, .ss_flags = 0, .ss_size = SizeOfStack};
  if (Pages)
    Real(&Ours, nullptr);
}

void takeSignalStack() {
  stack_t Now;
  if (!Pages || realFunction()(nullptr, &Now) != 0 || !isOurs(Now) || realFunction()(&None, nullptr) != 0)
    return;
  memory::ownPagesBack(Pages, SizeOfStack);
  Pages = nullptr;
}

void takeSignalStackAfter(void *Context) {
  stack_t &Then = static_cast<ucontext_t *>(Context)->uc_stack;
  if (isOurs(Then))
    Then = None;
}

int signalStackAsSeen(const stack_t *New, stack_t *Old, SignalStackFn *Next) {
  stack_t Before;
  if (Next(New, &Before) != 0)
    return -1;
  if (Old)
    *Old = isOurs(Before) ? None : Before;
  return 0;
}

} // namespace pilgrim
