//===- Tasks.h - what the system says of threads ------------------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_TASKS_H
#define PILGRIM_PLATFORM_TASKS_H

namespace pilgrim {

/// How many of the process's threads that live were made before the calling one: the system gives threads ascending
/// numbers. 0 also if that cannot be found out.
unsigned threadsMadeBefore();

/// Whether the process's first thread has ended, and others go on. What the system says of the process by its number is
/// of that thread: transports may not reach the process any more. False also if that cannot be found out.
bool hasFirstThreadEnded();

} // namespace pilgrim

#endif
