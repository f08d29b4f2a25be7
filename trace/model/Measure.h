//===- Measure.h - numbers taken at an event --------------------*- C++ -*-===//
//
// A measure is what was measured of calls of one function, at one site and depth, at one event: how many calls there
// were, and a sum for each metric, over all ranks that made them. Measures stand beside the calls, in EventData;
// variants of signatures refer to them. What becomes of signatures when ranks are merged changes no sum: where calls of
// two sides come to stand at one place, their measures are united and the sums added; where an entry parts into
// several, all parts refer to the same measure. So sums over all calls of a measure are exact. What the ranks of a
// measure contributed to it is not known; a rank's own part is said to be a mean.
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
  bool IsMean = false; ///< a share of the sum by the number of calls, not what was measured of these calls

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
  /// What so many of the calls have of a sum: all of it if they are all the calls, else their share of it.
  MeasuredPart part(Metric M, uint64_t Of) const {
    if (Of >= Calls)
      return {sum(M), false};
    return {static_cast<uint64_t>(static_cast<unsigned __int128>(sum(M)) * Of / Calls), Of != 0};
  }
};

/// A variant that refers to no measure: of a group without times.
constexpr uint32_t NoMeasure = UINT32_MAX;

/// Adds up what was measured of some of a trace's calls. All readers that tell times of some ranks go by this.
class MeasuredSum {
public:
  /// So many calls of a measure, which stays where it is, on each of so many ranks.
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
