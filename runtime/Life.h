//===- Life.h - what became of this process ----------------------*- C++ -*-===//
//
// What Life.cpp decided, for the end of the process (ExitFunctions.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_RUNTIME_LIFE_H
#define PILGRIM_RUNTIME_LIFE_H

namespace pilgrim {

/// Nothing is traced in this process, and nothing will be traced any more.
bool isInert();
/// A line has said why.
bool saidWhyInert();
/// This process is a copy of a traced one (fork), and has made no MPI call of its own. It may end in exit(), and must
/// not write the trace then.
bool isForkedCopy();
/// This process was made by the program, whether it makes MPI calls or not.
bool wasForked();
/// This very process was started by `pilgrim run`.
bool isRunByTool();

/// Finds out what has to be known if this process, which `pilgrim run` started, ends by _exit() and was not traced.
void expectNothing();
/// At _exit(): says that nothing was traced, if so. May be called in a handler of a signal.
void sayNothingAtExit();

/// Sees to it that a process that ends by exit() leaves its trace. Called by this library's constructor.
void registerExitFunctions();

} // namespace pilgrim

#endif
