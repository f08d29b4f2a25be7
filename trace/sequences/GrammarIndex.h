//===- GrammarIndex.h - looking into a grammar anywhere -----------*- C++ -*-===//
//
// A grammar gives its sequence front to back. This index finds the element at any place, and the number of elements
// before it, in a time that depends on the grammar, not on the place. It takes eight bytes for each symbol of the
// grammar, and, where it has chunks, for each terminal of each of them.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_GRAMMARINDEX_H
#define PILGRIM_TRACE_SEQUENCES_GRAMMARINDEX_H

#include "trace/sequences/Grammar.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace pilgrim {

/// The index of one grammar. Every function takes the grammar as an argument, so that both can be moved.
class GrammarIndex {
public:
  /// Elements: how many elements of the sequence a terminal stands for; one, if the grammar has chunks. The sequence
  /// must be shorter than 2^62.
  GrammarIndex(const GrammarData &G, const std::function<uint64_t(uint32_t Terminal)> &Elements);

  uint64_t length() const { return Ends[0].empty() ? 0 : Ends[0].back(); }

  /// Goes down to the terminal at a place below length(). Calls F(symbol, elements of one repetition, elements from the
  /// place to the end of the last repetition) for each symbol on the way. Place becomes a place in the terminal.
  template <typename Fn> uint32_t find(const GrammarData &G, uint64_t &Place, Fn &&F) const {
    for (uint32_t R = 0;;) {
      if (const Chunk *C = G.chunk(R))
        return inChunk(*C, Place);
      const std::vector<uint64_t> &E = Ends[R];
      const auto I = static_cast<size_t>(std::upper_bound(E.begin(), E.end(), Place) - E.begin());
      const GrammarSymbol &S = G.Rules[R][I];
      const uint64_t Begin = I ? E[I - 1] : 0, Period = (E[I] - Begin) / S.Count;
      F(S, Period, E[I] - Place);
      Place = (Place - Begin) % Period;
      if (!S.IsRule)
        return S.Value;
      R = S.Value;
    }
  }

  /// By terminal: its number of occurrences that end at or before a place of at most length().
  std::vector<uint64_t> countsBefore(const GrammarData &G, uint64_t Place) const;
  /// A cursor at a place. If the place is inside a terminal, that terminal comes first.
  GrammarData::Cursor cursorAt(const GrammarData &G, uint64_t Place) const;

private:
  static uint32_t inChunk(const Chunk &C, uint64_t &Place);
  /// How often terminals occur in the first N elements of a chunk.
  static void addTo(std::vector<uint64_t> &Counts, const Chunk &C, uint64_t N, uint64_t Times);
  const std::vector<uint64_t> &chunkCounts(const GrammarData &G, size_t Chunk) const;
  mutable std::vector<std::vector<uint64_t>> InChunks; ///< by chunk and terminal; made when it is asked for
  std::vector<std::vector<uint64_t>> Ends; ///< by rule and symbol: where the symbol ends in the rule's sequence
};

} // namespace pilgrim

#endif
