//===- Teams.h - Teams of threads know where they start ---------*- C++ -*-===//
//
// OpenMP's library calls the function of a parallel region on threads that have
// no frames. So the function that it is given is one made here, with an
// argument more: where the team was started (api/Markers.h).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_TEAMS_H
#define PILGRIM_PASS_TEAMS_H

#include "llvm/IR/Instructions.h"

namespace pilgrim {

/// Rewrites a call that starts a team (openmp::isFork), in a function with frames. Frame: the innermost one.
void tellTeam(llvm::CallInst &Fork, llvm::Value &Frame);

} // namespace pilgrim

#endif
