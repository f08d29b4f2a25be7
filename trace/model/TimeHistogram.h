//===- TimeHistogram.h - how often times were how long ------------*- C++ -*-===//
//
// Times in bins of equal ratio (TimeBins.h), in nanoseconds. All ranks have the same bins, so histograms are added
// exactly and in any order. Bins that are balanced while they are filled (Ratn et al., "Preserving Time in Large-Scale
// Communication Traces", algorithms 1 and 2) adapt to the times, but those of two ranks differ, and what is in them has
// to be divided by guess when they are merged.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_TIMEHISTOGRAM_H
#define PILGRIM_TRACE_MODEL_TIMEHISTOGRAM_H

#include "trace/base/Saturate.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace pilgrim {

struct TimeHistogram {
  uint32_t Error = 0;           ///< of the bins: TimeBound::Relative; 0: there is no histogram
  uint32_t First = 0;           ///< bin that Counts begins with
  std::vector<uint64_t> Counts; ///< of consecutive bins; they stay at the limit

  /// Errors that histograms have, in millionths.
  static constexpr uint32_t LeastError = 10'000, MostError = 500'000;

  /// The bins that would be added for this one.
  size_t growth(uint32_t Bin) const {
    if (Bin - First < Counts.size())
      return 0;
    return Counts.empty() ? 1 : Bin < First ? First - Bin : Bin - First - Counts.size() + 1;
  }
  void count(uint32_t Bin, uint64_t N = 1) {
    if (Bin - First >= Counts.size()) [[unlikely]]
      makeRoom(Bin);
    addProduct(Counts[Bin - First], N, 1);
  }
  /// Histograms with other bins cannot be added: nothing is left then.
  void add(const TimeHistogram &O) {
    if (O.Counts.empty())
      return;
    if (Counts.empty())
      Error = O.Error;
    else if (Error != O.Error)
      *this = {};
    if (Error != O.Error)
      return;
    for (size_t I = 0; I < O.Counts.size(); ++I)
      if (O.Counts[I])
        count(O.First + static_cast<uint32_t>(I), O.Counts[I]);
  }
  uint64_t total() const {
    uint64_t Sum = 0;
    for (const uint64_t N : Counts)
      addProduct(Sum, N, 1);
    return Sum;
  }
  /// The bin that contains the time which a share of all times, from 0 to 1, does not exceed. There must be some.
  uint32_t quantile(double Share) const {
    const double Rank = Share * static_cast<double>(total());
    double Seen = 0;
    size_t I = 0;
    for (size_t J = 0; J < Counts.size() && (Seen < Rank || !Seen); ++J)
      if (Counts[J]) {
        Seen += static_cast<double>(Counts[J]);
        I = J;
      }
    return First + static_cast<uint32_t>(I);
  }
  bool operator==(const TimeHistogram &) const = default;

private:
  void makeRoom(uint32_t Bin) {
    if (Counts.empty())
      First = Bin;
    if (Bin < First) {
      Counts.insert(Counts.begin(), First - Bin, 0);
      First = Bin;
    }
    if (Bin - First >= Counts.size())
      Counts.resize(size_t(Bin) - First + 1);
  }
};

} // namespace pilgrim

#endif
