//===- Verify.h - does the trace decode to what happened? --------*- C++ -*-===//
#ifndef PILGRIM_VERIFY_VERIFY_H
#define PILGRIM_VERIFY_VERIFY_H

#include "verify/Books.h"
#include "verify/CallLog.h"
#include "verify/Compare.h"

#include <functional>
#include <span>
#include <vector>

namespace pilgrim {

/// A rank and the copies of its calls.
struct VerifiedRank {
  int Rank = 0;                         ///< in the world
  int First = 0, Joined = 1;            ///< the ranks that the trace is of: so many from the first
  bool IsStrict = false;                ///< a difference changes the program's exit code
  std::vector<const CallLog *> Threads; ///< by number; null: no copies were made
  MpiValues Mpi;
  ObjectLives Objects, Requests; ///< of the calls (Books.h)
};

/// Gathers Bytes bytes of every rank that the trace is of, in Everyone on the first one; false if that failed.
using Gather = std::function<bool(const void *Mine, int Bytes, void *Everyone)>;

/// Compares this rank's copies with what the rank decodes to in File, the finished trace. The first rank prints the
/// outcome of all. If the rank IsStrict, a difference makes the exit code 86.
void reportVerification(const VerifiedRank &R, std::span<const uint8_t> File, const Gather &Collect);

/// The same of a rank that is not joined with the others and has File for itself. It prints its own outcome.
void reportVerification(const VerifiedRank &R, std::span<const uint8_t> File);

/// The exit code that strict verification asks for, or 0.
int verificationExitCode();

} // namespace pilgrim

#endif
