//===- Untraced.cpp - calls that a trace lacks ----------------------------===//
#include "trace/read/Untraced.h"
#include "trace/base/Counted.h"
#include "trace/base/Saturate.h"
#include "trace/read/Soundness.h"

#include <algorithm>
#include <functional>

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

/// How many calls each of them stands for, where the number is in the signature; those of streams are counted there.
static void forEachNumber(const Group &G, const Variant &V, const RankSet &Ranks, uint32_t World,
                          const std::function<void(const RankSet &, uint64_t)> &F) {
  SlotWalker Walk(V.Tokens);
  SlotView S;
  for (unsigned I = 0; Walk.next(S); ++I) {
    if (I != UntracedCalls || S.T != Tag::Word)
      continue;
    const RankFn &Calls = V.Words[S.FirstWord];
    auto Ctx = [&](uint32_t Rank) { return G.context(V.Tokens, Rank, World); };
    constexpr size_t MaxLevels = 256;
    if (auto Levels = Calls.levels(Ranks, Ctx, MaxLevels))
      for (const RankFn::Level &L : *Levels)
        F(L.Ranks, number(L.Value));
    else
      Ranks.forEach([&](uint32_t Rank) { F(RankSet(Rank), number(Calls.eval(Rank, Ctx(Rank)))); });
  }
}

static std::vector<RankedCount> untracedAt(const TraceData &T, const Group &G, const EventData &E) {
  std::vector<RankedCount> Out;
  auto Add = [&](const RankSet &Ranks, uint64_t Calls, uint64_t Times) {
    uint64_t N = 0;
    addProduct(N, Calls, Times);
    if (N)
      Out.push_back({Ranks, N});
  };
  for (const RankedItems &X : E.Items) {
    std::vector<Tally> Times;
    for (size_t I = 0; I < X.Items.size(); ++I) {
      if (X.Items[I].IsNode)
        continue;
      for (const Variant &V : G.table(TableId::Signatures)[X.Items[I].Index]) {
        if (!T.isUntraced(V.Tokens[0]))
          continue;
        if (Times.empty())
          Times = X.calls(T.World);
        forEachNumber(G, V, V.Ranks.common(X.Ranks), T.World, [&](const RankSet &Ranks, uint64_t Calls) {
          Times[I].forEach(Ranks, [&](const RankSet &Same, uint64_t N) { Add(Same, Calls, N); });
        });
      }
    }
  }
  for (const auto &[Key, Streams] : E.Streams)
    if (Key.Slot == UntracedCalls && T.isUntraced(Key.Function))
      for (const RankedStream &S : Streams)
        S.forEachPart(T.World, [&](const RankedStream &X) { Add(X.Ranks, sumOfCounts(X.Values), 1); });
  return Out;
}

std::vector<RankedCount> untracedAt(const Walk &W, uint32_t Thread, uint32_t Node, uint32_t Event) {
  const Group &G = W.group(Thread);
  auto E = G.Nodes[Node].Events.find(Event);
  if (E == G.Nodes[Node].Events.end())
    return {};
  return untracedAt(W.trace().data(), G, E->second);
}

uint64_t untracedCalls(const TraceData &T) {
  uint64_t Sum = 0;
  if (hasUntraced(T))
    for (const Group &G : T.Groups)
      G.forEachEvent(
          [&](const NodeData &, uint32_t, const EventData &E) { addProduct(Sum, total(untracedAt(T, G, E)), 1); });
  return Sum;
}

std::string countText(const TraceData &T) {
  const uint64_t Missing = untracedCalls(T);
  return counted(T.calls(), "call") +
         (Missing ? " and " + std::to_string(Missing) + (Missing == 1 ? " that was" : " that were") + " not traced"
                  : "");
}

} // namespace pilgrim
