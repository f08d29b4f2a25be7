//===- TimeNumbers.h - small numbers, and logarithms of counts ----*- C++ -*-===//
//
// (Internal to trace/times.)
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_TIMES_TIMENUMBERS_H
#define PILGRIM_TRACE_TIMES_TIMENUMBERS_H

#include "trace/sequences/RangeCoder.h"

#include <bit>
#include <cstdint>

namespace pilgrim {

/// A number of any size, mostly small. Numbers of similar size are foreseen.
class NumberModel {
public:
  /// Code: a class of RangeCoder.h. Writes V, or reads a number.
  template <typename Code> uint64_t code(Code &C, uint64_t V) {
    const unsigned Width = static_cast<unsigned>(std::bit_width(V)); // below 2^64 - 1 in what is written
    unsigned W = 0;
    while (W < 64 && C.bit(Longer[W < Most ? W : Most], W != Width))
      ++W;
    if (W < 2)
      return W;
    unsigned Left = W - 1;
    uint64_t Out = 1;
    for (unsigned Modelled = 0; Left && Modelled < 2; ++Modelled) {
      --Left;
      Out = Out << 1 | C.bit(Top[W < Most ? W : Most][Out - 1], V >> Left & 1);
    }
    return Left ? Out << Left | C.raw(Left, V & ((uint64_t(1) << Left) - 1)) : Out;
  }

private:
  static constexpr unsigned Most = 20;
  BitModel Longer[Most + 1], Top[Most + 1][3];
};

/// The binary logarithm of a number of 1 or more, exact to 2^-15.
inline float log2Of(uint64_t V) {
  const auto Whole = static_cast<int>(std::bit_width(V)) - 1;
  const auto F = static_cast<float>(V << (63 - Whole)) * (1.f / 9223372036854775808.f); // 1 to 2
  // A polynomial for 1 to 2.
  const float Fraction =
      -2.787926f + F * (5.047855f + F * (-3.489879f + F * (1.589474f + F * (-0.4025134f + F * 0.04300496f))));
  return static_cast<float>(Whole) + Fraction;
}

} // namespace pilgrim

#endif
