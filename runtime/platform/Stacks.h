//===- Stacks.h - where threads' stacks lie ----------------------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_STACKS_H
#define PILGRIM_PLATFORM_STACKS_H

#include "platform/AddressRange.h"

namespace pilgrim {

/// The main thread's stack pointer when the program began.
uintptr_t initialStackPointer();
/// Whether the calling thread is the one that the program began with.
bool isMainThread();
/// The calling thread's stack as the C library knows it; empty if it does not. Of the main thread that is the limit,
/// not what is in use.
AddressRange threadStack();
/// The part of that in which frames of instrumented code are looked at (api/Markers.h); empty if it is not known, or
/// before learnStack(). A coroutine has another stack, which may be unmapped while its frames are still linked.
extern constinit thread_local AddressRange FrameStack __asm__("pilgrim_frame_stack")
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
void learnStack();
/// No frame of the calling thread lies at this address or above it. The greatest address if that is not known.
uintptr_t stackEnd();
/// The system's number of the calling thread.
int threadId();

} // namespace pilgrim

#endif
