//===- Alignment.h - two sequences, side by side ------------------*- C++ -*-===//
//
// Ranks that do the same may differ in which of their calls are equal: to send to three neighbours takes three
// signatures, or two where two of them are one process. Side by side, such sequences are one sequence of pairs. It is
// made from the grammars, repetition by repetition, without expanding them (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_ALIGNMENT_H
#define PILGRIM_TRACE_ALIGNMENT_H

#include "trace/Grammar.h"

#include <functional>
#include <optional>
#include <span>
#include <utility>

namespace pilgrim {

/// Two sequences of one length as one.
struct Alignment {
  GrammarData Order;                                ///< over indices into Pairs
  std::vector<std::pair<uint32_t, uint32_t>> Pairs; ///< of terminals of both, in the order of their first use
};

/// Nothing where the result has more than MaxPairs pairs, is not found in a time that is linear in both grammars, or
/// has a pair that CanPair refuses.
std::optional<Alignment> align(const GrammarData &A, const GrammarData &B, size_t MaxPairs,
                               const std::function<bool(uint32_t, uint32_t)> &CanPair);

/// A hash of the sequence of Keys[T] for each terminal T: the same however the sequence came to its rules.
uint64_t hashOfKeys(const GrammarData &G, std::span<const uint64_t> Keys);

/// What a sequence takes in a file, roughly, with so many entries behind its terminals.
size_t costOf(const GrammarData &G, size_t Entries);

} // namespace pilgrim

#endif
