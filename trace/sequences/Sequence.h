//===- Sequence.h - a grammar with its index ----------------------*- C++ -*-===//
#ifndef PILGRIM_TRACE_SEQUENCES_SEQUENCE_H
#define PILGRIM_TRACE_SEQUENCES_SEQUENCE_H

#include "trace/sequences/GrammarIndex.h"

namespace pilgrim {

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
