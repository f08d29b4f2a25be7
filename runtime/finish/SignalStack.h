//===- SignalStack.h - a stack for what follows an overflow ------*- C++ -*-===//
//
// When a stack is used up, the handler of the SIGSEGV that comes of it has none to run on, and the system ends the
// process at once. So the thread that calls MPI_Init and all that pthread_create() makes get an alternate stack for
// signals if they have none. The program does not see it: sigaltstack() is intercepted, as pthread_create() is
// (EndWrappers.cpp). Programs that recurse without end, or keep large arrays on the stack as Fortran's do, end that
// way, and those whose OpenMP threads have small stacks.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_FINISH_SIGNALSTACK_H
#define PILGRIM_FINISH_SIGNALSTACK_H

#include <csignal>
#include <pthread.h>

namespace pilgrim {

/// To the calling thread, if it has none.
void giveSignalStack();
/// Takes it away from the calling thread, if that is the one that has it.
void takeSignalStack();
/// The same for one that is in a handler, and takes effect when that returns. Context: the handler's third argument.
void takeSignalStackAfter(void *Context);

/// The program's pthread_create(); Next: the C library's.
using ThreadFn = void *(void *);
using CreateFn = int(pthread_t *, const pthread_attr_t *, ThreadFn *, void *);
int createWithSignalStack(pthread_t *Thread, const pthread_attr_t *Attributes, ThreadFn *Run, void *Argument,
                          CreateFn *Next);

/// The program's sigaltstack(); Next: the C library's.
using SignalStackFn = int(const stack_t *, stack_t *);
int signalStackAsSeen(const stack_t *New, stack_t *Old, SignalStackFn *Next);

} // namespace pilgrim

#endif
