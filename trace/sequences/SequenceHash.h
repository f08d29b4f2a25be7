//===- SequenceHash.h - hashes of sequences ---------------------*- C++ -*-===//
//
// A hash of the content finds equal sequences of different ranks (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_SEQUENCEHASH_H
#define PILGRIM_TRACE_SEQUENCES_SEQUENCEHASH_H

#include "trace/base/Hash.h"
#include "trace/sequences/IntStream.h"

namespace pilgrim {

inline uint64_t hashOf(const GrammarData &G) {
  uint64_t H = G.Rules.size();
  for (const auto &Body : G.Rules) {
    H = mix(H, Body.size());
    for (GrammarSymbol S : Body)
      H = mix(mix(H, uint64_t(S.Value) << 1 | S.IsRule), S.Count);
  }
  for (const auto &[Rule, C] : G.Chunks)
    H = mix(H, C.hash());
  return H;
}

inline uint64_t hashOf(const IntStreamData &D) {
  uint64_t H = hashOf(D.Order) + D.AreSteps;
  for (const LinearRun &R : D.Runs)
    H = mix(mix(mix(H, static_cast<uint64_t>(R.First)), static_cast<uint64_t>(R.Stride)), R.Count);
  for (const auto &[Run, C] : D.Chunks)
    H = mix(H, C.hash());
  return H;
}

} // namespace pilgrim

#endif
