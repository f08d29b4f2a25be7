//===- Sequence.h - a grammar with its index ----------------------*- C++ -*-===//
#ifndef PILGRIM_TRACE_SEQUENCES_SEQUENCE_H
#define PILGRIM_TRACE_SEQUENCES_SEQUENCE_H

#include "trace/sequences/GrammarIndex.h"

namespace pilgrim {

class Sequence {
public:
  /// G must outlive the sequence and have fewer than 2^62 elements, as all grammars in files do.
  explicit Sequence(const GrammarData &G) : G(G), Index(G, [](uint32_t) { return 1; }) {}

  uint64_t length() const { return Index.length(); }
  /// The terminal at a place below length().
  uint32_t at(uint64_t Place) const {
    return Index.find(G, Place, [](const GrammarSymbol &, uint64_t, uint64_t) {});
  }

  /// A repetition of Period elements that goes on for Left more elements.
  struct Run {
    uint64_t Period, Left;
  };
  /// The same. Runs: gets the repetitions that contain the place, outermost first.
  uint32_t at(uint64_t Place, std::vector<Run> &Runs) const {
    Runs.clear();
    return Index.find(G, Place, [&](const GrammarSymbol &S, uint64_t Period, uint64_t Left) {
      if (S.Count > 1)
        Runs.push_back({Period, Left});
    });
  }

  /// By terminal: its number of occurrences among the first Place elements.
  std::vector<uint64_t> countsBefore(uint64_t Place) const { return Index.countsBefore(G, Place); }
  /// A cursor that gives the terminal at Place first.
  GrammarData::Cursor cursorAt(uint64_t Place) const { return Index.cursorAt(G, Place); }

private:
  const GrammarData &G;
  GrammarIndex Index;
};

} // namespace pilgrim

#endif
