//===- Verify.h - does the trace decode to what happened? --------*- C++ -*-===//
#ifndef PILGRIM_VERIFY_VERIFY_H
#define PILGRIM_VERIFY_VERIFY_H

#include <cstdint>
#include <functional>
#include <span>

namespace pilgrim {

struct Process;

/// Gathers Bytes bytes of every rank in Everyone on rank 0; false if that failed.
using Gather = std::function<bool(const void *Mine, int Bytes, void *Everyone)>;

/// Compares this rank's raw copies with what it decodes to in File, the finished trace; rank 0 prints the outcome of
/// all ranks. A difference with --verify strict makes the exit code 86.
void reportVerification(Process &P, std::span<const uint8_t> File, const Gather &Collect);

/// The same of a rank that is not joined with the others and has File for itself; it prints its own outcome.
void reportVerification(Process &P, std::span<const uint8_t> File);

/// The exit code that strict verification asks for, or 0.
int verificationExitCode();

} // namespace pilgrim

#endif
