//===- Spread.h - how some numbers are distributed ---------------*- C++ -*-===//
//
// What is kept of numbers that are too many to be kept: how many there were, their sum, the sum of their squares, and
// the least and the largest with the ranks that had them; where it was asked for, a histogram, too. Spreads are added
// in any order with the same result.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_SPREAD_H
#define PILGRIM_TRACE_MODEL_SPREAD_H

#include "trace/base/Saturate.h"
#include "trace/model/TimeHistogram.h"

#include <algorithm>
#include <cmath>

namespace pilgrim {

using UInt128 = unsigned __int128;

struct Spread {
  uint64_t Count = 0, Sum = 0; ///< sums stay at the limit
  UInt128 Squares = 0;
  uint64_t Min = UINT64_MAX, Max = 0; ///< without numbers: UINT64_MAX and 0
  uint32_t MinRank = 0, MaxRank = 0;  ///< the lowest ranks that had them
  TimeHistogram Bins{};

  static Spread of(uint64_t V, uint32_t Rank) { return {1, V, UInt128(V) * V, V, V, Rank, Rank, {}}; }
  void add(const Spread &O) {
    if (!O.Count)
      return;
    if (O.Min < Min || (O.Min == Min && O.MinRank < MinRank)) {
      Min = O.Min;
      MinRank = O.MinRank;
    }
    if (O.Max > Max || !Count || (O.Max == Max && O.MaxRank < MaxRank)) {
      Max = O.Max;
      MaxRank = O.MaxRank;
    }
    addProduct(Count, O.Count, 1);
    addProduct(Sum, O.Sum, 1);
    if (__builtin_add_overflow(Squares, O.Squares, &Squares))
      Squares = ~UInt128(0);
    Bins.add(O.Bins);
  }
  /// Whether the histogram is there and has all numbers, but for rounding. Some ranks may have had none, or no room.
  bool hasHistogram() const {
    const uint64_t InBins = Bins.total();
    return InBins && InBins >= Count - Count / 32 && InBins <= Count + Count / 32;
  }
  Spread withoutBins() const { return {Count, Sum, Squares, Min, Max, MinRank, MaxRank, {}}; }
  double mean() const { return Count ? static_cast<double>(Sum) / static_cast<double>(Count) : 0; }
  /// The sum of the squares of the distances from the mean of Count numbers (at least one).
  static long double aroundMean(UInt128 Squares, uint64_t Sum, uint64_t Count) {
    // Around the whole part of the mean, since squares of large numbers that differ a little have too many digits.
    const uint64_t Mean = Sum / Count, Left = Sum % Count;
    const UInt128 OfMean = UInt128(Mean) * Sum + UInt128(Mean) * Left;
    if (Squares <= OfMean) // rounded
      return 0;
    const long double L = Left;
    return std::max(static_cast<long double>(Squares - OfMean) - L * L / Count, 0.0L);
  }
  /// The standard deviation of these numbers, not an estimate for more of their kind.
  double deviation() const {
    return Count < 2 ? 0 : static_cast<double>(std::sqrt(aroundMean(Squares, Sum, Count) / Count));
  }
  bool operator==(const Spread &) const = default;
};

} // namespace pilgrim

#endif
