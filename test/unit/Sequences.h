// Grammars from plain sequences, and back.
#ifndef PILGRIM_TEST_SEQUENCES_H
#define PILGRIM_TEST_SEQUENCES_H

#include "trace/sequences/Grammar.h"

namespace pilgrim::test {

using Sequence = std::vector<uint32_t>;

inline GrammarData build(const Sequence &S) {
  Grammar G;
  for (uint32_t V : S)
    G.append(V);
  return G.data();
}

inline Sequence expand(const GrammarData &D) {
  Sequence S;
  GrammarData::Cursor C(D);
  for (uint32_t T; C.next(T);)
    S.push_back(T);
  return S;
}

} // namespace pilgrim::test

#endif
