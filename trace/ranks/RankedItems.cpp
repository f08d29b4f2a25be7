//===- RankedItems.cpp - a sequence of items of some ranks ----------------===//
#include "trace/ranks/RankedItems.h"

#include <algorithm>

namespace pilgrim {

static uint32_t symbols(const GrammarData &G) {
  size_t N = 0;
  for (const auto &Body : G.Rules)
    N += Body.size();
  return static_cast<uint32_t>(N);
}

/// All symbols, by place.
static std::vector<GrammarSymbol *> places(GrammarData &G) {
  std::vector<GrammarSymbol *> Out;
  for (auto &Body : G.Rules)
    for (GrammarSymbol &S : Body)
      Out.push_back(&S);
  return Out;
}

static std::vector<const GrammarSymbol *> places(const GrammarData &G) {
  std::vector<const GrammarSymbol *> Out;
  for (const auto &Body : G.Rules)
    for (const GrammarSymbol &S : Body)
      Out.push_back(&S);
  return Out;
}

static void setCounts(GrammarData &G, const ByRank &Counts, uint32_t Rank, uint32_t World) {
  auto Places = places(G);
  for (const auto &[Place, F] : Counts)
    Places[Place]->Count = static_cast<uint64_t>(F.eval(Rank, {Rank, World}));
}

GrammarData RankedItems::of(uint32_t Rank, uint32_t World) const {
  GrammarData G = Order;
  setCounts(G, Counts, Rank, World);
  return G;
}

std::vector<RankedItems::Share> RankedItems::shares(uint32_t World) const {
  if (Counts.empty())
    return {{Ranks, Order.terminalCounts()}};
  std::vector<Share> Out;
  GrammarData G = Order;
  for (RankSet &Own : ranksAlike(Counts, Ranks, World)) {
    setCounts(G, Counts, Own.first(), World);
    Out.push_back({std::move(Own), G.terminalCounts()});
  }
  return Out;
}

bool RankedItems::join(const RankedItems &Other, uint32_t World) {
  if (Order.Rules.size() != Other.Order.Rules.size())
    return false;
  for (size_t R = 0; R < Order.Rules.size(); ++R)
    if (!std::equal(
            Order.Rules[R].begin(), Order.Rules[R].end(), Other.Order.Rules[R].begin(), Other.Order.Rules[R].end(),
            [](const GrammarSymbol &A, const GrammarSymbol &B) { return A.Value == B.Value && A.IsRule == B.IsRule; }))
      return false;
  auto Own = places(Order);
  auto Its = places(Other.Order);
  ByRank Both = Counts;
  if (!joinByRank(Both, {Ranks, Counts, [&](uint32_t P) { return static_cast<int64_t>(Own[P]->Count); }},
                  {Other.Ranks, Other.Counts, [&](uint32_t P) { return static_cast<int64_t>(Its[P]->Count); }},
                  symbols(Order), World))
    return false;
  Counts = std::move(Both);
  for (const auto &[Place, F] : Counts)
    Own[Place]->Count = 2;
  Ranks.unite(Other.Ranks);
  return true;
}

bool RankedItems::isSane(ByteReader &R, uint32_t World) const {
  GrammarData Longest = Order;
  auto Places = places(Longest);
  std::vector<bool> IsAlone; // in its rule, which must be worth its while
  for (size_t I = 0; I < Order.Rules.size(); ++I)
    IsAlone.resize(IsAlone.size() + Order.Rules[I].size(), I && Order.Rules[I].size() == 1);
  for (const auto &[Place, F] : Counts) {
    R.spend(Ranks.size()); // which bounds the time
    if (!R.ok())
      return false;
    int64_t Least = IsAlone[Place] ? 2 : 1, Most = 1;
    bool Good = true;
    Ranks.forEach([&](uint32_t Rank) {
      int64_t N = F.eval(Rank, {Rank, World});
      Good &= N >= Least && N <= int64_t(1) << 60;
      Most = std::max(Most, N);
    });
    if (!Good)
      return false;
    Places[Place]->Count = static_cast<uint64_t>(Most);
  }
  return Longest.isShort();
}

} // namespace pilgrim
