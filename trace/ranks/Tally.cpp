//===- Tally.cpp - how often something happens on each rank ---------------===//
#include "trace/ranks/Tally.h"
#include "trace/base/Saturate.h"

#include <algorithm>

namespace pilgrim {

uint64_t tallyProduct(uint64_t A, uint64_t B) {
  uint64_t P;
  return __builtin_mul_overflow(A, B, &P) ? Tally::Unknown : std::min(P, Tally::Unknown);
}

static bool pay(ByteReader *Payer, uint64_t Bytes) {
  if (Payer)
    Payer->spend(Bytes);
  return !Payer || Payer->ok();
}

/// What it takes to look at both.
static uint64_t costOf(const RankSet &A, const RankSet &B) {
  return A.isShared(B) ? 0 : (A.intervals().size() + B.intervals().size()) * sizeof(RankSet::Interval);
}

void Tally::makeDense(ByteReader *Payer) {
  for (const RankedCount &P : Parts)
    Of.unite(P.Ranks);
  if (!pay(Payer, Of.size() * sizeof(uint64_t)))
    return;
  Dense.assign(Of.size(), 0);
  for (const RankedCount &P : Parts)
    P.Ranks.forEach([&](uint32_t R) { Dense[Of.indexOf(R)] = P.N; });
  Parts.clear();
}

Tally::Tally(const RankFn &F, const RankSet &Ranks, uint32_t World, uint64_t Factor) {
  const auto Context = [World](uint32_t R) { return RankContext{R, World}; };
  if (const auto Levels = F.levels(Ranks, Context, MaxParts)) {
    for (const RankFn::Level &L : *Levels)
      Parts.push_back({L.Ranks, tallyProduct(static_cast<uint64_t>(L.Value), Factor)});
    return;
  }
  Of = Ranks;
  Dense.reserve(Ranks.size());
  Ranks.forEach(
      [&](uint32_t R) { Dense.push_back(tallyProduct(static_cast<uint64_t>(F.eval(R, {R, World})), Factor)); });
}

void Tally::addOne(uint32_t Rank, uint64_t N, ByteReader *Payer) {
  uint64_t Place = Of.indexOf(Rank);
  if (!Of.contains(Rank)) {
    if (!pay(Payer, sizeof(uint64_t)))
      return;
    Of.unite(RankSet(Rank));
    Dense.insert(Dense.begin() + static_cast<ptrdiff_t>(Place), 0);
  }
  Dense[Place] = tallySum(Dense[Place], N);
}

void Tally::add(const RankSet &Ranks, uint64_t N, ByteReader *Payer) {
  if (Parts.empty() && Dense.empty()) {
    if (!Ranks.empty())
      Parts.push_back({Ranks, N});
    return;
  }
  if (!Dense.empty()) {
    if (pay(Payer, Ranks.size()))
      Ranks.forEach([&](uint32_t R) { addOne(R, N, Payer); });
    return;
  }
  // Ranks that follow each other, each with its own number, as where the rank says how often.
  if (!Parts.empty() && Parts.back().Ranks.last() < Ranks.first() && Parts.back().N == N) {
    bool IsLast =
        std::all_of(Parts.begin(), Parts.end(), [&](const RankedCount &P) { return P.Ranks.last() < Ranks.first(); });
    if (IsLast) {
      Parts.back().Ranks.unite(Ranks);
      return;
    }
  }
  RankSet Rest = Ranks;
  for (size_t I = 0, Before = Parts.size(); I < Before && !Rest.empty(); ++I) {
    if (!pay(Payer, costOf(Parts[I].Ranks, Rest)))
      return;
    if (Parts[I].Ranks == Rest) {
      Parts[I].N = tallySum(Parts[I].N, N);
      return;
    }
    RankSet Both = Parts[I].Ranks.common(Rest);
    if (Both.empty())
      continue;
    RankSet Others = Parts[I].Ranks.without(Both);
    Rest = Rest.without(Both);
    if (!Others.empty())
      Parts.push_back({std::move(Others), Parts[I].N});
    Parts[I] = {std::move(Both), tallySum(Parts[I].N, N)};
  }
  if (!Rest.empty())
    Parts.push_back({std::move(Rest), N});
  if (Parts.size() > MaxParts)
    makeDense(Payer);
}

void Tally::add(const Tally &Other, const RankSet &Ranks, ByteReader *Payer) {
  if (Parts.empty() && Dense.empty() && Other.Of == Ranks && !Other.Dense.empty()) {
    if (pay(Payer, Other.Dense.size() * sizeof(uint64_t)))
      *this = Other;
    return;
  }
  if (Parts.empty() && Dense.empty() && Other.Parts.size() == 1 && Other.Parts.begin()->Ranks == Ranks) {
    Parts = Other.Parts;
    return;
  }
  if (Of == Ranks && Other.Of == Ranks && !Dense.empty() && !Other.Dense.empty()) {
    for (size_t I = 0; I < Dense.size() && pay(Payer, 1); ++I)
      Dense[I] = tallySum(Dense[I], Other.Dense[I]);
    return;
  }
  Other.forEach(Ranks, [&](const RankSet &Own, uint64_t N) { add(Own, N, Payer); });
}

uint64_t Tally::of(uint32_t Rank) const {
  if (const RankedCount *P = ofRank(Parts, Rank))
    return P->N;
  return Of.contains(Rank) && !Dense.empty() ? Dense[Of.indexOf(Rank)] : 0;
}

uint64_t Tally::sum(const RankSet &Ranks) const {
  uint64_t Sum = 0;
  if (Dense.empty()) { // no set has to be made
    for (const RankedCount &P : Parts)
      addProduct(Sum, P.N, commonSize(P.Ranks, Ranks));
    return Sum;
  }
  forEach(Ranks, [&](const RankSet &Own, uint64_t N) { addProduct(Sum, N, Own.size()); });
  return Sum;
}

std::optional<uint64_t> Tally::always(const RankSet &Ranks) const {
  std::optional<uint64_t> Number;
  bool IsSame = true;
  forEach(Ranks, [&](const RankSet &, uint64_t N) { IsSame &= Number.value_or(N) == N, Number = N; });
  return IsSame ? Number : std::nullopt;
}

bool Tally::isSame(const Tally &Other, const RankSet &Ranks) const {
  if (!Dense.empty() && Of == Ranks && Of == Other.Of)
    return Dense == Other.Dense && std::all_of(Dense.begin(), Dense.end(), [](uint64_t N) { return N < Unknown; });
  bool IsSame = true;
  forEach(Ranks, [&](const RankSet &Own, uint64_t N) { IsSame = IsSame && Other.isAlways(Own, N); });
  return IsSame;
}

bool Tally::isMultiple(const RankSet &Ranks, uint64_t Factor) const {
  bool Good = true;
  forEach(Ranks, [&](const RankSet &, uint64_t N) { Good &= N && N < Unknown && N % Factor == 0; });
  return Good;
}

RankFn Tally::function(const RankSet &Ranks, uint64_t Factor) const {
  if (!Dense.empty()) {
    std::vector<int64_t> Values(Ranks.size());
    forEach(Ranks, [&](const RankSet &Own, uint64_t N) {
      for (const RankSet::Interval &I : Own.intervals())
        std::fill_n(Values.begin() + static_cast<ptrdiff_t>(Ranks.indexOf(I.First)), I.Last - I.First + 1,
                    static_cast<int64_t>(N / Factor));
    });
    return RankFn::ofValues(Values, Ranks).compressed();
  }
  std::vector<RankFn::Level> Levels;
  std::map<uint64_t, size_t> Known;
  forEach(Ranks, [&](const RankSet &Own, uint64_t N) {
    auto [It, New] = Known.try_emplace(N, Levels.size());
    if (New)
      Levels.push_back({static_cast<int64_t>(N / Factor), Own});
    else
      Levels[It->second].Ranks.unite(Own);
  });
  std::sort(Levels.begin(), Levels.end(),
            [](const RankFn::Level &A, const RankFn::Level &B) { return A.Ranks.first() < B.Ranks.first(); });
  return RankFn::ofLevels(Levels);
}

std::vector<RankedCount> countsOf(const Tally &Numbers, const RankSet &Ranks) {
  std::vector<RankedCount> Out;
  Numbers.forEach(Ranks, [&](const RankSet &Same, uint64_t N) {
    if (N)
      Out.push_back({Same, N});
  });
  return Out;
}

uint64_t total(const std::vector<RankedCount> &Counts) {
  uint64_t N = 0;
  for (const RankedCount &C : Counts)
    addProduct(N, C.N, C.Ranks.size());
  return N;
}

} // namespace pilgrim
