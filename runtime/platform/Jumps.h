//===- Jumps.h - parts of the stack that are left ----------------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_JUMPS_H
#define PILGRIM_PLATFORM_JUMPS_H

#include <cstdint>

namespace pilgrim {

/// Sets what is called before a longjmp, and when an exception has been caught. Stack: whatever lies below it on the
/// calling thread's stack is left. Null: nothing is called.
using LeaveHook = void(uintptr_t Stack);
void setLeaveHook(LeaveHook *Hook);
/// Drops the calling thread's frames of instrumented code below Stack (api/Markers.h), if that is on the thread's own
/// stack.
void dropFramesBelow(uintptr_t Stack);

} // namespace pilgrim

#endif
