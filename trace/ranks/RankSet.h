//===- RankSet.h - sets of ranks --------------------------------*- C++ -*-===//
//
// A set of world ranks as sorted disjoint intervals. Copies of the set share them. In a file, the intervals are folded
// into nested blocks (start, length, then stride and count per level), so the interior of a d-dimensional grid takes d
// levels for any number of ranks.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_RANKSET_H
#define PILGRIM_TRACE_RANKS_RANKSET_H

#include "trace/base/Bytes.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace pilgrim {

class RankSetPool;

/// The size of the world, and the sets read so far.
struct RankScope {
  uint32_t World;
  RankSetPool *Sets = nullptr;
  RankScope(uint32_t World, RankSetPool *Sets = nullptr) : World(World), Sets(Sets) {}
};

class RankSet {
public:
  struct Interval {
    uint32_t First, Last; // both inclusive
    uint32_t Before = 0;  ///< in a set of several: members before it
    bool operator==(const Interval &O) const { return First == O.First && Last == O.Last; }
  };

  RankSet() = default;
  explicit RankSet(uint32_t Rank) : One{Rank, Rank} {}
  /// All ranks below N.
  static RankSet below(uint32_t N);
  /// All ranks from First to Last, both inclusive.
  static RankSet between(uint32_t First, uint32_t Last);

  bool empty() const { return One.First > One.Last; }
  uint64_t size() const;
  bool contains(uint32_t Rank) const;
  /// Number of members below Rank. If Rank is a member, this is its place.
  uint64_t indexOf(uint32_t Rank) const;
  /// The member at a place below size().
  uint32_t at(uint64_t Place) const;
  uint32_t first() const { return One.First; }
  uint32_t last() const { return One.Last; }
  void unite(const RankSet &Other);
  /// Members of this that are not in Other.
  RankSet without(const RankSet &Other) const;
  /// Members of both.
  RankSet common(const RankSet &Other) const;
  /// Whether all members of this are in Other.
  bool isIn(const RankSet &Other) const;
  bool operator==(const RankSet &Other) const;

  template <typename Fn> void forEach(Fn &&F) const {
    for (const Interval &I : intervals())
      for (uint64_t R = I.First; R <= I.Last; ++R)
        F(static_cast<uint32_t>(R));
  }
  std::span<const Interval> intervals() const {
    if (Many)
      return Many->Intervals;
    return {&One, empty() ? size_t(0) : size_t(1)};
  }
  /// Whether both are the same set in memory; does not look at the members.
  bool isShared(const RankSet &Other) const { return Many == Other.Many && One == Other.One; }

  void write(ByteWriter &W) const;
  /// Reads a set of ranks of a world; on damaged input R.ok() is false
  /// afterwards.
  static RankSet read(ByteReader &R, const RankScope &Scope);

private:
  friend class RankSetUnions;
  /// Two intervals or more, shared between copies of the set.
  struct Shared {
    std::vector<Interval> Intervals;
    void add(Interval I);
    void extend(uint32_t Last) { Intervals.back().Last = Last; }
  };
  static RankSet of(Shared &&S);
  Shared &own();

  Interval One{1, 0}; ///< from the first member to the last; of the empty set First is larger
  std::shared_ptr<Shared> Many;
};

/// Stores equal sets once in memory, so that sets are compared by address.
class RankSetPool {
public:
  RankSet intern(RankSet S);
  /// The set that was read from these bytes before; null: none.
  const RankSet *find(std::span<const uint8_t> Bytes) const;
  /// Keeps S, which was read from these bytes.
  RankSet add(std::span<const uint8_t> Bytes, RankSet S);

private:
  std::unordered_multimap<uint64_t, RankSet> Known;
  std::unordered_map<std::string, RankSet> Read;
};

/// Unites sets. Uniting the same two sets in memory again gives the same set in memory.
class RankSetUnions {
public:
  void unite(RankSet &A, const RankSet &B);

private:
  struct Union {
    RankSet A, B, Both;
  };
  std::unordered_multimap<const void *, Union> Made; ///< by the address of A's intervals
};

/// Divides each set that has ranks both in By and not in By.
void splitSets(std::vector<RankSet> &Sets, const RankSet &By);

/// The element of L whose set contains Rank; null: none. Each element has its set as .Ranks, and the sets are disjoint.
template <typename List> const typename List::value_type *ofRank(const List &L, uint32_t Rank) {
  for (const auto &X : L)
    if (X.Ranks.contains(Rank))
      return &X;
  return nullptr;
}

/// Number of members that A and B have in common.
uint64_t commonSize(const RankSet &A, const RankSet &B);

} // namespace pilgrim

#endif
