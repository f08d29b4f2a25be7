//===- Alignment.h - two sequences, side by side ------------------*- C++ -*-===//
//
// Ranks that do the same may differ in which of their calls are equal: sending to three neighbours takes three
// signatures, or two if two of the neighbours are the same process. Side by side, such sequences become one sequence of
// pairs. Other ranks lack some calls, such as ranks at the border of a grid; a pair then has only one side. Both kinds
// of alignment are built from the grammars, repetition by repetition, without expanding them (internal to trace/).
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
  std::vector<std::pair<uint32_t, uint32_t>> Pairs; ///< pairs of terminals, in the order of first use; None: this side
                                                    ///< lacks the element
};

struct KeyedSequence {
  const GrammarData &Order;
  std::vector<uint64_t> Keys; ///< by terminal: two terminals may be a pair if their keys are equal
  std::vector<int64_t> Places =
      {}; ///< by terminal, or empty: among elements of one side only, the lower place comes first
};

/// Aligns two sequences of equal length, element by element. Nothing if some pair has different keys, or if no result
/// is found in time linear in both grammars.
std::optional<Alignment> align(const KeyedSequence &A, const KeyedSequence &B);

/// Numbers of differences are capped at this.
constexpr size_t MostDifferences = 4;

/// Aligns two sequences that have much in common. Each sequence consists of its side of the result's pairs, without
/// None. Differences: the number of differences between two terminals with the same key; fewer differences make a
/// better pair. It is called once for each pair. The time is that of workOfGaps(); nothing if that is too much.
std::optional<Alignment> alignWithGaps(const KeyedSequence &A, const KeyedSequence &B,
                                       const std::function<size_t(uint32_t, uint32_t)> &Differences);

/// The product of the sizes of both grammars.
uint64_t workOfGaps(const KeyedSequence &A, const KeyedSequence &B);

/// A hash of the sequence, with Keys[T] for each terminal T. It does not depend on the rules of the grammar.
uint64_t hashOfKeys(const KeyedSequence &S);

/// Estimated size of a sequence in a file, with one table entry per terminal. CostOfRanks: of the ranks of an entry
/// that not all ranks of the sequence have.
constexpr size_t CostOfRanks = 2;
size_t costOf(const GrammarData &G);
size_t costOf(const Alignment &A);

} // namespace pilgrim

#endif
