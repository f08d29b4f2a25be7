//===- Cost.h - What markers would cost a function --------------*- C++ -*-===//
//
// A second copy keeps a function free of markers where they are switched off, at
// the price of its size. Large functions, whose calls are few for what they
// compute, do as well without one. This is an estimate from loops alone.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_COST_H
#define PILGRIM_PASS_COST_H

#include "pass/Reach.h"

namespace pilgrim {

/// Whether markers that are always on would add less than about half a percent to the instructions of a function.
bool areMarkersCheap(llvm::Function &Function, const Reach &Reach);

} // namespace pilgrim

#endif
