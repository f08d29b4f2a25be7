//===- Reorder.cpp - calls that may change places --------------------------===//
#include "trace/merge/Reorder.h"
#include "trace/base/UnionFind.h"
#include "trace/sequences/SequenceHash.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace pilgrim {

namespace {
bool areShared(const RankSet &A, const RankSet &B) {
  auto I = A.intervals().begin(), J = B.intervals().begin();
  while (I != A.intervals().end() && J != B.intervals().end()) {
    if (I->First <= J->Last && J->First <= I->Last)
      return true;
    if (I->Last < J->Last)
      ++I;
    else
      ++J;
  }
  return false;
}

/// Makes A what A and B are, if something explains both.
bool uniteObject(Variant &A, const Variant &B) {
  WordList Words = A.Words;
  for (size_t W = 0; W < Words.size(); ++W)
    if (!Words.own()[W].mergeSingle(B.Words[W]))
      return false;
  A.Words = std::move(Words);
  A.Ranks.unite(B.Ranks);
  return true;
}

/// An object that ranks had before they were merged with others may be there several times.
bool uniteObjects(Group &G) {
  constexpr size_t MaxTries = 8;
  Table &Objects = G.table(TableId::Objects);
  std::map<std::pair<std::vector<uint32_t>, int64_t>, std::vector<uint32_t>> Known; // by number, if that is one
  std::vector<uint32_t> New;
  bool Any = false;
  for (uint32_t I = 0; I < Objects.size(); ++I) {
    const Variant &Own = Objects[I][0];
    const bool IsNumbered =
        !Own.Words.empty() && Own.Words[0].isSingle() && Own.Words[0].single().Mask & Candidates::Const;
    std::vector<uint32_t> &Like = Known[{Own.Tokens, IsNumbered ? Own.Words[0].single().C : -1}];
    const auto Same = std::ranges::find_if(Like, [&](uint32_t J) { return uniteObject(Objects[J].own()[0], Own); });
    New.push_back(Same == Like.end() ? I : *Same);
    Any |= Same != Like.end();
    if (Same == Like.end() && Like.size() < MaxTries)
      Like.push_back(I);
  }
  if (Any)
    changeVariants(G.table(TableId::Signatures), [&](Variant &V) {
      SlotWalker Walk(V.Tokens);
      for (SlotView S; Walk.next(S);)
        if (S.hasObjects())
          for (size_t I = S.RefToken; S.RefToken && I < S.FirstToken + S.Tokens; ++I)
            V.Tokens[I] = New[V.Tokens[I]];
    });
  return Any;
}

/// What all events of a group share while their sequences are reordered.
class Reordered {
public:
  explicit Reordered(const Table &Signatures) : Signatures(Signatures) {}

  /// Takes that many steps. False: that is more than are left, of all events together.
  bool mayTake(size_t Steps) {
    const bool May = Steps <= Work;
    Work -= May ? Steps : 0;
    return May;
  }
  /// Whether stays() was called for the same calls in the same order.
  bool isKnown(const RankedItems &X) const {
    return Find.find(hashOf(X), [&](size_t I) { return isSame(*Unchanged[I], X); }) != Finder::None;
  }
  /// X was looked at, and nothing changed. It must stay where it is as long as this lives.
  void stays(const RankedItems &X) {
    Find.add(hashOf(X), Unchanged.size());
    Unchanged.push_back(&X);
  }

private:
  const void *callOf(const Item &I) const { return I.IsNode ? nullptr : Signatures[I.Index].address(); }
  uint64_t hashOf(const RankedItems &X) const {
    uint64_t H = pilgrim::hashOf(X.Order);
    for (const Item &I : X.Items)
      H = mix(H, reinterpret_cast<uintptr_t>(callOf(I)));
    return H;
  }
  bool isSame(const RankedItems &A, const RankedItems &B) const {
    return A.Ranks == B.Ranks && A.Order == B.Order &&
           std::ranges::equal(A.Items, B.Items, [&](const Item &I, const Item &J) { return callOf(I) == callOf(J); });
  }

  const Table &Signatures;
  size_t Work = size_t(1) << 27;
  std::vector<const RankedItems *> Unchanged;
  Finder Find{0};
};

/// The sequences of an event.
class Reorder {
public:
  Reorder(Group &G, EventData &E, uint32_t World, Reordered &All)
      : G(G), Signatures(G.table(TableId::Signatures)), E(E), World(World), All(All), SameMeasure(E.Measures.size()) {}

  bool run() {
    bool Any = false;
    for (RankedItems &X : E.Items)
      Any |= run(X);
    if (Any && G.Timed)
      uniteMeasures();
    return Any;
  }

private:
  using Body = std::vector<GrammarSymbol>;
  using Bits = std::vector<uint8_t>;
  static constexpr size_t MostSymbols = 512; ///< of a rule

