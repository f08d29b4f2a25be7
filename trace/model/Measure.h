//===- Measure.h - numbers taken at an event --------------------*- C++ -*-===//
//
// A measure is what was measured of calls of one function, at one site and depth, at one event: how many calls there
// were, and a sum for each metric, over all ranks that made them. Measures are stored beside the calls, in EventData;
// variants of signatures refer to them. Merging ranks changes signatures, but no sum: when calls of two sides get the
// same place, their measures are united and the sums added; when an entry is divided, all parts refer to the same
// measure. So sums over all calls of a measure are exact. The contribution of a single rank is not known; a rank's part
// is estimated and marked as a mean.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_MEASURE_H
#define PILGRIM_TRACE_MODEL_MEASURE_H

#include "trace/base/Saturate.h"

#include <array>
#include <cstddef>
#include <iterator>
#include <map>

namespace pilgrim {

/// What is measured of a call. Gap: the time since the end of the previous call of the thread.
enum class Metric : uint8_t { Duration, Gap };
struct MetricInfo {
  const char *Name, *Unit; ///< Unit: of the sums
};
/// By Metric. The file has them in this order.
constexpr MetricInfo Metrics[] = {{"duration", "ns"}, {"gap", "ns"}};
constexpr size_t NumMetrics = std::size(Metrics);

/// A part of a measure's sum.
struct MeasuredPart {
  uint64_t Sum = 0;
  bool IsMean = false; ///< estimated: a share of the sum by the number of calls, not measured for these calls

  void add(const MeasuredPart &Other) {
    addProduct(Sum, Other.Sum, 1);
    IsMean |= Other.IsMean;
  }
};

struct Measure {
  uint64_t Calls = 0;
  std::array<uint64_t, NumMetrics> Sums{};

  uint64_t sum(Metric M) const { return Sums[static_cast<size_t>(M)]; }
  double mean(Metric M) const { return Calls ? static_cast<double>(sum(M)) / static_cast<double>(Calls) : 0; }
  void add(const Measure &Other) {
    addProduct(Calls, Other.Calls, 1);
    for (size_t M = 0; M < NumMetrics; ++M)
      addProduct(Sums[M], Other.Sums[M], 1);
  }
  /// The part of a sum that belongs to Of calls: all of it if these are all calls, else a share by their number.
  MeasuredPart part(Metric M, uint64_t Of) const {
    if (Of >= Calls)
      return {sum(M), false};
    return {static_cast<uint64_t>(static_cast<unsigned __int128>(sum(M)) * Of / Calls), Of != 0};
  }
};

/// Marks a variant without a measure, in a group without times.
constexpr uint32_t NoMeasure = UINT32_MAX;

/// Adds up the measures of some calls of a trace. All readers that report times of some ranks use this.
class MeasuredSum {
public:
  /// Adds Calls calls of M on each of Ranks ranks. M must stay where it is.
  void add(const Measure &M, uint64_t Calls, uint64_t Ranks = 1) { addProduct(Own[&M], Calls, Ranks); }
  MeasuredPart total(Metric Of) const {
    MeasuredPart All;
    for (const auto &[M, Calls] : Own)
      All.add(M->part(Of, Calls));
    return All;
  }

private:
  std::map<const Measure *, uint64_t> Own;
};

} // namespace pilgrim

#endif
