//===- Tally.h - how often something happens on each rank -------*- C++ -*-===//
//
// A number for each rank. Usually there are few different numbers, each stored with its set of ranks. If there are
// many, a number is stored for each rank (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_TALLY_H
#define PILGRIM_TRACE_RANKS_TALLY_H

#include "trace/ranks/RankFn.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace pilgrim {

/// N for each of Ranks.
struct RankedCount {
  RankSet Ranks;
  uint64_t N = 0;
  bool operator==(const RankedCount &) const = default;
};

/// Numbers of disjoint sets of ranks. Mostly there is one, which then takes no memory of its own.
class RankedCounts {
public:
  using value_type = RankedCount;
  RankedCounts() = default;
  explicit RankedCounts(RankedCount One) : One(std::move(One)) {}
  size_t size() const { return Many.empty() ? !One.Ranks.empty() : Many.size(); }
  bool empty() const { return size() == 0; }
  const RankedCount *begin() const { return Many.empty() ? &One : Many.data(); }
  const RankedCount *end() const { return begin() + size(); }
  RankedCount &operator[](size_t I) { return Many.empty() ? One : Many[I]; }
  RankedCount &back() { return Many.empty() ? One : Many.back(); }
  /// Adds the number of a set that is not empty.
  void push_back(RankedCount X) {
    if (empty()) {
      One = std::move(X);
      return;
    }
    if (Many.empty())
      Many.push_back(std::move(One));
    Many.push_back(std::move(X));
  }
  void clear() { *this = {}; }
  bool operator==(const RankedCounts &O) const { return std::equal(begin(), end(), O.begin(), O.end()); }

private:
  RankedCount One;               ///< if there is one; its ranks are empty if there is none
  std::vector<RankedCount> Many; ///< all, if there are several
};

class Tally {
public:
  /// A number that is not known, or is larger than the length of any sequence.
  static constexpr uint64_t Unknown = uint64_t(1) << 62;

  Tally() = default;
  Tally(const RankSet &Ranks, uint64_t N) : Parts(RankedCount{Ranks, N}) {}
  /// Factor times F for each of Ranks, in the context of the world. F must not be negative.
  Tally(const RankFn &F, const RankSet &Ranks, uint32_t World, uint64_t Factor);
  bool operator==(const Tally &) const = default;

  /// Adds N for all of Ranks. Payer, if there is one, is charged for the memory and work of damaged input.
  void add(const RankSet &Ranks, uint64_t N, ByteReader *Payer = nullptr);
  /// Adds Other's numbers for Ranks.
  void add(const Tally &Other, const RankSet &Ranks, ByteReader *Payer = nullptr);
  /// Calls F(const RankSet &, uint64_t) for disjoint sets of ranks whose union is Ranks. Ranks without a number have 0.
  template <typename Fn> void forEach(const RankSet &Ranks, Fn &&F) const;
  /// The number of a rank; 0 if it has none.
  uint64_t of(uint32_t Rank) const;
  /// The sum over Ranks; saturates.
  uint64_t sum(const RankSet &Ranks) const;
  /// The number that all of Ranks have in common; nothing if they differ.
  std::optional<uint64_t> always(const RankSet &Ranks) const;
  bool isAlways(const RankSet &Ranks, uint64_t N) const { return N < Unknown && always(Ranks) == N; }
  /// Whether both have the same known numbers for Ranks.
  bool isSame(const Tally &Other, const RankSet &Ranks) const;
  /// Whether the number of each of Ranks is known, not 0, and a multiple of Factor.
  bool isMultiple(const RankSet &Ranks, uint64_t Factor) const;
  /// The numbers of Ranks, each divided by Factor.
  RankFn function(const RankSet &Ranks, uint64_t Factor = 1) const;

private:
  static constexpr size_t MaxParts = 256;
  void addOne(uint32_t Rank, uint64_t N, ByteReader *Payer);
  void makeDense(ByteReader *Payer);

  RankedCounts Parts; ///< disjoint; empty if Dense is not
  RankSet Of;         ///< the ranks of Dense
  std::vector<uint64_t> Dense;
};

/// The numbers of Ranks that are not 0.
std::vector<RankedCount> countsOf(const Tally &Numbers, const RankSet &Ranks);
/// The sum over all ranks; saturates.
uint64_t total(const std::vector<RankedCount> &Counts);

/// A * B, or Unknown.
uint64_t tallyProduct(uint64_t A, uint64_t B);
/// A + B, or Unknown.
inline uint64_t tallySum(uint64_t A, uint64_t B) { return std::min(A + B, Tally::Unknown); }

template <typename Fn> void Tally::forEach(const RankSet &Ranks, Fn &&F) const {
  RankSet Rest = Ranks;
  for (const RankedCount &P : Parts) {
    if (P.Ranks == Rest) // the frequent case
      return F(P.Ranks, P.N);
    if (Rest.empty())
      return;
    RankSet Both = P.Ranks.common(Rest);
    if (Both.empty())
      continue;
    Rest = Rest.without(Both);
    F(static_cast<const RankSet &>(Both), P.N);
  }
  if (!Dense.empty()) {
    RankSet Both = Rest.common(Of);
    Rest = Rest.without(Both);
    // Neighbours with the same number are one set.
    for (const RankSet::Interval &I : Both.intervals()) {
      uint64_t Place = Of.indexOf(I.First);
      for (uint64_t R = I.First, End; R <= I.Last; R = End) {
        const uint64_t N = Dense[Place];
        for (End = R; End <= I.Last && Dense[Place] == N; ++End)
          ++Place;
        F(RankSet::between(static_cast<uint32_t>(R), static_cast<uint32_t>(End - 1)), N);
      }
    }
  }
  if (!Rest.empty())
    F(static_cast<const RankSet &>(Rest), uint64_t(0));
}

} // namespace pilgrim

#endif
