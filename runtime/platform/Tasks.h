//===- Tasks.h - in which order threads were made -----------------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_TASKS_H
#define PILGRIM_PLATFORM_TASKS_H

namespace pilgrim {

/// How many of the process's threads that live were made before the calling one: the system gives threads ascending
/// numbers. 0 also if that cannot be found out.
unsigned threadsMadeBefore();

} // namespace pilgrim

#endif
