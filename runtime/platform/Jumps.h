//===- Jumps.h - parts of the stack that are left ----------------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_JUMPS_H
#define PILGRIM_PLATFORM_JUMPS_H

#include "api/Markers.h"
#include "platform/Stacks.h"

#include <cstddef>
#include <cstdint>

namespace pilgrim {

/// Sets what is called before a longjmp, and when an exception leaves a function that has PILGRIM_LEFT_BY_EXCEPTIONS.
/// Stack: whatever lies below it on the calling thread's stack is left, and what lies above it is whole. Null: nothing
/// is called.
using LeaveHook = void(uintptr_t Stack);
void setLeaveHook(LeaveHook *Hook);
/// Calls it.
void leaveBelow(uintptr_t Stack);
/// In a function: names the personality routine of Exceptions.cpp in its unwind table, by its distance in four bytes.
/// It is no code. Forced unwinding, which ends a thread, counts as an exception.
#define PILGRIM_LEFT_BY_EXCEPTIONS asm volatile(".cfi_personality 0x1b, pilgrim_unwinding" ::)
/// Drops the calling thread's frames of instrumented code below Stack (api/Markers.h), if that is on the thread's own
/// stack.
inline void dropFramesBelow(uintptr_t Stack) {
  if (!FrameStack.holds(Stack))
    return;
  const AddressRange Left{FrameStack.Begin, Stack};
  PilgrimFrame *Top = __pilgrim_top, *Mark = nullptr;
  for (size_t Walked = 1; Left.holds(reinterpret_cast<uintptr_t>(Top)) && Top != Mark; ++Walked) {
    if ((Walked & (Walked - 1)) == 0)
      Mark = Top; // a cyclic chain is corrupt
    Top = Top->Parent;
  }
  __pilgrim_top = Left.holds(reinterpret_cast<uintptr_t>(Top)) ? nullptr : Top;
}

} // namespace pilgrim

#endif