  bool run(RankedItems &X) {
    const auto &Rules = X.Order.Rules;
    if (!X.Functions.empty() || !X.Order.Chunks.empty() || All.isKnown(X))
      return false;
    bool HasGaps = false;
    size_t Longest = 0, Intervals = 0;
    for (const Body &B : Rules)
      Longest = std::max(Longest, B.size());
    Ranks.clear();
    for (const Item &I : X.Items) {
      RankSet Of = X.Ranks;
      if (!I.IsNode) {
        Of = {};
        for (const Variant &V : Signatures[I.Index])
          Of.unite(V.Ranks);
      }
      HasGaps |= !(Of == X.Ranks);
      Intervals += Of.intervals().size();
      Ranks.push_back(std::move(Of));
    }
    if (!HasGaps || Longest > MostSymbols || !All.mayTake(Longest * Intervals))
      return false;
    Uses.assign(X.Items.size(), 0);
    for (const Body &B : Rules)
      for (const GrammarSymbol &S : B)
        Uses[S.Value] += !S.IsRule;
    OfRules.assign(Rules.size(), {});
    Order = &X.Order;
    Items = &X.Items;
    bool Any = false;
    for (size_t R = Rules.size(); R-- > 0;) {
      Any |= reorder(X.Order.Rules[R]);
      for (const GrammarSymbol &S : Rules[R])
        OfRules[R].unite(ranksOf(S));
    }
    if (Any)
      rename(X);
    else
      All.stays(X);
    return Any;
  }

  const RankSet &ranksOf(const GrammarSymbol &S) const { return S.IsRule ? OfRules[S.Value] : Ranks[S.Value]; }

  const Entry *callOf(GrammarSymbol S) const {
    const Item &I = (*Items)[S.Value];
    return S.IsRule || I.IsNode ? nullptr : &Signatures[I.Index];
  }
  int64_t placeOf(GrammarSymbol S) const {
    while (S.IsRule)
      S = Order->Rules[S.Value][0];
    const Entry *Call = callOf(S);
    const uint32_t Site = Call ? (*Call)[0].Tokens[1] : 0;
    return Site ? G.table(TableId::Sites)[Site - 1][0].Words[0].single().C : 0;
  }

  /// Function, site, depth and number of calls; symbols with the same may become one. Nothing: this one may not.
  using Key = std::array<uint64_t, 4>;
  std::optional<Key> keyOf(const GrammarSymbol &S) const {
    const Entry *Call = callOf(S);
    if (!Call || Uses[S.Value] != 1)
      return std::nullopt;
    const auto &Tokens = (*Call)[0].Tokens;
    for (const Variant &V : *Call)
      if (!std::equal(V.Tokens.begin(), V.Tokens.begin() + 3, Tokens.begin()))
        return std::nullopt;
    return Key{Tokens[0], Tokens[1], Tokens[2], S.Count};
  }

  bool reorder(Body &B) {
    if (!All.mayTake(B.size() * B.size()))
      return false;
    // Symbols that share ranks stay in their order.
    std::vector<Bits> Tied(B.size(), Bits(B.size()));
    for (size_t I = 0; I < B.size(); ++I)
      for (size_t J = 0; J < I; ++J)
        Tied[I][J] = Tied[J][I] = areShared(ranksOf(B[I]), ranksOf(B[J]));
    std::vector<size_t> At; // the order of what is left
    std::map<Key, size_t> HowMany;
    Keys.clear();
    for (size_t I = 0; I < B.size(); ++I) {
      At.push_back(I);
      Keys.push_back(keyOf(B[I]));
      if (Keys[I])
        ++HowMany[*Keys[I]];
    }
    for (size_t I = 0; I < At.size(); ++I)
      while (Keys[At[I]] && HowMany[*Keys[At[I]]] > 1 && joinLater(B, At, I, Tied))
        ;
    // Of those that may come next, the first in the program.
    std::vector<int64_t> Places(B.size());
    for (size_t I : At)
      Places[I] = placeOf(B[I]);
    Body To;
    while (!At.empty()) {
      size_t Next = 0;
      for (size_t I = 1; I < At.size(); ++I)
        if (Places[At[I]] < Places[At[Next]] &&
            std::none_of(At.begin(), At.begin() + static_cast<ptrdiff_t>(I), [&](size_t J) { return Tied[At[I]][J]; }))
          Next = I;
      const GrammarSymbol &S = B[At[Next]];
      if (!To.empty() && To.back().Value == S.Value && To.back().IsRule == S.IsRule)
        To.back().Count += S.Count;
      else
        To.push_back(S);
      At.erase(At.begin() + static_cast<ptrdiff_t>(Next));
    }
    const bool IsOther = To != B;
    B = std::move(To);
    return IsOther;
  }

