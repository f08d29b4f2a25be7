//===- TailCalls.h - Recursion that must not grow the stack -----*- C++ -*-===//
//
// A frame that is popped after a call keeps that call from being a tail call.
// So calls in tail position within a cycle of the call graph, and musttail
// calls, are made after the frame is gone. They are no events of the function:
// what they do belongs to its caller.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_TAILCALLS_H
#define PILGRIM_PASS_TAILCALLS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace pilgrim {

using TailCalls = llvm::SmallPtrSet<const llvm::CallBase *, 4>;

/// Makes each call for which IsRecursive holds, and after which nothing is done, the last instruction before a return
/// of its own. Returns these and all musttail calls.
TailCalls isolateTailCalls(llvm::Function &Function, llvm::function_ref<bool(const llvm::CallInst &)> IsRecursive);

} // namespace pilgrim

#endif
