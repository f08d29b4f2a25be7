//===- Saturate.h - sums that stay at the limit -----------------*- C++ -*-===//
#ifndef PILGRIM_TRACE_BASE_SATURATE_H
#define PILGRIM_TRACE_BASE_SATURATE_H

#include <cstdint>

namespace pilgrim {

/// Adds A * B to Sum, which saturates at UINT64_MAX. Damaged traces may have impossible counts.
inline void addProduct(uint64_t &Sum, uint64_t A, uint64_t B) {
  uint64_t Product;
  if (__builtin_mul_overflow(A, B, &Product) || __builtin_add_overflow(Sum, Product, &Sum))
    Sum = UINT64_MAX;
}

} // namespace pilgrim

#endif
