//===- Cost.h - What markers would cost a function --------------*- C++ -*-===//
//
// A second copy keeps a function free of markers where they are switched off, at
// the price of its size. That is worth it where markers may be much of what is
// executed: in small functions, and in small loops of calls.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_COST_H
#define PILGRIM_PASS_COST_H

#include "pass/Reach.h"

namespace pilgrim {

/// Whether a function that may reach MPI, but possibly does not, gets a copy for its markers.
bool isCopied(llvm::Function &Function, const Reach &Reach);

} // namespace pilgrim

#endif
