// Grammars from plain sequences, streams from plain numbers, and back.
#ifndef PILGRIM_TEST_SEQUENCES_H
#define PILGRIM_TEST_SEQUENCES_H

#include "trace/sequences/IntStream.h"

namespace pilgrim::test {

using TerminalList = std::vector<uint32_t>;
using Numbers = std::vector<int64_t>;

inline GrammarData build(const TerminalList &S) {
  Grammar G;
  for (uint32_t V : S)
    G.append(V);
  return G.data();
}

inline TerminalList expand(const GrammarData &D) {
  TerminalList S;
  GrammarData::Cursor C(D);
  for (uint32_t T; C.next(T);)
    S.push_back(T);
  return S;
}

inline IntStreamData streamOf(const Numbers &Of) {
  IntStream S;
  for (int64_t V : Of)
    S.append(V);
  return S.data();
}

inline Numbers expand(const IntStreamData &D) {
  Numbers Out;
  IntStreamData::Cursor C(D);
  for (int64_t V; C.next(V);)
    Out.push_back(V);
  return Out;
}

} // namespace pilgrim::test

#endif
