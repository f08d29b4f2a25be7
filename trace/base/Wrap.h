//===- Wrap.h - sums that wrap around ---------------------------*- C++ -*-===//
#ifndef PILGRIM_TRACE_BASE_WRAP_H
#define PILGRIM_TRACE_BASE_WRAP_H

#include <cstdint>

namespace pilgrim {

/// A value as what may wrap around.
inline uint64_t bits(int64_t V) { return static_cast<uint64_t>(V); }

/// Any 64-bit value may stand in a slot, and the difference of any two in a trace: both wrap around, which is exact.
inline int64_t wrappedSum(int64_t A, int64_t B) { return static_cast<int64_t>(bits(A) + bits(B)); }
inline int64_t wrappedDifference(int64_t A, int64_t B) { return static_cast<int64_t>(bits(A) - bits(B)); }

} // namespace pilgrim

#endif
