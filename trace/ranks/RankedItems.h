//===- RankedItems.h - a sequence of items of some ranks --------*- C++ -*-===//
//
// Ranks that do the same share a sequence, though they do not do it equally often: how often a loop of the sequence is
// repeated may be a function of the rank, as a slot of a signature is.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_RANKEDITEMS_H
#define PILGRIM_TRACE_RANKS_RANKEDITEMS_H

#include "trace/ranks/ByRank.h"
#include "trace/ranks/Tally.h"
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
  /// How often each terminal's item happens on each rank, by terminal.
  std::vector<Tally> calls(uint32_t World) const;
  /// Whether the sequence is what rule 1 stands for again and again, and nothing else.
  bool repeats() const {
    const auto &Start = Order.Rules[0];
    return Start.size() == 1 && Start[0].IsRule && Start[0].Value == 1 &&
           (Counts.empty() || (Counts.size() == 1 && Counts.contains(0)));
  }
  /// Takes in Other's ranks and counts, if its rules are the same but for these, and few of them differ. What the items
  /// are is the caller's.
  bool join(const RankedItems &Other, uint32_t World);
  /// For a reader, after Order and Counts were read: whether each rank has a sequence.
  bool isSane(uint32_t World) const;
};

/// Calls F once for each set of ranks with equal counts, with a sequence in which counts are not functions. The
/// argument is valid during the call.
void forEachPart(const std::vector<RankedItems> &L, uint32_t World, const std::function<void(const RankedItems &)> &F);

} // namespace pilgrim

#endif
