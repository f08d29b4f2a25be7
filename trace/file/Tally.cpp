//===- Tally.cpp - numbers by rank ----------------------------------------===//
#include "trace/file/Tally.h"

#include <algorithm>

namespace pilgrim {

/// Changes that are looked at, of a stream that could be of any length.
static constexpr unsigned MaxChanges = 4096;

RankFn numbersOf(const std::vector<Tally::Part> &Parts) {
  std::vector<std::pair<uint32_t, int64_t>> Of;
  RankSet All;
  for (const Tally::Part &P : Parts) {
    P.Ranks.forEach([&](uint32_t Rank) { Of.emplace_back(Rank, static_cast<int64_t>(P.N)); });
    All.unite(P.Ranks);
  }
  std::sort(Of.begin(), Of.end());
  std::vector<int64_t> Values;
  for (const auto &[Rank, Number] : Of)
    Values.push_back(Number);
  return RankFn::ofValues(Values, All);
}

uint64_t tallyProduct(uint64_t A, uint64_t B) {
  uint64_t P;
  return __builtin_mul_overflow(A, B, &P) ? Tally::Unknown : std::min(P, Tally::Unknown);
}

static uint64_t sum(uint64_t A, uint64_t B) { return std::min(A + B, Tally::Unknown); }

/// Whether sets have no member in common, at a glance: most are of single ranks where there are many.
static bool areApart(const RankSet &A, const RankSet &B) {
  return A.intervals().back().Last < B.first() || B.intervals().back().Last < A.first();
}

static bool pay(ByteReader *Payer, const RankSet &A, const RankSet &B) {
  if (!Payer)
    return true;
  Payer->spend((A.intervals().size() + B.intervals().size()) * sizeof(RankSet::Interval));
  return Payer->ok();
}

void Tally::add(const RankSet &Ranks, uint64_t N, ByteReader *Payer) {
  RankSet Rest = Ranks;
  for (size_t I = 0, Before = Parts.size(); I < Before && !Rest.empty(); ++I) {
    if (!pay(Payer, Parts[I].Ranks, Rest))
      return;
    if (areApart(Parts[I].Ranks, Rest))
      continue;
    if (Parts[I].Ranks == Rest) {
      Parts[I].N = sum(Parts[I].N, N);
      return;
    }
    RankSet Others = Parts[I].Ranks.without(Rest), Both = Parts[I].Ranks.without(Others);
    if (Both.empty())
      continue;
    Rest = Rest.without(Both);
    if (!Others.empty()) {
      Parts.push_back({std::move(Others), Parts[I].N});
      Parts[I].Ranks = std::move(Both);
    }
    Parts[I].N = sum(Parts[I].N, N);
  }
  if (!Rest.empty())
    Parts.push_back({std::move(Rest), N});
}

std::vector<Tally::Part> Tally::of(const RankSet &Ranks, ByteReader *Payer) const {
  std::vector<Part> Out;
  auto Put = [&](RankSet R, uint64_t N) {
    auto Same = std::find_if(Out.begin(), Out.end(), [&](const Part &P) { return P.N == N; });
    if (Same == Out.end())
      Out.push_back({std::move(R), N});
    else
      Same->Ranks.unite(R);
  };
  RankSet Rest = Ranks;
  for (const Part &P : Parts) {
    if (!pay(Payer, P.Ranks, Rest))
      return {};
    if (Rest.empty() || areApart(P.Ranks, Rest))
      continue;
    if (P.Ranks == Rest) {
      Put(std::move(Rest), P.N);
      return Out;
    }
    RankSet Both = P.Ranks.common(Rest);
    if (Both.empty())
      continue;
    Rest = Rest.without(Both);
    Put(std::move(Both), P.N);
    if (Rest.empty())
      break;
  }
  if (!Rest.empty())
    Put(std::move(Rest), 0);
  // In the order of their first ranks, however they came about.
  std::sort(Out.begin(), Out.end(), [](const Part &A, const Part &B) { return A.Ranks.first() < B.Ranks.first(); });
  return Out;
}

std::map<uint32_t, Tally> countPasses(const Group &G, const NodeData &N, uint32_t World, ByteReader *Payer) {
  std::map<uint32_t, Tally> Out;
  for (const RankedItems &X : N.Paths)
    for (const RankedItems::Share &S : X.shares(World))
      for (size_t I = 0; I < X.Items.size() && I < S.Calls.size(); ++I)
        for (const Variant &V : G.table(TableId::Paths)[X.Items[I].Index]) {
          if (!(V.Ranks == S.Ranks) && !pay(Payer, V.Ranks, S.Ranks))
            return Out;
          const RankSet Ranks = V.Ranks.common(S.Ranks);
          if (Ranks.empty())
            continue;
          Out[0].add(Ranks, S.Calls[I], Payer);
          for (uint32_t E : V.Tokens)
            Out[E].add(Ranks, S.Calls[I], Payer);
        }
  return Out;
}

Tally countVisits(const NodeData &N, uint32_t World, ByteReader *Payer) {
  Tally Out;
  for (const RankedStream &S : N.Visits)
    for (const RankedStream &P : S.parts(World))
      Out.add(P.Ranks, sumOf(P.Values), Payer);
  return Out;
}

uint64_t sumOf(const IntStreamData &S) {
  uint64_t Sum = 0;
  auto Counts = S.Order.terminalCounts();
  for (size_t I = 0; I < Counts.size(); ++I) {
    const LinearRun &R = S.Runs[I];
    if (R.First < 0 || R.Stride < 0)
      return Tally::Unknown;
    // First * Count + Stride * (0 + 1 + ... + Count - 1)
    __uint128_t Pairs = R.Count > 1 ? static_cast<__uint128_t>(R.Count) * (R.Count - 1) / 2 : 0;
    if (Pairs >> 62)
      return Tally::Unknown;
    uint64_t One = sum(tallyProduct(static_cast<uint64_t>(R.First), R.Count),
                       tallyProduct(static_cast<uint64_t>(R.Stride), static_cast<uint64_t>(Pairs)));
    Sum = sum(Sum, tallyProduct(One, Counts[I]));
  }
  return Sum;
}

/// Items of so many passes.
static uint64_t itemsOf(uint64_t Passes, uint64_t Usual, const IntStreamData &Steps, const IntStreamData &Counts) {
  if (Passes == Tally::Unknown)
    return Passes;
  IntStreamData::Cursor Step(Steps), Count(Counts);
  uint64_t Items = 0, At = 0;
  unsigned Changes = 0;
  for (int64_t S, C; Step.next(S); Usual = static_cast<uint64_t>(C)) {
    if (S < 0 || !Count.next(C) || C < 0 || ++Changes > MaxChanges)
      return Tally::Unknown;
    if (static_cast<uint64_t>(S) >= Passes - At)
      break;
    Items = sum(Items, tallyProduct(static_cast<uint64_t>(S), Usual));
    At += static_cast<uint64_t>(S);
  }
  return sum(Items, tallyProduct(Passes - At, Usual));
}

Tally countItems(const EventData &E, uint32_t Id, const Tally &Passes, ByteReader *Payer) {
  uint64_t Usual = Id ? 1 : 0;
  if (E.Passes.empty() && Id)
    return Passes;
  Tally Out;
  for (const Tally::Part &P : Passes.parts()) {
    RankSet Rest = P.Ranks;
    for (const RankedStream &S : E.Passes) {
      if (!pay(Payer, S.Ranks, Rest))
        return Out;
      if (Rest.empty() || areApart(Rest, S.Ranks))
        continue;
      RankSet Both = Rest.common(S.Ranks);
      if (Both.empty())
        continue;
      Rest = Rest.without(Both);
      for (const RankedStream &C : E.Counts) {
        if (!pay(Payer, C.Ranks, Both))
          return Out;
        if (Both.empty() || areApart(Both, C.Ranks))
          continue;
        RankSet Own = Both.common(C.Ranks);
        if (Payer)
          Payer->spend(MaxChanges);
        if (!Own.empty())
          Out.add(Own, itemsOf(P.N, Usual, S.Values, C.Values), Payer);
        Both = Both.without(Own);
      }
      Rest.unite(Both); // changes without numbers are none
    }
    if (!Rest.empty())
      Out.add(Rest, tallyProduct(P.N, Usual), Payer);
  }
  return Out;
}

} // namespace pilgrim
