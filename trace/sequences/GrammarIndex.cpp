//===- GrammarIndex.cpp - looking into a grammar anywhere -----------------===//
#include "trace/sequences/GrammarIndex.h"

namespace pilgrim {

GrammarIndex::GrammarIndex(const GrammarData &G, const std::function<uint64_t(uint32_t)> &Elements)
    : Ends(G.Rules.size()) {
  // Rules refer to later ones.
  for (size_t R = G.Rules.size(); R-- > 0;) {
    uint64_t End = 0;
    for (const GrammarSymbol &S : G.Rules[R]) {
      const uint64_t Period = !S.IsRule ? Elements(S.Value) : Ends[S.Value].empty() ? 0 : Ends[S.Value].back();
      Ends[R].push_back(End += S.Count * Period);
    }
  }
}

std::vector<uint64_t> GrammarIndex::countsBefore(const GrammarData &G, uint64_t Place) const {
  if (Place >= length())
    return G.terminalCounts();
  // How often each rule stands there as a whole. Then, as rules refer to later ones, what is in them.
  std::vector<uint64_t> Uses(G.Rules.size(), 0), Counts(G.terminals(), 0);
  auto Add = [&](const GrammarSymbol &S, uint64_t Times) { (S.IsRule ? Uses : Counts)[S.Value] += Times; };
  for (uint32_t R = 0;;) {
    size_t I = 0;
    for (; Ends[R][I] <= Place; ++I)
      Add(G.Rules[R][I], G.Rules[R][I].Count);
    const GrammarSymbol &S = G.Rules[R][I];
    const uint64_t Begin = I ? Ends[R][I - 1] : 0, Period = (Ends[R][I] - Begin) / S.Count;
    Add(S, (Place - Begin) / Period);
    Place = (Place - Begin) % Period;
    if (!S.IsRule || Place == 0)
      break;
    R = S.Value;
  }
  for (size_t R = 0; R < G.Rules.size(); ++R)
    if (Uses[R])
      for (const GrammarSymbol &S : G.Rules[R])
        Add(S, Uses[R] * S.Count);
  return Counts;
}

GrammarData::Cursor GrammarIndex::cursorAt(const GrammarData &G, uint64_t Place) const {
  GrammarData::Cursor C(G);
  C.Stack.clear();
  if (Place >= length())
    return C;
  for (uint32_t R = 0;;) {
    const std::vector<uint64_t> &E = Ends[R];
    const auto I = static_cast<size_t>(std::upper_bound(E.begin(), E.end(), Place) - E.begin());
    const GrammarSymbol &S = G.Rules[R][I];
    const uint64_t Begin = I ? E[I - 1] : 0, Period = (E[I] - Begin) / S.Count;
    C.Stack.push_back({R, static_cast<uint32_t>(I), (Place - Begin) / Period});
    Place = (Place - Begin) % Period;
    if (!S.IsRule || Place == 0)
      return C;
    ++C.Stack.back().Done; // the repetition that is gone into
    R = S.Value;
  }
}

} // namespace pilgrim
