//===- GrammarIndex.cpp - looking into a grammar anywhere -----------------===//
#include "trace/sequences/GrammarIndex.h"

namespace pilgrim {

GrammarIndex::GrammarIndex(const GrammarData &G, const std::function<uint64_t(uint32_t)> &Elements)
    : Ends(G.Rules.size()) {
  for (const auto &[Rule, C] : G.Chunks)
    Ends[Rule].push_back(C.length());
  // Rules refer to later ones.
  for (size_t R = G.Rules.size(); R-- > 0;) {
    uint64_t End = 0;
    for (const GrammarSymbol &S : G.Rules[R]) {
      const uint64_t Period = !S.IsRule ? Elements(S.Value) : Ends[S.Value].empty() ? 0 : Ends[S.Value].back();
      Ends[R].push_back(End += S.Count * Period);
    }
  }
}

uint32_t GrammarIndex::inChunk(const Chunk &C, uint64_t &Place) {
  const auto Items = C.items();
  for (const RepeatedTerminal &E : *Items) {
    if (Place < E.Count) {
      Place = 0;
      return E.Value;
    }
    Place -= E.Count;
  }
  return 0; // not reached: Place is below the chunk's length
}

void GrammarIndex::addTo(std::vector<uint64_t> &Counts, const Chunk &C, uint64_t N, uint64_t Times) {
  const auto Items = C.items();
  for (auto E = Items->begin(); E != Items->end() && N; ++E) {
    const uint64_t Some = std::min(E->Count, N);
    Counts[E->Value] += Some * Times;
    N -= Some;
  }
}

const std::vector<uint64_t> &GrammarIndex::chunkCounts(const GrammarData &G, size_t I) const {
  InChunks.resize(G.Chunks.size());
  if (InChunks[I].empty()) {
    const Chunk &C = G.Chunks[I].second;
    InChunks[I].resize(C.terminals());
    addTo(InChunks[I], C, C.length(), 1);
  }
  return InChunks[I];
}

std::vector<uint64_t> GrammarIndex::countsBefore(const GrammarData &G, uint64_t Place) const {
  if (Place >= length())
    return G.terminalCounts();
  // How often each rule stands there as a whole. Then, as rules refer to later ones, what is in them.
  std::vector<uint64_t> Uses(G.Rules.size(), 0), Counts(G.terminals(), 0);
  auto Add = [&](const GrammarSymbol &S, uint64_t Times) { (S.IsRule ? Uses : Counts)[S.Value] += Times; };
  for (uint32_t R = 0;;) {
    if (const Chunk *C = G.chunk(R)) {
      addTo(Counts, *C, Place, 1);
      break;
    }
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
  for (size_t I = 0; I < G.Chunks.size(); ++I)
    if (const uint64_t Times = Uses[G.Chunks[I].first]) {
      const std::vector<uint64_t> &Own = chunkCounts(G, I);
      for (size_t T = 0; T < Own.size(); ++T)
        Counts[T] += Own[T] * Times;
    }
  return Counts;
}

GrammarData::Cursor GrammarIndex::cursorAt(const GrammarData &G, uint64_t Place) const {
  GrammarData::Cursor C(G);
  C.Stack.clear();
  if (Place >= length())
    return C;
  for (uint32_t R = 0;;) {
    if (G.chunk(R)) {
      C.push(R);
      uint64_t &Done = C.Stack.back().Done = Place;
      for (; Done >= (*C.Items)[C.Stack.back().Index].Count; ++C.Stack.back().Index)
        Done -= (*C.Items)[C.Stack.back().Index].Count;
      return C;
    }
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
