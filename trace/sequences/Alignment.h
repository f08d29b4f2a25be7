//===- Alignment.h - two sequences, side by side ------------------*- C++ -*-===//
//
// Ranks that do the same may differ in which of their calls are equal: to send to three neighbours takes three
// signatures, or two where two of them are one process. Side by side, such sequences are one sequence of pairs. Others
// lack some calls, as those at the border of a grid do: then a pair has only one side. Both are made from the grammars,
// repetition by repetition, without expanding them (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_ALIGNMENT_H
#define PILGRIM_TRACE_SEQUENCES_ALIGNMENT_H

#include "trace/sequences/Grammar.h"

#include <functional>
#include <optional>
#include <utility>

namespace pilgrim {

/// Two sequences as one.
struct Alignment {
  static constexpr uint32_t None = UINT32_MAX;
  GrammarData Order;                                ///< over indices into Pairs
  std::vector<std::pair<uint32_t, uint32_t>> Pairs; ///< of terminals of both, in the order of their first use; None:
                                                    ///< what only the other one has
};

struct KeyedSequence {
  const GrammarData &Order;
  std::vector<uint64_t> Keys; ///< by terminal: what has to be the same of two that may be a pair
  std::vector<int64_t> Places =
      {}; ///< by terminal, or empty: of what only one side has, that in the lower place is first
};

/// Two sequences of one length, element by element. Nothing where some have different keys, or the result is not found
/// in a time that is linear in both grammars.
std::optional<Alignment> align(const KeyedSequence &A, const KeyedSequence &B);

/// What more than this is as much as this.
constexpr size_t MostDifferences = 2;

/// Two sequences that have much in common: each is what the result has of its side. Differences: in how much two
/// terminals of the same key differ; the less, the better a pair they are. It is asked once for each pair. Nothing
/// where the grammars are too large for this, which takes a time that is the product of both.
std::optional<Alignment> alignWithGaps(const KeyedSequence &A, const KeyedSequence &B,
                                       const std::function<size_t(uint32_t, uint32_t)> &Differences);

/// A hash of the sequence of Keys[T] for each terminal T: the same however the sequence came to its rules.
uint64_t hashOfKeys(const KeyedSequence &S);

/// What a sequence takes in a file, roughly, with as many entries behind it as it has terminals.
size_t costOf(const GrammarData &G);
size_t costOf(const Alignment &A);

} // namespace pilgrim

#endif
