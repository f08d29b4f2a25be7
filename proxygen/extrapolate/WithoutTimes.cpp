//===- WithoutTimes.cpp - what traces of several runs have in common ------===//
#include "proxygen/extrapolate/PlainTrace.h"

namespace pilgrim {

/// Equal values are said as a run, or as a run several times, or both; here always as one value several times.
static void repeatValues(RankedStreams &L) {
  for (RankedStream &S : L) {
    std::vector<LinearRun> &Runs = S.Values.Runs;
    std::vector<uint64_t> Lengths(Runs.size(), 1);
    for (uint32_t I = 0; I < Runs.size(); ++I) {
      const uint32_t Field = RankedStream::NumFields * I;
      if (Runs[I].Stride || S.Values.chunk(I) || S.Functions.contains(Field + 1) ||
          S.Functions.contains(Field + RankedStream::CountField))
        continue;
      Lengths[I] = Runs[I].Count;
      Runs[I].Count = 1;
    }
    for (auto &Rule : S.Values.Order.Rules)
      for (GrammarSymbol &X : Rule)
        X.Count *= X.IsRule ? 1 : Lengths[X.Value];
  }
}

TraceData withoutTimes(TraceData T) {
  for (Group &G : T.Groups) {
    G.Timed = false;
    G.Times.clear();
    for (Entry &E : G.table(TableId::Signatures))
      E.changeMeasures([](uint32_t) { return NoMeasure; });
    for (NodeData &N : G.Nodes) {
      N.Times = {};
      repeatValues(N.Visits);
      for (auto &[Id, E] : N.Events) {
        repeatValues(E.PassesToChange);
        repeatValues(E.UsualItems);
        for (auto &[Key, Streams] : E.Streams)
          repeatValues(Streams);
        E.Measures.clear();
        E.Places.clear();
      }
    }
  }
  T.Meta = {};
  return T;
}

} // namespace pilgrim
