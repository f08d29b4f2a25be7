//===- Exceptions.cpp - calls that an exception leaves --------------------===//
//
// On its way from a callback of the program's to the handler, an exception leaves the wrapper of the MPI call that
// called back. The unwind table of a wrapper names a personality routine, as tables of functions with something to
// destroy do. The unwinder calls it before it comes to the functions around the call, so their frames are whole.
//
//===----------------------------------------------------------------------===//
#include "platform/Jumps.h"
#include "platform/LoadedModules.h"
#include "platform/Symbols.h"

#include <atomic>
#include <unwind.h>

namespace pilgrim {

static constinit std::atomic<LeaveHook *> HookOfLeaving = nullptr;
void setLeaveHook(LeaveHook *New) { HookOfLeaving = New; }

void leaveBelow(uintptr_t Stack) {
  if (LeaveHook *Call = HookOfLeaving.load(std::memory_order_relaxed))
    Call(Stack);
}

namespace {
using StackOfContext = _Unwind_Word(_Unwind_Context *);

/// The function of an unwinder that tells the stack pointer of the frame that it has come to. Code: of the unwinder.
/// Libpilgrim has an unwinder in itself. The program's may be another one, and only that can read its contexts. One
/// that is part of the program has no functions for others; it is taken for one like ours.
StackOfContext *stackOfContext(const void *Code) {
  static constinit std::atomic<StackOfContext *> Last = nullptr;
  StackOfContext *Known = Last.load(std::memory_order_relaxed);
  if (Known && areInOneModule(reinterpret_cast<const void *>(Known), Code))
    return Known;
  ModulePlace Place;
  void *Found = moduleAt(Code, Place) && Place.Path ? symbolInLoaded(Place.Path, "_Unwind_GetCFA") : nullptr;
  if (!Found || !areInOneModule(Found, Code))
    return _Unwind_GetCFA;
  Known = reinterpret_cast<StackOfContext *>(Found);
  Last.store(Known, std::memory_order_relaxed);
  return Known;
}

/// The upper end of the frame that has this stack pointer, which is the caller's stack pointer; 0 if no frame has it.
uintptr_t endOfFrame(uintptr_t Stack) {
  struct Walk {
    uintptr_t Stack, End = 0;
    bool IsFound = false;
  } Own{Stack};
  _Unwind_Backtrace(
      [](_Unwind_Context *C, void *P) {
        auto *Own = static_cast<Walk *>(P);
        const uintptr_t At = _Unwind_GetCFA(C);
        if (Own->IsFound)
          Own->End = At;
        Own->IsFound |= At == Own->Stack;
        return Own->End ? _URC_NORMAL_STOP : _URC_NO_REASON;
      },
      &Own);
  return Own.End;
}
} // namespace

} // namespace pilgrim

using namespace pilgrim;

/// Of functions with PILGRIM_LEFT_BY_EXCEPTIONS.
extern "C" _Unwind_Reason_Code pilgrim_unwinding(int, _Unwind_Action Actions, _Unwind_Exception_Class,
                                                 _Unwind_Exception *, _Unwind_Context *Context) {
  if (Actions & _UA_CLEANUP_PHASE)
    leaveBelow(endOfFrame(stackOfContext(__builtin_return_address(0))(Context)));
  return _URC_CONTINUE_UNWIND;
}
