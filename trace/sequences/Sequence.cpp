//===- Sequence.cpp - looking into a grammar anywhere ---------------------===//
#include "trace/sequences/Sequence.h"

#include <algorithm>

namespace pilgrim {

Sequence::Sequence(const GrammarData &G) : G(G), Ends(G.Rules.size()) {
  // Rules refer to later ones.
  for (size_t R = G.Rules.size(); R-- > 0;) {
    uint64_t End = 0;
    for (const GrammarSymbol &S : G.Rules[R])
      Ends[R].push_back(End += S.Count * period(S));
  }
}

template <typename Fn> uint32_t Sequence::find(uint64_t Place, Fn &&Repetition) const {
  for (uint32_t R = 0;;) {
    size_t I = static_cast<size_t>(std::upper_bound(Ends[R].begin(), Ends[R].end(), Place) - Ends[R].begin());
    const GrammarSymbol &S = G.Rules[R][I];
    if (S.Count > 1)
      Repetition(Run{period(S), Ends[R][I] - Place});
    if (!S.IsRule)
      return S.Value;
    Place = (Place - (I ? Ends[R][I - 1] : 0)) % period(S);
    R = S.Value;
  }
}

uint32_t Sequence::at(uint64_t Place) const {
  return find(Place, [](Run) {});
}

uint32_t Sequence::at(uint64_t Place, std::vector<Run> &Runs) const {
  Runs.clear();
  return find(Place, [&](Run R) { Runs.push_back(R); });
}

} // namespace pilgrim
