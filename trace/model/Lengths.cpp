//===- Lengths.cpp - what the structure says of lengths -------------------===//
#include "trace/model/Lengths.h"

#include <algorithm>
#include <functional>

namespace pilgrim {

/// Changes that are looked at, of a stream that could be of any length.
static constexpr unsigned MaxChanges = 4096;

static bool isGood(ByteReader *Payer) { return !Payer || Payer->ok(); }

void EventPasses::add(const std::vector<uint32_t> &Events, const Tally &Numbers, const RankSet &Ranks,
                      ByteReader *Payer) {
  Single[0].add(Numbers, Ranks, Payer);
  for (uint32_t E : Events)
    Single[E].add(Numbers, Ranks, Payer);
}

const Tally &EventPasses::of(uint32_t Event) const {
  if (const auto It = Single.find(Event); It != Single.end())
    return It->second;
  return Event == 0 || std::ranges::binary_search(Path, Event) ? OnPath : None;
}

static bool isAscending(const std::vector<uint32_t> &L) {
  return std::ranges::adjacent_find(L, std::ranges::greater_equal()) == L.end();
}

EventPasses countPasses(const Group &G, const NodeData &N, uint32_t World, ByteReader *Payer) {
  const Table &Paths = G.table(TableId::Paths);
  if (N.Paths.size() == 1 && N.Paths[0].Items.size() == 1) {
    const Entry &Only = Paths[N.Paths[0].Items[0].Index];
    std::vector<Tally> Calls = N.Paths[0].calls(World);
    if (Only.size() == 1 && Only[0].Ranks == N.Paths[0].Ranks && Calls.size() == 1 && isAscending(Only[0].Tokens))
      return {Only[0].Tokens, std::move(Calls[0])};
  }
  EventPasses Out;
  for (const RankedItems &X : N.Paths) {
    const std::vector<Tally> Calls = X.calls(World);
    for (size_t I = 0; I < X.Items.size() && I < Calls.size(); ++I)
      for (const Variant &V : Paths[X.Items[I].Index]) {
        const RankSet Ranks = V.Ranks.common(X.Ranks);
        if (Payer && !V.Ranks.isShared(X.Ranks))
          Payer->spend(V.Ranks.intervals().size() + X.Ranks.intervals().size());
        if (!Ranks.empty() && isGood(Payer))
          Out.add(V.Tokens, Calls[I], Ranks, Payer);
      }
  }
  return Out;
}

const RankFn *onlyValue(const RankedStream &S, uint32_t World) {
  if (S.Functions.size() != 1 || S.Functions.begin()->first != 0 || S.Values.Runs.size() != 1 || S.Values.AreSteps ||
      !S.Values.Chunks.empty() || S.Values.Runs[0].Stride != 0)
    return nullptr;
  const RankFn &F = S.Functions.begin()->second;
  return F.range(S.Ranks, World).first < 0 ? nullptr : &F;
}

Tally countVisits(const NodeData &N, uint32_t World, ByteReader *Payer) {
  Tally Out;
  for (const RankedStream &S : N.Visits)
    if (const RankFn *F = onlyValue(S, World))
      Out.add(Tally(*F, S.Ranks, World, S.Values.length()), S.Ranks, Payer);
    else
      S.forEachPart(World, [&](const RankedStream &X) { Out.add(X.Ranks, sumOf(X.Values), Payer); });
  return Out;
}

uint64_t sumOf(const IntStreamData &S) {
  uint64_t Sum = 0;
  S.forEachRun([&](const LinearRun &R, uint64_t Times) {
    // First * Count + Stride * (0 + 1 + ... + Count - 1)
    const __uint128_t Pairs = R.Count > 1 ? static_cast<__uint128_t>(R.Count) * (R.Count - 1) / 2 : 0;
    if (R.First < 0 || R.Stride < 0 || Pairs >> 62) {
      Sum = Tally::Unknown;
      return;
    }
    const uint64_t One = tallySum(tallyProduct(static_cast<uint64_t>(R.First), R.Count),
                                  tallyProduct(static_cast<uint64_t>(R.Stride), static_cast<uint64_t>(Pairs)));
    Sum = tallySum(Sum, tallyProduct(One, Times));
  });
  return Sum;
}

/// Items of so many passes.
static uint64_t itemsOf(uint64_t Passes, uint64_t Usual, const IntStreamData &PassesToChange,
                        const IntStreamData &UsualItems) {
  if (Passes == Tally::Unknown)
    return Passes;
  IntStreamData::Cursor Until(PassesToChange), Count(UsualItems);
  uint64_t Items = 0, At = 0;
  unsigned Changes = 0;
  for (int64_t S, C; Until.next(S); Usual = static_cast<uint64_t>(C)) {
    if (S < 0 || !Count.next(C) || C < 0 || ++Changes > MaxChanges)
      return Tally::Unknown;
    if (static_cast<uint64_t>(S) >= Passes - At)
      break;
    Items = tallySum(Items, tallyProduct(static_cast<uint64_t>(S), Usual));
    At += static_cast<uint64_t>(S);
  }
  return tallySum(Items, tallyProduct(Passes - At, Usual));
}

Tally countItems(const NodeData &N, const EventData &E, uint32_t Id, const Tally &Passes, ByteReader *Payer) {
  const uint64_t Usual = Id ? 1 : 0;
  if (E.PassesToChange.empty() && Id)
    return Passes;
  Tally Out;
  // Ranks without changes have the usual number.
  RankSet Rest = N.Ranks;
  for (const RankedStream &S : E.PassesToChange)
    for (const RankedStream &C : E.UsualItems) {
      const RankSet Own = S.Ranks.common(C.Ranks).common(Rest);
      if (Own.empty() || !isGood(Payer))
        continue;
      Rest = Rest.without(Own);
      Passes.forEach(Own, [&](const RankSet &Part, uint64_t Number) {
        if (Payer)
          Payer->spend(MaxChanges);
        if (Number && isGood(Payer))
          Out.add(Part, itemsOf(Number, Usual, S.Values, C.Values), Payer);
      });
    }
  Passes.forEach(Rest, [&](const RankSet &Part, uint64_t Number) {
    if (Number && isGood(Payer))
      Out.add(Part, tallyProduct(Number, Usual), Payer);
  });
  return Out;
}

} // namespace pilgrim
