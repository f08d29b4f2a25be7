//===- Sequence.h - looking into a grammar anywhere ---------------*- C++ -*-===//
//
// A grammar says a sequence without an index. This class adds one: the terminal at any place is found in a time that
// depends on the depth of the rules, not on the place. It takes eight bytes a symbol of the grammar.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_SEQUENCE_H
#define PILGRIM_TRACE_SEQUENCES_SEQUENCE_H

#include "trace/sequences/Grammar.h"

#include <vector>

namespace pilgrim {

class Sequence {
public:
  /// G must outlive the sequence and be shorter than 2^62 elements, as all in files are.
  explicit Sequence(const GrammarData &G);

  uint64_t length() const { return length(0); }
  /// The terminal at a place below length().
  uint32_t at(uint64_t Place) const;

  /// From here on something of Period elements stands again and again, for Left elements.
  struct Run {
    uint64_t Period, Left;
  };
  /// The same, and the repetitions that the place is in, outermost first.
  uint32_t at(uint64_t Place, std::vector<Run> &Runs) const;

private:
  template <typename Fn> uint32_t find(uint64_t Place, Fn &&Repetition) const;
  uint64_t length(uint32_t Rule) const { return Ends[Rule].empty() ? 0 : Ends[Rule].back(); }
  uint64_t period(const GrammarSymbol &S) const { return S.IsRule ? length(S.Value) : 1; }

  const GrammarData &G;
  std::vector<std::vector<uint64_t>> Ends; ///< by rule and symbol: where in the rule's sequence it ends
};

} // namespace pilgrim

#endif
