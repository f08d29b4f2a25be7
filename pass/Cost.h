//===- Cost.h - What markers would cost a function --------------*- C++ -*-===//
//
// A second copy keeps a function free of markers where they are switched off, at
// the price of its size. Only small functions are worth that: what they compute
// may be less than what their markers cost. This is an estimate from loops alone.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_COST_H
#define PILGRIM_PASS_COST_H

#include "pass/Reach.h"

namespace pilgrim {

/// Whether a function that may reach MPI has markers that are always on: it is large, or they would add less than about
/// half a percent to its instructions.
bool areMarkersInPlace(llvm::Function &Function, const Reach &Reach);

} // namespace pilgrim

#endif
