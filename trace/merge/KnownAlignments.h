//===- KnownAlignments.h - the alignments with gaps of one merge --*- C++ -*-===//
//
// A function that is called from many places makes the same calls there. So the same two sequences are often to be
// aligned again, for another event. Each alignment is found once (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MERGE_KNOWNALIGNMENTS_H
#define PILGRIM_TRACE_MERGE_KNOWNALIGNMENTS_H

#include "trace/base/Hash.h"
#include "trace/sequences/Alignment.h"

namespace pilgrim {

class KnownAlignments {
public:
  using DifferencesFn = std::function<size_t(uint32_t, uint32_t)>;
  /// The result of alignWithGaps(), valid until the next call; null: nothing. Words: a hash of the places and of all
  /// that Differences depends on. If two hashes are equal by chance, pairs may be worse than others, but they are
  /// valid: keys and orders are compared.
  const Alignment *find(const KeyedSequence &A, const KeyedSequence &B, uint64_t Words,
                        const DifferencesFn &Differences);

private:
  struct Known {
    GrammarData OrderA, OrderB;
    std::vector<uint64_t> KeysA, KeysB;
    Alignment Both;
  };
  std::vector<Known> All;
  Finder Find{0};
};

} // namespace pilgrim

#endif
