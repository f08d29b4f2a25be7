//===- VerifyRun.h - hands a run to verify/ ----------------------*- C++ -*-===//
#ifndef PILGRIM_FINISH_VERIFYRUN_H
#define PILGRIM_FINISH_VERIFYRUN_H

#include "verify/Verify.h"

namespace pilgrim {

struct Process;

/// What verify/ needs of this rank and of the MPI library. Valid while P's threads are not changed.
VerifiedRank verifiedRank(const Process &P);

} // namespace pilgrim

#endif
