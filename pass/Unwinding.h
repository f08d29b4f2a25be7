//===- Unwinding.h - Frames that an exception or longjmp skipped -*- C++ -*-===//
//
// A function with markers knows its own frame where it catches an exception or
// where setjmp returns. One without may still be where the way out of functions
// with markers ends: their frames are to be taken off there, while they are
// still in memory.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_UNWINDING_H
#define PILGRIM_PASS_UNWINDING_H

#include "pass/Reach.h"

namespace pilgrim {

/// An exception that passes the function takes its frame off on its way: code that knows nothing of markers may catch
/// it. IsPopped: whether a call is made when the frame is gone already.
void popWhenUnwound(llvm::Function &Function, llvm::Value &Frame,
                    llvm::function_ref<bool(const llvm::CallBase &)> IsPopped);

/// In a function without markers: where calls that may reach functions with markers are left in another way than by
/// returning, frames that are gone are taken off.
void dropSkippedFrames(llvm::Function &Function, const Reach &Reach);

} // namespace pilgrim

#endif
