#include "test/unit/RootGroup.h"

namespace pilgrim::test {

std::vector<int64_t> bytesOf(const std::string &Text) {
  std::vector<int64_t> Out;
  for (unsigned char C : Text)
    Out.push_back(C);
  return Out;
}

void appendColumns(SlotColumns &To, SlotStreamKey Slot, const std::vector<int64_t> &Words, size_t Each, bool IsVector) {
  if (IsVector || Slot.Function == UntracedId)
    To[Slot].dropSteps();
  if (IsVector)
    To[Slot].append(static_cast<int64_t>(Words.size() / Each));
  for (size_t I = 0; I < Words.size(); ++I) {
    Slot.Column = static_cast<uint32_t>(I % Each + IsVector);
    To[Slot].append(Words[I]);
  }
}

Spread alike(uint64_t Count, uint64_t Sum, uint32_t Rank) {
  if (Count < 2)
    return Count ? Spread::of(Sum, Rank) : Spread();
  const uint64_t Each = Sum / Count, More = Sum % Count;
  return {Count,
          Sum,
          UInt128(Each) * Each * (Count - More) + UInt128(Each + 1) * (Each + 1) * More,
          Each,
          Each + (More ? 1 : 0),
          Rank,
          Rank};
}

Measure measureOf(const MeasuredPlace &Place, uint64_t Calls, uint64_t Duration, uint64_t Gap, uint32_t Rank) {
  return {Place, alike(Calls, Duration, Rank), {{{}, alike(Calls, Gap, Rank)}}};
}

void measureCalls(Group &G, uint64_t Duration, uint64_t Gap) {
  G.Timed = true;
  for (NodeData &N : G.Nodes)
    for (auto &[Id, E] : N.Events) {
      E.Measures.clear();
      for (const RankedItems &X : E.Items) {
        auto Counts = X.Order.terminalCounts();
        for (size_t I = 0; I < X.Items.size(); ++I) {
          if (X.Items[I].IsNode)
            continue;
          Entry &Call = G.table(TableId::Signatures)[X.Items[I].Index];
          Call.setMeasure(0, static_cast<uint32_t>(E.Measures.size()));
          E.Measures.push_back(
              measureOf(placeOf(Call[0]), Counts[I], Counts[I] * Duration, Counts[I] * Gap, X.Ranks.first()));
        }
      }
    }
}

void setCalls(Group &G, const RankSet &Ranks, GrammarData Calls, SlotColumns &Streams, uint64_t Duration,
              uint64_t Gap) {
  NodeData &Root = G.Nodes[0];
  Root.Ranks = Ranks;
  auto Counts = Calls.terminalCounts();
  EventData &E = Root.Events[0];
  RankedItems &X = E.Items.emplace_back();
  X.Ranks = Ranks;
  X.Order = std::move(Calls);
  for (uint32_t I = 0; I < Counts.size(); ++I)
    X.Items.push_back({false, I});
  if (Duration)
    measureCalls(G, Duration, Gap);
  for (auto &[Key, S] : Streams)
    E.Streams[Key].push_back({Ranks, S.data()});
}

} // namespace pilgrim::test
