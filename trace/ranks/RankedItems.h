//===- RankedItems.h - a sequence of items of some ranks --------*- C++ -*-===//
//
// Ranks that do the same share a sequence, though they do not do it equally often: how often a loop of the sequence is
// repeated may be a function of the rank, as a slot of a signature is.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_RANKEDITEMS_H
#define PILGRIM_TRACE_RANKS_RANKEDITEMS_H

#include "trace/ranks/ByRank.h"
#include "trace/sequences/Grammar.h"

namespace pilgrim {

/// What happened at an event: a call, or an activation of a node below.
struct Item {
  bool IsNode = false;
  uint32_t Index = 0; ///< into the nodes, or the Signatures table (in a sequence of paths: the Paths table)
  bool operator==(const Item &) const = default;
};

/// A sequence of items that is the same for Ranks; but ranks that a signature has no variant for do not have its calls.
struct RankedItems {
  RankSet Ranks;
  GrammarData Order; ///< over indices into Items, which are in the order of their first use
  std::vector<Item> Items;
  /// By the place of a symbol, counted through all rules: how often it stands there. Order has 2 there.
  ByRank Counts{};

  /// The sequence of one of Ranks.
  GrammarData of(uint32_t Rank, uint32_t World) const;
  /// Ranks that have the same sequence, and what each terminal's calls are there.
  struct Share {
    RankSet Ranks;
    std::vector<uint64_t> Calls; ///< by terminal
  };
  std::vector<Share> shares(uint32_t World) const;
  /// Whether the sequence is what rule 1 stands for again and again, and nothing else.
  bool repeats() const {
    const auto &Start = Order.Rules[0];
    return Start.size() == 1 && Start[0].IsRule && Start[0].Value == 1 &&
           (Counts.empty() || (Counts.size() == 1 && Counts.contains(0)));
  }
  /// Of those shares: all calls of one terminal that these ranks make.
  static uint64_t calls(const std::vector<Share> &Shares, size_t Terminal, const RankSet &Ranks) {
    uint64_t N = 0;
    for (const Share &S : Shares)
      N += Terminal < S.Calls.size() ? S.Calls[Terminal] * commonSize(S.Ranks, Ranks) : 0;
    return N;
  }
  /// Takes in Other's ranks and counts, if its rules are the same but for these, and few of them differ. What the items
  /// are is the caller's.
  bool join(const RankedItems &Other, uint32_t World);
  /// For a reader, after Order and Counts were read: whether each rank has a sequence.
  bool isSane(ByteReader &R, uint32_t World) const;
};

/// Calls F(const RankedItems &) for each sequence, in which counts are not functions: one after the other for the ranks
/// that have the same. It belongs to the list or is gone after the call.
template <typename Fn> void forEachPart(const std::vector<RankedItems> &L, uint32_t World, Fn &&F) {
  for (const RankedItems &X : L) {
    if (X.Counts.empty()) {
      F(X);
      continue;
    }
    for (RankedItems::Share &S : X.shares(World)) {
      GrammarData Order = X.of(S.Ranks.first(), World);
      F(static_cast<const RankedItems &>(RankedItems{std::move(S.Ranks), std::move(Order), X.Items}));
    }
  }
}

} // namespace pilgrim

#endif
