//===- EncodeMeasures.cpp - what was measured, as bytes --------------------===//
#include "trace/file/EncodeMeasures.h"
#include "trace/file/MeasureCode.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

namespace pilgrim {

void MeasureEncoder::beginNode(const Group &G, const NodeData &N, uint32_t Number) {
  finish();
  if (Number == 0)
    Groups.push_back({&G, {}, 0, {}});
  OneGroup &To = Groups.back();
  To.Node = static_cast<uint32_t>(&N - G.Nodes.data());
  To.Nodes.resize(std::max<size_t>(To.Nodes.size(), Number + 1));
  To.Nodes[Number] = To.Node;
}

void MeasureEncoder::beginEvent(uint32_t Id, const EventData &E) {
  finish();
  IsOpen = true;
  Groups.back().Events.push_back({Groups.back().Node, Id, &E, {}, {}});
  Same = UnionFind(E.Measures.size());
}

void MeasureEncoder::item(const std::vector<const Entry *> &Entries) {
  std::set<uint32_t> Known;
  for (const Variant &V : *Entries[0])
    if (const uint32_t M = Entries[0]->measure(V); M == NoMeasure || Known.insert(M).second)
      References.push_back(M);
  // Such entries have one variant each, of the same call.
  for (size_t I = 1; I < Entries.size() && Entries[0]->measure(0) != NoMeasure; ++I)
    Same.unite(Entries[0]->measure(0), Entries[I]->measure(0));
}

/// Numbers the measures by their first use, and adds up those that are written as one.
void MeasureEncoder::finish() {
  if (!std::exchange(IsOpen, false))
    return;
  Event &E = Groups.back().Events.back();
  const std::vector<Measure> &Own = E.Own->Measures;
  std::vector<uint32_t> Number(Own.size(), NoMeasure);
  for (const uint32_t To : References) {
    uint32_t New = NoMeasure;
    uint32_t &N = To == NoMeasure ? New : Number[Same.find(To)];
    if (N == NoMeasure) {
      N = static_cast<uint32_t>(E.Measures.size());
      E.Measures.emplace_back();
    }
    E.References.push_back(N);
  }
  References.clear();
  for (uint32_t I = 0; I < Own.size(); ++I) {
    const uint32_t N = Number[Same.find(I)];
    if (N == NoMeasure)
      continue;
    E.Measures[N].Place = Own[I].Place;
    E.Measures[N].add(Own[I], [&](GapPath P) {
      if (P.K != GapPath::Call)
        return P;
      const uint32_t To = Number[Same.find(P.Which)];
      return To == NoMeasure ? GapPath{GapPath::Others, 0, 0} : GapPath{GapPath::Call, 0, To};
    });
  }
}

/// The places of an event where each rank made one call, in the same way. Otherwise rounded numbers would have to tell
/// which rank had the least and the largest time.
static std::set<MeasuredPlace> calledOnce(const MeasureEncoder::Event &E, uint64_t Ranks) {
  std::set<MeasuredPlace> Known, Once;
  for (const Measure &M : E.Measures) {
    if (!Known.insert(M.Place).second)
      Once.erase(M.Place);
    else if (const auto Own = E.Own->Places.find(M.Place);
             M.calls() <= Ranks && M.Gaps.size() == 1 && Own != E.Own->Places.end() &&
             Own->second == PlaceTimes{M.Duration.withoutBins(), M.Gaps[0].Gap.withoutBins()})
      Once.insert(M.Place);
  }
  return Once;
}

/// What is written takes the place of what was measured: later numbers count on it.
template <typename Code> void MeasureEncoder::write(Code &C, OneGroup &Of) {
  const Group &G = *Of.G;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Place; // of events in the file
  for (const Event &E : Of.Events)
    Place.try_emplace({E.Node, E.Id}, static_cast<uint32_t>(Place.size()));
  auto InFile = [&](GapPath P) {
    if (P.K != GapPath::Event)
      return P;
    const auto At = Place.find({P.Node, P.Which});
    return At == Place.end() ? GapPath{GapPath::Others, 0, 0} : GapPath{GapPath::Event, 0, At->second};
  };
  NodeSums Sums(T, G);
  TimedParts Parts(G.Nodes.size());
  for (uint32_t I = 0; I < Of.Events.size(); ++I) {
    Event &E = Of.Events[I];
    uint32_t Known = 0;
    for (const uint32_t N : E.References)
      Known += C.reference(Known, N) == Known;
    const uint64_t Ranks = G.Nodes[E.Node].Ranks.size();
    const std::set<MeasuredPlace> Once = calledOnce(E, Ranks);
    for (uint32_t N = 0; N < E.Measures.size(); ++N) {
      Measure M{E.Measures[N].Place, {}, {}, {}};
      M.add(E.Measures[N], InFile);
      // The first path gets what the others, whose numbers are rounded, leave of the calls: it is the one with the
      // most.
      if (!M.Gaps.empty())
        std::rotate(M.Gaps.begin(), std::ranges::max_element(M.Gaps, {}, [](const PathGap &P) { return P.Gap.Count; }),
                    M.Gaps.end());
      C.measure(M, N, I, Ranks, Once.contains(M.Place));
      Sums.add(E.Node, M);
      E.Measures[N] = std::move(M);
    }
    auto Places = E.Own->Places;
    C.places(E.Measures, Ranks, Places);
    for (auto &[At, P] : Places) // not as they are written, but as they are compared
      P = E.Own->Places.at(At);
    Parts.add(E.Node, Places);
  }
  const std::vector<NodeSums::Sum> All = Sums.take();
  for (const uint32_t N : std::views::reverse(Of.Nodes)) {
    NodeTimes Times = G.Nodes[N].Times;
    C.nodeTimes(G.Nodes[N].Ranks.size(), All[N].InMpi, All[N].Outside, Parts.only(N), Times);
    if (N)
      Parts.add(G.Nodes[N].Parent, G.Nodes[N].Times);
  }
}

namespace {
struct HistogramKind {
  uint32_t Error = 0;
  bool IsByPath = false;
};
} // namespace

/// What the first histograms are, as all are.
static HistogramKind histogramsOf(const TraceData &T) {
  HistogramKind Out;
  for (const Group &G : T.Groups)
    for (const NodeData &N : G.Nodes)
      for (const auto &[Id, E] : N.Events)
        for (const Measure &M : E.Measures) {
          if (M.Duration.Bins.Error)
            Out.Error = M.Duration.Bins.Error;
          for (const PathGap &P : M.Gaps)
            Out.IsByPath |= P.Gap.Bins.Error != 0;
          if (Out.Error && !M.Gaps.empty())
            return Out;
        }
  return Out;
}

std::vector<uint8_t> MeasureEncoder::bytes() {
  finish();
  std::vector<uint8_t> Out;
  RangeWriter W(Out);
  MeasureCode<RangeWriter> C(W, T.World, T.Ranks);
  C.exact(T.Ranks.size() != T.World);
  HistogramKind Histograms = histogramsOf(T);
  C.histograms(Histograms.Error, Histograms.IsByPath);
  for (OneGroup &G : Groups)
    write(C, G);
  W.finish();
  if (Out.empty())
    Out.push_back(0); // a section without bytes would not be there
  return Out;
}

} // namespace pilgrim
