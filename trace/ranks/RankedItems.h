//===- RankedItems.h - a sequence of items of some ranks --------*- C++ -*-===//
//
// Ranks with the same sequence share it, even if their repetition counts differ: the count of a loop in the sequence
// may be a function of the rank, as a slot of a signature is.
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

/// A sequence of items that is the same for Ranks. Exception: ranks without a variant of a signature do not have its
/// calls.
struct RankedItems {
  RankSet Ranks;
  GrammarData Order; ///< over indices into Items, which are in the order of their first use
  std::vector<Item> Items;
  /// Counts that differ between ranks, by the place of the symbol, counted through all rules. Order has the placeholder
  /// 2 there.
  ByRank Functions{};

  /// The sequence of one of Ranks.
  GrammarData of(uint32_t Rank, uint32_t World) const;
  /// By terminal: how often its item happens on each rank.
  std::vector<Tally> calls(uint32_t World) const;
  /// Whether the sequence is only a repetition of rule 1.
  bool repeats() const {
    const auto &Start = Order.Rules[0];
    return Start.size() == 1 && Start[0].IsRule && Start[0].Value == 1 &&
           (Functions.empty() || (Functions.size() == 1 && Functions.contains(0)));
  }
  /// Takes in Other's ranks and counts, if the rules are equal apart from counts and few counts differ. Items are not
  /// compared; that is left to the caller. False: nothing was joined.
  bool join(const RankedItems &Other, uint32_t World);
  /// For a decoder, after it has read Order and Functions: whether each rank's sequence is valid.
  bool isSane(uint32_t World) const;
};

/// Calls F once for each set of ranks with equal counts, with a sequence in which counts are not functions. The
/// argument is valid during the call.
void forEachPart(const std::vector<RankedItems> &L, uint32_t World, const std::function<void(const RankedItems &)> &F);

} // namespace pilgrim

#endif
