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

/// Where a function that may reach MPI, but possibly does not, has its markers.
enum class MarkersIn : uint8_t {
  Place,    ///< they cost it little
  Copy,     ///< a copy is better, if it can be copied
  CopyAlone ///< they would be much of what it is: no copy, no markers
};
MarkersIn markersIn(llvm::Function &Function, const Reach &Reach);

} // namespace pilgrim

#endif
