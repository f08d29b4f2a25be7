//===- Sequence.h - looking into a grammar anywhere ---------------*- C++ -*-===//
//
// A grammar says a sequence without an index. GrammarIndex adds one: what stands at any place, and how much stands
// before it, is found in a time that depends on the grammar, not on the place. It takes eight bytes a symbol of the
// grammar. Sequence is a grammar with its index.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_SEQUENCE_H
#define PILGRIM_TRACE_SEQUENCES_SEQUENCE_H

#include "trace/sequences/Grammar.h"

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

namespace pilgrim {

/// Of a grammar that every function is given again, so that both can be moved.
class GrammarIndex {
public:
  /// Elements: how many elements of the sequence a terminal stands for. The sequence must be shorter than 2^62.
  GrammarIndex(const GrammarData &G, const std::function<uint64_t(uint32_t Terminal)> &Elements);

  uint64_t length() const { return Ends[0].empty() ? 0 : Ends[0].back(); }

  /// Goes down to the terminal at a place below length(). Calls F(symbol, elements of one repetition, elements from the
  /// place to the end of the last repetition) for each symbol on the way. Place becomes a place in the terminal.
  template <typename Fn> uint32_t find(const GrammarData &G, uint64_t &Place, Fn &&F) const {
    for (uint32_t R = 0;;) {
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

  /// How often each terminal stands before a place of at most length(): all that end there or before it, by terminal.
  std::vector<uint64_t> countsBefore(const GrammarData &G, uint64_t Place) const;
  /// Gives what follows a place: first the terminal in which the place is, if it is in one.
  GrammarData::Cursor cursorAt(const GrammarData &G, uint64_t Place) const;

private:
  std::vector<std::vector<uint64_t>> Ends; ///< by rule and symbol: where in the rule's sequence it ends
};

class Sequence {
public:
  /// G must outlive the sequence and be shorter than 2^62 elements, as all in files are.
  explicit Sequence(const GrammarData &G) : G(G), Index(G, [](uint32_t) { return 1; }) {}

  uint64_t length() const { return Index.length(); }
  /// The terminal at a place below length().
  uint32_t at(uint64_t Place) const {
    return Index.find(G, Place, [](const GrammarSymbol &, uint64_t, uint64_t) {});
  }

  /// From here on something of Period elements stands again and again, for Left elements.
  struct Run {
    uint64_t Period, Left;
  };
  /// The same, and the repetitions that the place is in, outermost first.
  uint32_t at(uint64_t Place, std::vector<Run> &Runs) const {
    Runs.clear();
    return Index.find(G, Place, [&](const GrammarSymbol &S, uint64_t Period, uint64_t Left) {
      if (S.Count > 1)
        Runs.push_back({Period, Left});
    });
  }

  /// How often each terminal stands among the first Place elements.
  std::vector<uint64_t> countsBefore(uint64_t Place) const { return Index.countsBefore(G, Place); }
  /// Gives the terminal at Place, then those behind it.
  GrammarData::Cursor cursorAt(uint64_t Place) const { return Index.cursorAt(G, Place); }

private:
  const GrammarData &G;
  GrammarIndex Index;
};

} // namespace pilgrim

#endif
