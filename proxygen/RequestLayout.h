//===- RequestLayout.h - where requests lie in a replay or proxy -*- C++ -*-===//
//
// MPI may give requests that are complete at once one handle: a tracer tells them apart by the places of their
// variables. A program has the requests that a call completes in an array, in an order of its own, and a trace has
// their numbers. So replays and proxies place requests such that arrays lie in a row, as they did in the program.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_REQUESTLAYOUT_H
#define PILGRIM_PROXYGEN_REQUESTLAYOUT_H

#include "trace/read/Walk.h"

#include <cstdint>
#include <span>
#include <vector>

namespace pilgrim {

/// A place for each number of a request. No two numbers have one place.
class RequestLayout {
public:
  RequestLayout() = default;
  /// Arrays: numbers of requests that calls have side by side, -1 for null. Those that are one after the other keep
  /// their numbers as places. Of others, longer ones come first. An array some of whose numbers have places already is
  /// left as it is, and so is one with a number below -1 or above MostNumbers.
  explicit RequestLayout(std::span<const std::vector<int64_t>> Arrays);
  /// For one rank.
  static RequestLayout of(const Walk &W, uint32_t Rank);
  /// Whether each number is its place.
  bool isByNumber() const { return Places.empty(); }
  uint32_t place(uint32_t Number) const { return Number < Places.size() ? Places[Number] : Number + Added; }

  static constexpr int64_t MostNumbers = 1 << 16;
  static constexpr size_t MostArrays = 4096; ///< different ones; more are not looked at

  bool operator==(const RequestLayout &) const = default;

private:
  bool placeArray(std::span<const int64_t> Array);

  std::vector<uint32_t> Places; ///< by number
  std::vector<bool> IsTaken;    ///< by place
  uint32_t Added = 0;           ///< places more than numbers in Places
};

/// Those of all ranks. They are by number if a number in any call changes from call to call, is an offset or the like
/// from the rank, or is of another thread; or if ranks differ in more than MostSets ways.
class RequestLayouts {
public:
  static RequestLayouts of(const Walk &W);
  bool isByNumber() const { return All.empty(); }
  /// The places of requests with these numbers, each with its ranks; negative ones stay. Not if all are by number.
  std::vector<RankFn::Level> places(const RankFn &Number, const RankSet &Ranks) const;

  static constexpr size_t MostSets = 64;

private:
  struct OfRanks {
    RankSet Ranks;
    RequestLayout Layout;
  };
  std::vector<OfRanks> All; ///< the sets are disjoint; none: by number
};

} // namespace pilgrim

#endif
