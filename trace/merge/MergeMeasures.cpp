//===- MergeMeasures.cpp - joining the measures of an event ----------------===//
#include "trace/merge/MergeMeasures.h"

namespace pilgrim {

MeasureMerge::MeasureMerge(TableMerge &Tables, bool Timed, EventData &A, EventData &B, const NodeNumbers &Nodes)
    : Tables(Tables), Timed(Timed), Nodes(Nodes) {
  if (!Timed)
    return;
  First = static_cast<uint32_t>(A.Measures.size());
  All = std::move(A.Measures);
  All.insert(All.end(), std::make_move_iterator(B.Measures.begin()), std::make_move_iterator(B.Measures.end()));
  Same = UnionFind(All.size());
  takePlaces(0, A);
  takePlaces(1, B);
  if (First == 0)
    return;
  for (const RankedItems &X : B.Items)
    for (const Item &I : X.Items)
      if (!I.IsNode)
        Tables.Sides[1].G.table(TableId::Signatures)[I.Index].changeMeasures([&](uint32_t M) { return M + First; });
}

void MeasureMerge::takePlaces(unsigned Side, EventData &From) {
  for (auto &[Place, Times] : From.Places)
    Places[placeOf(Side, Place)].add(Times);
  for (uint32_t I = Side ? First : 0, End = Side ? static_cast<uint32_t>(All.size()) : First; I < End; ++I)
    All[I].Place = placeOf(Side, All[I].Place);
}

MeasuredPlace MeasureMerge::placeOf(unsigned Side, MeasuredPlace P) {
  if (P.Site)
    P.Site = Tables.site(Tables.Sides[Side], P.Site - 1) + 1;
  return P;
}

void MeasureMerge::unite(const Entry &A, const Entry &B) {
  if (!Timed)
    return;
  if (A.size() == 1 && B.size() == 1) {
    if (placeOf(0, A[0]) == placeOf(1, B[0]))
      Same.unite(A.measure(0), B.measure(0));
    return;
  }
  std::map<MeasuredPlace, uint32_t> Measures;
  for (const Variant &V : A)
    Measures.try_emplace(placeOf(0, V), A.measure(V));
  for (const Variant &V : B)
    if (auto It = Measures.find(placeOf(1, V)); It != Measures.end())
      Same.unite(It->second, B.measure(V));
}

void MeasureMerge::finish(EventData &To) {
  std::vector<uint32_t> Number(All.size(), NoMeasure); // by the least of those that are united
  for (const RankedItems &X : To.Items)
    for (const Item &I : X.Items) {
      if (I.IsNode)
        continue;
      Tables.Out.table(TableId::Signatures)[I.Index].changeMeasures([&](uint32_t M) {
        if (!Timed)
          return NoMeasure;
        uint32_t &N = Number[Same.find(M)];
        if (N == NoMeasure) {
          N = static_cast<uint32_t>(To.Measures.size());
          To.Measures.emplace_back();
        }
        return N;
      });
    }
  for (uint32_t I = 0; I < All.size(); ++I) {
    const uint32_t N = Number[Same.find(I)];
    if (N == NoMeasure)
      continue;
    const bool IsB = I >= First;
    To.Measures[N].Place = All[I].Place;
    To.Measures[N].add(All[I], [&](GapPath P) {
      if (P.K == GapPath::Event)
        P.Node = (*Nodes[IsB])[P.Node];
      else if (P.K == GapPath::Call)
        P.Which = Number[Same.find(P.Which + (IsB ? First : 0))];
      return P.K == GapPath::Call && P.Which == NoMeasure ? GapPath{GapPath::Others, 0, 0} : P;
    });
  }
  To.Places = std::move(Places);
}

} // namespace pilgrim
