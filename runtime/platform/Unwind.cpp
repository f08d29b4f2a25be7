//===- Unwind.cpp - the way up a thread's stack ---------------------------===//
#include "platform/Unwind.h"
#include "platform/LoadedModules.h"

#include <algorithm>
#include <gnu/libc-version.h>
#include <sys/auxv.h>
#include <unwind.h>
#include <utility>

namespace pilgrim {

Unwinder::Unwinder(uintptr_t StackEnd, Predicate IsOurs)
    : StackEnd(StackEnd), IsOurs(IsOurs), Rows(size_t(1) << RowBits) {}

Unwinder::Row Unwinder::readRow(uintptr_t Return) const {
  // The call may be the last instruction of its function. So the byte before the return address is looked up.
  return {Return, frameRule(Return - 1), IsOurs(Return)};
}

const Unwinder::Row &Unwinder::row(uintptr_t Return) {
  const size_t Place = Return * 0x9e3779b97f4a7c15ull >> (64 - RowBits);
  Row &W = Rows[Place], &Second = Rows[Place ^ 1];
  if (W.Return == Return) [[likely]]
    return W;
  if (Second.Return == Return)
    return Second;
  Second = W;
  return W = readRow(Return);
}

/// Goes from a frame to its caller's. Reads nothing outside of the stack, whatever the tables say.
bool Unwinder::up(Registers &R, const FrameRule &W) const {
  auto Load = [&](uintptr_t At, uintptr_t &To) {
    if (At < R.Stack || At >= StackEnd || At & 7)
      return false;
    To = *reinterpret_cast<const uintptr_t *>(At);
    return true;
  };
  uintptr_t End = (W.F == FrameRule::Stack ? R.Stack : R.Pointer) + static_cast<uintptr_t>(intptr_t(W.Offset));
  if (W.F == FrameRule::Loaded && !Load(End, End))
    return false;
  if (End <= R.Stack)
    return false;
  const uintptr_t Place =
      (W.P == FrameRule::InFrame ? End : R.Pointer) + static_cast<uintptr_t>(intptr_t(W.PointerOffset));
  if (!Load(End - 8, R.Return) || (W.P != FrameRule::Same && !Load(Place, R.Pointer)))
    return false;
  R.Stack = End;
  return true;
}

void Unwinder::forgetUnloaded() {
  if (const uint64_t Now = unloads(); Now != Unloads) [[unlikely]] {
    std::ranges::fill(Rows, Row());
    Unloads = Now;
  }
}

[[gnu::noinline]] bool Unwinder::walk(FrameSink &Sink) {
  forgetUnloaded();
#if defined(__x86_64__)
  Registers R;
  asm volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2"
               : "=&r"(R.Return), "=&r"(R.Stack), "=&r"(R.Pointer));
  for (bool IsFirst = true;; IsFirst = false) {
    const Row &W = row(R.Return);
    if (!IsFirst && !Sink.take(R.Return, R.Stack, W.IsOurs))
      return false;
    if (W.Rule.F == FrameRule::End)
      return true;
    if (W.Rule.F == FrameRule::Unusual || !up(R, W.Rule))
      break;
  }
  Sink.restart();
#endif
  return walkSlowly(Sink);
}

[[gnu::noinline]] bool Unwinder::walkSlowly(FrameSink &Sink) {
  forgetUnloaded();
  struct Walk {
    Unwinder &U;
    FrameSink &Sink;
    bool IsFirst = true;
  } Own{*this, Sink};
  auto Result = _Unwind_Backtrace(
      [](_Unwind_Context *C, void *P) {
        auto *Own = static_cast<Walk *>(P);
        uintptr_t Return = _Unwind_GetIP(C);
        if (std::exchange(Own->IsFirst, false))
          return _URC_NO_REASON;
        // libgcc reports a frame with return address 0 behind the last one.
        bool GoOn = !Return || Own->Sink.take(Return, _Unwind_GetCFA(C), Own->U.row(Return).IsOurs);
        return GoOn ? _URC_NO_REASON : _URC_NORMAL_STOP;
      },
      &Own);
  return Result == _URC_END_OF_STACK;
}

bool Unwinder::isStart(uintptr_t Return) {
  if (areInOneModule(reinterpret_cast<void *>(Return), reinterpret_cast<void *>(&gnu_get_libc_version)))
    return true;
  const uintptr_t Function = functionAt(Return - 1);
  return Function && Function == getauxval(AT_ENTRY);
}

} // namespace pilgrim
