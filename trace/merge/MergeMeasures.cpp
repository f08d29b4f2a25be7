//===- MergeMeasures.cpp - joining the measures of an event ----------------===//
#include "trace/merge/MergeMeasures.h"

namespace pilgrim {

MeasureMerge::MeasureMerge(TableMerge &Tables, bool Timed, EventData &A, EventData &B) : Tables(Tables), Timed(Timed) {
  if (!Timed)
    return;
  const auto First = static_cast<uint32_t>(A.Measures.size());
  All = std::move(A.Measures);
  All.insert(All.end(), B.Measures.begin(), B.Measures.end());
  Same = UnionFind(All.size());
  if (First == 0)
    return;
  for (const RankedItems &X : B.Items)
    for (const Item &I : X.Items)
      if (!I.IsNode)
        for (Variant &V : Tables.Sides[1].G.table(TableId::Signatures)[I.Index])
          V.Measure += First;
}

MeasureMerge::Key MeasureMerge::key(unsigned Side, const Variant &V) {
  const uint32_t Site = V.Tokens[1] ? Tables.site(Tables.Sides[Side], V.Tokens[1] - 1) + 1 : 0;
  return {V.Tokens[0], Site, V.Tokens[2]};
}

void MeasureMerge::unite(const Entry &A, const Entry &B) {
  if (!Timed)
    return;
  if (A.size() == 1 && B.size() == 1) {
    if (key(0, A[0]) == key(1, B[0]))
      Same.unite(A[0].Measure, B[0].Measure);
    return;
  }
  std::map<Key, uint32_t> Measures;
  for (const Variant &V : A)
    Measures.try_emplace(key(0, V), V.Measure);
  for (const Variant &V : B)
    if (auto It = Measures.find(key(1, V)); It != Measures.end())
      Same.unite(It->second, V.Measure);
}

void MeasureMerge::finish(EventData &To) {
  std::vector<uint32_t> Number(All.size(), NoMeasure); // by the least of those that are united
  for (const RankedItems &X : To.Items)
    for (const Item &I : X.Items) {
      if (I.IsNode)
        continue;
      for (Variant &V : Tables.Out.table(TableId::Signatures)[I.Index]) {
        if (!Timed) {
          V.Measure = NoMeasure;
          continue;
        }
        uint32_t &N = Number[Same.find(V.Measure)];
        if (N == NoMeasure) {
          N = static_cast<uint32_t>(To.Measures.size());
          To.Measures.emplace_back();
        }
        V.Measure = N;
      }
    }
  for (uint32_t I = 0; I < All.size(); ++I)
    if (const uint32_t N = Number[Same.find(I)]; N != NoMeasure)
      To.Measures[N].add(All[I]);
}

} // namespace pilgrim
