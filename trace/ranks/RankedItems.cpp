//===- RankedItems.cpp - a sequence of items of some ranks ----------------===//
#include "trace/ranks/RankedItems.h"

#include <algorithm>

namespace pilgrim {

namespace {
/// The counts of all symbols of a grammar, by place.
template <typename Grammar> class SymbolCounts {
public:
  explicit SymbolCounts(Grammar &G) {
    for (auto &Body : G.Rules)
      for (auto &S : Body)
        At.push_back(&S);
    for (size_t R = 0; R < G.Rules.size(); ++R)
      IsAlone.resize(IsAlone.size() + G.Rules[R].size(), R && G.Rules[R].size() == 1);
  }
  size_t size() const { return At.size(); }
  int64_t get(uint32_t Place) const { return static_cast<int64_t>(At[Place]->Count); }
  void set(uint32_t Place, int64_t N) { At[Place]->Count = static_cast<uint64_t>(N); }
  static int64_t placeholder(uint32_t) { return 2; }
  static bool isLength(uint32_t) { return true; }
  static constexpr int64_t Most = int64_t(1) << 60;
  /// A symbol that is alone in its rule has to make the rule worth its while.
  int64_t least(uint32_t Place) const { return IsAlone[Place] ? 2 : 1; }

private:
  std::vector<decltype(&std::declval<Grammar &>().Rules[0][0])> At;
  std::vector<bool> IsAlone;
};
} // namespace

static SymbolCounts<GrammarData> numbersOf(GrammarData &G) { return SymbolCounts<GrammarData>(G); }
static SymbolCounts<const GrammarData> numbersOf(const GrammarData &G) { return SymbolCounts<const GrammarData>(G); }

GrammarData RankedItems::of(uint32_t Rank, uint32_t World) const {
  return valueFor(Rank, *this, &RankedItems::Order, World);
}

std::vector<Tally> RankedItems::calls(uint32_t World) const {
  if (Functions.empty() && Order.isOneTerminal()) // the frequent case
    return {Tally(Ranks, Order.Rules[0][0].Count)};
  std::vector<Tally> Out;
  auto Add = [&](const RankSet &Own, const GrammarData &G) {
    const auto Times = G.terminalCounts();
    Out.resize(std::max(Out.size(), Times.size()));
    for (size_t I = 0; I < Times.size(); ++I)
      Out[I].add(Own, Times[I]);
  };
  // Mostly the whole is repeated as often as a function says.
  if (Functions.size() == 1 && Functions.contains(0) && Order.Rules[0].size() == 1) {
    GrammarData G = Order;
    G.Rules[0][0].Count = 1;
    const auto Times = G.terminalCounts();
    Out.reserve(Times.size());
    for (size_t I = 0; I < Times.size(); ++I)
      if (I && Times[I] == Times[I - 1])
        Out.push_back(Out.back());
      else
        Out.emplace_back(Functions.at(0), Ranks, World, Times[I]);
    return Out;
  }
  pilgrim::forEachPart(*this, &RankedItems::Order, World, [&](const RankedItems &X) { Add(X.Ranks, X.Order); });
  return Out;
}

void forEachPart(const std::vector<RankedItems> &L, uint32_t World, const std::function<void(const RankedItems &)> &F) {
  for (const RankedItems &X : L)
    forEachPart(X, &RankedItems::Order, World, F);
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
  return joinNumbers(*this, Other, &RankedItems::Order, World);
}

bool RankedItems::isSane(uint32_t World) const { return areLengthsSane(*this, &RankedItems::Order, World); }

} // namespace pilgrim
