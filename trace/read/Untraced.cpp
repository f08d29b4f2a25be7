//===- Untraced.cpp - calls that a trace lacks ----------------------------===//
#include "trace/read/Untraced.h"
#include "trace/base/Saturate.h"

#include <algorithm>

namespace pilgrim {

/// Damaged traces may say anything.
static uint64_t number(int64_t V) { return static_cast<uint64_t>(std::max<int64_t>(V, 0)); }

bool hasUntraced(const TraceData &T) {
  return std::ranges::any_of(T.Functions, [](const auto &F) { return isUntraced(F.second); });
}

uint64_t untracedCalls(const Call &C) {
  if (C.Slots.size() <= UntracedCalls || C.Slots[UntracedCalls].T != Tag::Word)
    return 0;
  return number(C.Slots[UntracedCalls].Words[0]);
}

/// Of one signature of one rank; what stands in a stream is counted there.
static uint64_t callsOf(const Group &G, const Variant &V, uint32_t Rank, uint32_t World) {
  SlotWalker Walk(V.Tokens);
  SlotView S;
  for (unsigned I = 0; Walk.next(S); ++I)
    if (I == UntracedCalls)
      return S.T == Tag::Word ? number(V.Words[S.FirstWord].eval(Rank, G.context(V.Tokens, Rank, World))) : 0;
  return 0;
}

static uint64_t sum(const IntStreamData &S) {
  uint64_t Sum = 0;
  std::vector<uint64_t> Times = S.Order.terminalCounts();
  for (size_t I = 0; I < S.Runs.size() && I < Times.size(); ++I) {
    // Of a run of two or more different numbers, pairs from both ends have the same sum.
    const LinearRun &R = S.Runs[I];
    const auto Last =
        static_cast<int64_t>(static_cast<uint64_t>(R.First) + (R.Count - 1) * static_cast<uint64_t>(R.Stride));
    if (R.First < 0 || Last < 0)
      continue;
    uint64_t Ends = number(R.First) + number(Last), Of = 0;
    addProduct(Of, R.Count / 2, Ends);
    addProduct(Of, R.Count % 2, Ends / 2);
    addProduct(Sum, Of, Times[I]);
  }
  return Sum;
}

uint64_t untracedCalls(const TraceData &T, const Group &G, const EventData &E, const RankSet &Ranks) {
  uint64_t Sum = 0;
  forEachPart(E.Items, T.World, [&](const RankedItems &X) {
    std::vector<uint64_t> Times;
    for (size_t I = 0; I < X.Items.size(); ++I) {
      if (X.Items[I].IsNode)
        continue;
      for (const Variant &V : G.table(TableId::Signatures)[X.Items[I].Index]) {
        if (!T.isUntraced(V.Tokens[0]))
          continue;
        if (Times.empty())
          Times = X.Order.terminalCounts();
        V.Ranks.common(X.Ranks).common(Ranks).forEach(
            [&](uint32_t Rank) { addProduct(Sum, callsOf(G, V, Rank, T.World), I < Times.size() ? Times[I] : 0); });
      }
    }
  });
  for (const auto &[Key, Streams] : E.Streams)
    if (Key.Slot == UntracedCalls && T.isUntraced(Key.Function))
      for (const RankedStream &S : Streams)
        addProduct(Sum, sum(S.Values), commonSize(S.Ranks, Ranks));
  return Sum;
}

uint64_t untracedCalls(const TraceData &T) {
  uint64_t Sum = 0;
  if (hasUntraced(T))
    for (const Group &G : T.Groups)
      G.forEachEvent([&](const NodeData &, uint32_t, const EventData &E) {
        addProduct(Sum, untracedCalls(T, G, E, G.ranks()), 1);
      });
  return Sum;
}

std::string countText(const TraceData &T) {
  const uint64_t Missing = untracedCalls(T);
  return std::to_string(T.calls()) + " calls" +
         (Missing ? " and " + std::to_string(Missing) + " that were not traced" : "");
}

} // namespace pilgrim
