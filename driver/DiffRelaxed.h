//===- DiffRelaxed.h - differences that are not of order ---------*- C++ -*-===//
//
// For programs that complete requests, or match wildcards, in another order in each run. Of each rank and thread what
// is compared is how often it makes each call, how many requests it completes, and how often it gets each message.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_DIFFRELAXED_H
#define PILGRIM_DRIVER_DIFFRELAXED_H

#include "driver/DiffCalls.h"

namespace pilgrim {

/// One line for the ranks whose first difference has the same text, and one that says what was not compared. Returns
/// the exit code.
int diffRelaxed(const DiffInput &A, const DiffInput &B);

} // namespace pilgrim

#endif
