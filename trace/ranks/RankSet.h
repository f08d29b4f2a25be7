//===- RankSet.h - sets of ranks --------------------------------*- C++ -*-===//
//
// A set of world ranks as sorted disjoint intervals. Written, the intervals are
// folded into nested blocks (start, length, then stride and count per level),
// so that the interior of a d-dimensional grid takes d levels however many
// ranks there are.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_RANKSET_H
#define PILGRIM_TRACE_RANKS_RANKSET_H

#include "trace/base/Bytes.h"

#include <cstdint>
#include <vector>

namespace pilgrim {

class RankSet {
public:
  struct Interval {
    uint32_t First, Last; // both inclusive
    bool operator==(const Interval &) const = default;
  };

  RankSet() = default;
  explicit RankSet(uint32_t Rank) : Intervals{{Rank, Rank}} {}
  /// All ranks below N.
  static RankSet below(uint32_t N);

  bool empty() const { return Intervals.empty(); }
  uint64_t size() const;
  bool contains(uint32_t Rank) const;
  /// Number of members below Rank: the place of Rank among the members if it is
  /// one.
  uint64_t indexOf(uint32_t Rank) const;
  uint32_t first() const { return Intervals.front().First; }
  void unite(const RankSet &Other);
  /// Members of this that are not in Other.
  RankSet without(const RankSet &Other) const;
  /// Members of both.
  RankSet common(const RankSet &Other) const { return *this == Other ? *this : without(without(Other)); }
  bool operator==(const RankSet &) const = default;

  template <typename Fn> void forEach(Fn &&F) const {
    for (const Interval &I : Intervals)
      for (uint64_t R = I.First; R <= I.Last; ++R)
        F(static_cast<uint32_t>(R));
  }
  const std::vector<Interval> &intervals() const { return Intervals; }

  void write(ByteWriter &W) const;
  /// Reads a set of ranks below Limit; on damaged input R.ok() is false
  /// afterwards.
  static RankSet read(ByteReader &R, uint32_t Limit);

private:
  std::vector<Interval> Intervals;
};

/// Number of members of both.
inline uint64_t commonSize(const RankSet &A, const RankSet &B) {
  return A == B ? A.size() : A.size() - A.without(B).size();
}

} // namespace pilgrim

#endif