  /// Joins the symbol at place I with a later one, if both can come to stand side by side.
  bool joinLater(Body &B, std::vector<size_t> &At, size_t I, std::vector<Bits> &Tied) {
    if (!All.mayTake(At.size() * At.size()))
      return false;
    // Those that cannot stand before it.
    Bits Behind(At.size());
    Behind[I] = true;
    for (size_t J = I + 1; J < At.size(); ++J) {
      for (size_t K = I; K < J && !Behind[J]; ++K)
        Behind[J] = Behind[K] && Tied[At[J]][At[K]];
      if (Behind[J] || Keys[At[I]] != Keys[At[J]])
        continue;
      const size_t X = At[I], Y = At[J];
      joinEntries((*Items)[B[X].Value].Index, (*Items)[B[Y].Value].Index);
      Ranks[B[X].Value].unite(Ranks[B[Y].Value]);
      for (size_t K = 0; K < B.size(); ++K)
        if (Tied[Y][K])
          Tied[X][K] = Tied[K][X] = true;
      std::vector<size_t> Before, After;
      for (size_t K = I + 1; K < J; ++K)
        (Behind[K] ? After : Before).push_back(At[K]);
      Before.push_back(X);
      Before.insert(Before.end(), After.begin(), After.end());
      std::ranges::copy(Before, At.begin() + static_cast<ptrdiff_t>(I));
      At.erase(At.begin() + static_cast<ptrdiff_t>(J));
      return true;
    }
    return false;
  }

  /// Adds what Index stands for to To.
  void joinEntries(uint32_t To, uint32_t Index) {
    Entry &A = Signatures[To];
    const Entry B = std::move(Signatures[Index]);
    for (const Variant &V : B) {
      if (G.Timed)
        SameMeasure.unite(A.measure(0), B.measure(V));
      const std::span<Variant> Own = A.own();
      auto Same = std::ranges::find(Own, V.Tokens, &Variant::Tokens);
      if (Same == Own.end()) {
        A.push_back(V);
        A.setMeasure(A.size() - 1, B.measure(V));
        continue;
      }
      const RankFn::ContextFn Context = G.contexts(V.Tokens, World);
      joinWords(Same->Words, {Same->Words, Same->Ranks, Context}, {V.Words, V.Ranks, Context}, Unions);
      Unions.unite(Same->Ranks, V.Ranks);
    }
  }

  void uniteMeasures() {
    const std::vector<Measure> Old = std::exchange(E.Measures, std::vector<Measure>(E.Measures.size()));
    for (uint32_t I = 0; I < Old.size(); ++I) {
      Measure &To = E.Measures[SameMeasure.find(I)];
      To.Place = Old[I].Place;
      To.add(Old[I], [&](GapPath P) {
        if (P.K == GapPath::Call && P.Which < Old.size())
          P.Which = SameMeasure.find(P.Which);
        return P;
      });
    }
    for (const RankedItems &X : E.Items)
      for (const Item &I : X.Items)
        if (!I.IsNode)
          Signatures[I.Index].changeMeasures([&](uint32_t M) { return SameMeasure.find(M); });
  }

  /// Items are numbered in the order of their first use.
  static void rename(RankedItems &X) {
    std::vector<uint32_t> New(X.Items.size(), GrammarData::LeftOut);
    std::vector<Item> Used;
    Bits IsKnown(X.Order.Rules.size());
    const std::function<void(size_t)> Visit = [&](size_t Rule) {
      IsKnown[Rule] = true;
      for (const GrammarSymbol &S : X.Order.Rules[Rule])
        if (S.IsRule && !IsKnown[S.Value]) {
          Visit(S.Value);
        } else if (!S.IsRule && New[S.Value] == GrammarData::LeftOut) {
          New[S.Value] = static_cast<uint32_t>(Used.size());
          Used.push_back(X.Items[S.Value]);
        }
    };
    Visit(0);
    X.Order = X.Order.renamed(New);
    X.Items = std::move(Used);
  }

  Group &G;
  Table &Signatures;
  EventData &E;
  uint32_t World;
  Reordered &All;
  std::vector<RankSet> Ranks;           ///< by item
  std::vector<RankSet> OfRules;         ///< by rule
  std::vector<uint32_t> Uses;           ///< by item: in how many places of rules
  std::vector<std::optional<Key>> Keys; ///< of the rule's symbols
  const GrammarData *Order = nullptr;
  const std::vector<Item> *Items = nullptr;
  RankSetUnions Unions;
  UnionFind SameMeasure;
};
} // namespace

bool reorder(Group &G, uint32_t World) {
  bool Any = uniteObjects(G);
  Reordered All(G.table(TableId::Signatures));
  for (NodeData &N : G.Nodes)
    for (auto &[Id, E] : N.Events)
      Any |= Reorder(G, E, World, All).run();
  return Any;
}

} // namespace pilgrim
