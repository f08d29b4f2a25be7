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

GrammarData RankedItems::of(uint32_t Rank, uint32_t World) const {
  GrammarData G = Order;
  auto Places = places(G);
  for (const auto &[Place, F] : Counts)
    Places[Place]->Count = static_cast<uint64_t>(F.eval(Rank, {Rank, World}));
  return G;
}

std::vector<Tally> RankedItems::calls(uint32_t World) const {
  std::vector<Tally> Out;
  auto Add = [&](const RankSet &Own, const GrammarData &G) {
    const auto Times = G.terminalCounts();
    Out.resize(std::max(Out.size(), Times.size()));
    for (size_t I = 0; I < Times.size(); ++I)
      Out[I].add(Own, Times[I]);
  };
  if (Counts.empty()) {
    Add(Ranks, Order);
    return Out;
  }
  GrammarData G = Order;
  const auto Places = places(G);
  // Mostly the whole is repeated as often as a function says.
  if (Counts.size() == 1 && Counts.contains(0) && Order.Rules[0].size() == 1) {
    G.Rules[0][0].Count = 1;
    const auto Times = G.terminalCounts();
    Out.reserve(Times.size());
    for (size_t I = 0; I < Times.size(); ++I)
      if (I && Times[I] == Times[I - 1])
        Out.push_back(Out.back());
      else
        Out.emplace_back(Counts.at(0), Ranks, World, Times[I]);
    return Out;
  }
  forEachAlike(Counts, Ranks, World, [&](const RankSet &Own, const std::map<uint32_t, int64_t> &Numbers) {
    for (const auto &[Place, N] : Numbers)
      Places[Place]->Count = static_cast<uint64_t>(N);
    Add(Own, G);
  });
  return Out;
}

void forEachPart(const std::vector<RankedItems> &L, uint32_t World, const std::function<void(const RankedItems &)> &F) {
  for (const RankedItems &X : L) {
    if (X.Counts.empty()) {
      F(X);
      continue;
    }
    RankedItems Part{X.Ranks, X.Order, X.Items};
    const auto Places = places(Part.Order);
    forEachAlike(X.Counts, X.Ranks, World, [&](const RankSet &Own, const std::map<uint32_t, int64_t> &Numbers) {
      Part.Ranks = Own;
      for (const auto &[Place, N] : Numbers)
        Places[Place]->Count = static_cast<uint64_t>(N);
      F(Part);
    });
  }
}

bool RankedItems::join(const RankedItems &Other, uint32_t World) {
  // What is said of chunks is said of all ranks.
  const bool HasChunks = !Order.Chunks.empty() || !Other.Order.Chunks.empty();
  if (Order.Rules.size() != Other.Order.Rules.size() || (HasChunks && Order != Other.Order))
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

bool RankedItems::isSane(uint32_t World) const {
  constexpr int64_t Limit = int64_t(1) << 60;
  GrammarData Longest = Order;
  auto Places = places(Longest);
  std::vector<bool> IsAlone; // in its rule, which must be worth its while
  for (size_t I = 0; I < Order.Rules.size(); ++I)
    IsAlone.resize(IsAlone.size() + Order.Rules[I].size(), I && Order.Rules[I].size() == 1);
  for (const auto &[Place, F] : Counts) {
    const auto [Least, Most] = F.range(Ranks, World);
    if (Least < (IsAlone[Place] ? 2 : 1) || Most > Limit)
      return false;
    Places[Place]->Count = static_cast<uint64_t>(Most);
  }
  return Longest.isShort();
}

} // namespace pilgrim
