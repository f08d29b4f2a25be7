//===- KnownAlignments.cpp - the alignments with gaps of one merge --------===//
#include "trace/merge/KnownAlignments.h"
#include "trace/sequences/SequenceHash.h"

namespace pilgrim {

const Alignment *KnownAlignments::find(const KeyedSequence &A, const KeyedSequence &B, uint64_t Words,
                                       const DifferencesFn &Differences) {
  const uint64_t Hash = mix(mix(Words, hashOf(A.Order)), hashOf(B.Order));
  size_t I = Find.find(Hash, [&](size_t J) {
    const Known &K = All[J];
    return K.KeysA == A.Keys && K.KeysB == B.Keys && K.OrderA == A.Order && K.OrderB == B.Order;
  });
  if (I == Finder::None) {
    // Sequences that are too large are not kept: that they are is soon found again.
    auto Both = alignWithGaps(A, B, Differences);
    if (!Both)
      return nullptr;
    I = All.size();
    Find.add(Hash, I);
    All.push_back({A.Order, B.Order, A.Keys, B.Keys, std::move(*Both)});
  }
  return &All[I].Both;
}

} // namespace pilgrim
