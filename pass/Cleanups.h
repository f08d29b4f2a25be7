//===- Cleanups.h - Ways through shared cleanup code ------------*- C++ -*-===//
//
// Where clang leaves a scope in several ways (break, return), it stores which
// one, goes through shared cleanup code, and switches. Where that code does
// nothing but end lifetimes, which is with every local variable of an optimised
// loop, each way is made direct: the switch is no choice of the program.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_CLEANUPS_H
#define PILGRIM_PASS_CLEANUPS_H

#include "llvm/IR/Function.h"

namespace pilgrim {

void makeCleanupsDirect(llvm::Function &Function);

} // namespace pilgrim

#endif
