//===- Measure.h - times taken at an event ----------------------*- C++ -*-===//
//
// A measure is what was measured of calls of one function, at one site and depth, at one event, over all ranks that
// made them: how long they took, and how long the gaps before them were, by what happened before (after Ratn, Mueller,
// de Supinski, Schulz, "Preserving Time in Large-Scale Communication Traces", section 3.3). Measures are stored beside
// the calls, in EventData; variants of signatures refer to them. Merging ranks changes signatures, but no sum: when
// calls of two sides get the same place, their measures are united and added; when an entry is divided, all parts refer
// to the same measure. So numbers over all calls of a measure are exact. The contribution of a single rank is not
// known; a rank's part is estimated and marked as a mean.
//
// What each rank needed at a place of the program is kept apart: how the ranks' own sums are distributed.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_MEASURE_H
#define PILGRIM_TRACE_MODEL_MEASURE_H

#include "trace/model/Spread.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <map>
#include <vector>

namespace pilgrim {

/// What is measured of a call. Gap: the time since the end of the call before it. Of a call inside another one it is
/// the time since the end of the one before it that is inside of the same call; the first one has none.
enum class Metric : uint8_t { Duration, Gap };

/// What happened before a gap.
struct GapPath {
  enum Kind : uint8_t {
    Begin,  ///< nothing: the thread's first call
    Others, ///< one of many things that were not told apart
    Event,  ///< a call at another event
    Call,   ///< a call at the same event
  };
  Kind K = Begin;
  uint32_t Node = 0;  ///< Event: the node
  uint32_t Which = 0; ///< Event: the event's number; Call: index of the measure of that call
  auto operator<=>(const GapPath &) const = default;
};

struct PathGap {
  GapPath Path;
  Spread Gap; ///< nanoseconds
};

/// Function, site + 1 (0: unknown) and depth of a call.
struct MeasuredPlace {
  uint32_t Function = 0, Site = 0, Depth = 0;
  auto operator<=>(const MeasuredPlace &) const = default;
};

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
  MeasuredPlace Place;
  Spread Duration;           ///< nanoseconds
  std::vector<PathGap> Gaps; ///< ascending by path; their counts add up to calls(), or there are none
  TimeHistogram GapBins{};   ///< of the gaps of all paths, where these have no histograms of their own

  /// More paths to one call than this are not told apart.
  static constexpr size_t MaxPaths = 64;

  uint64_t calls() const { return Duration.Count; }
  /// False of what takes no time.
  bool hasTimes() const { return Duration.Max || !Gaps.empty(); }
  uint64_t sum(Metric M) const { return M == Metric::Duration ? Duration.Sum : gaps().Sum; }
  /// The mean in seconds, rounded to 2^-40 s: such times add up to the same sum in any order.
  double meanSeconds(Metric M) const { return std::round(mean(M) / 1e9 * 0x1p40) * 0x1p-40; }
  double mean(Metric M) const { return calls() ? static_cast<double>(sum(M)) / static_cast<double>(calls()) : 0; }
  /// Over all paths.
  Spread gaps() const {
    Spread All;
    for (const PathGap &G : Gaps)
      All.add(G.Gap);
    All.Bins.add(GapBins);
    return All;
  }
  void addGap(GapPath Path, const Spread &Gap) {
    auto At = std::ranges::lower_bound(Gaps, Path, {}, &PathGap::Path);
    if (At == Gaps.end() || At->Path != Path) {
      if (Gaps.size() >= MaxPaths && Path.K != GapPath::Others)
        return addGap({GapPath::Others, 0, 0}, Gap);
      At = Gaps.insert(At, {Path, {}});
    }
    At->Gap.add(Gap);
  }
  /// NewPath: gives a path of Other the name that it has here.
  template <typename Fn> void add(const Measure &Other, Fn &&NewPath) {
    Duration.add(Other.Duration);
    for (const PathGap &G : Other.Gaps)
      addGap(NewPath(G.Path), G.Gap);
    GapBins.add(Other.GapBins);
  }
  void add(const Measure &Other) {
    add(Other, [](GapPath P) { return P; });
  }
  /// The part of a sum that belongs to Of calls: all of it if these are all calls, else a share by their number.
  MeasuredPart part(Metric M, uint64_t Of) const {
    if (Of >= calls())
      return {sum(M), false};
    return {static_cast<uint64_t>(UInt128(sum(M)) * Of / calls()), Of != 0};
  }
};

/// Marks a variant without a measure, in a group without times.
constexpr uint32_t NoMeasure = UINT32_MAX;

/// How long ranks needed at a place of an event: each number is one rank's sum over its calls there, in nanoseconds.
struct PlaceTimes {
  Spread Durations, Gaps;
  void add(const PlaceTimes &O) {
    Durations.add(O.Durations);
    Gaps.add(O.Gaps);
  }
  bool operator==(const PlaceTimes &) const = default;
};

/// The same for a node and all below it. InMpi: in calls that are not inside of others. Outside: before these.
struct NodeTimes {
  Spread InMpi, Outside;
  void add(const NodeTimes &O) {
    InMpi.add(O.InMpi);
    Outside.add(O.Outside);
  }
  bool operator==(const NodeTimes &) const = default;
};

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
  /// Calls F(const Measure &) for each.
  template <typename Fn> void forEach(Fn &&F) const {
    for (const auto &[M, Calls] : Own)
      F(*M);
  }
  /// How the durations of these calls are distributed; without a number if some calls of a measure are not among them.
  Spread durations() const {
    Spread All;
    for (const auto &[M, Calls] : Own) {
      if (Calls < M->calls())
        return {};
      All.add(M->Duration);
    }
    return All;
  }

private:
  std::map<const Measure *, uint64_t> Own;
};

} // namespace pilgrim

#endif
