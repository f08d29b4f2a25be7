//===- MergeSequences.cpp - which calls stand at the same place -----------===//
#include "trace/merge/MergeSequences.h"
#include "trace/sequences/SequenceHash.h"

#include <algorithm>

namespace pilgrim {

namespace {
/// Entries of one sequence, each of which may come to stand at several places.
class Parting {
public:
  explicit Parting(const RankedItems &X) : Left(X.Items.size()) {}
  /// An item that will be taken once more.
  void expect(uint32_t Item) { ++Left[Item]; }
  /// E, the entry of an item.
  Entry take(Entry &E, uint32_t Item) { return --Left[Item] ? E : std::move(E); }

private:
  std::vector<uint32_t> Left; ///< places of each item that it was not taken for
};

class SequenceMerge {
public:
  SequenceMerge(TableMerge &Tables, KnownAlignments &Alignments, TableId T, SequenceSide A, SequenceSide B,
                uint32_t World, MeasureMerge *Measures)
      : Tables(Tables), Alignments(Alignments), T(T), World(World), Measures(Measures),
        Sides{{std::move(A), {}, {}}, {std::move(B), {}, {}}} {}

  Sequences run() {
    const bool ArePaths = T == TableId::Paths;
    if (isOneEach(!ArePaths)) { // the frequent case
      joinSame(0, 0);
      return std::move(Out);
    }
    for (Side &S : Sides) {
      S.IsJoined.resize(S.List.size());
      for (const RankedItems &X : S.List)
        S.Keyed.push_back(ArePaths ? keyedPaths(S, X) : keyed(S, X));
    }
    if (!ArePaths) {
      join([](const Side &S, size_t I) { return hashOf(S, I, true); },
           [&](size_t I, size_t J) { return isSame(I, J, true) && joinSame(I, J); });
      join([](const Side &S, size_t I) { return hashOfKeys(S.Keyed[I]); },
           [&](size_t I, size_t J) {
             if (!mayAlign(I, J))
               return false;
             const uint64_t Work = workOf(Sides[0].Keyed[I], Sides[1].Keyed[J]);
             if (!Alignments.Exact.isWorth(Work))
               return false;
             const auto Both = align(Sides[0].Keyed[I], Sides[1].Keyed[J]);
             const bool IsJoined = joinAligned(I, J, Both ? &*Both : nullptr, CostOfSequence);
             Alignments.Exact.was(Work, IsJoined);
             return IsJoined;
           });
      joinUnequal();
      join([](const Side &, size_t) { return 0; },
           [&](size_t I, size_t J) {
             if (!mayAlign(I, J))
               return false;
             const bool IsJoined = joinAligned(
                 I, J, Alignments.find(Sides[0].Keyed[I], Sides[1].Keyed[J], Sides[0].calls(I), Sides[1].calls(J)), 0);
             Alignments.wasOfUse(IsJoined);
             return IsJoined;
           });
    }
    join([](const Side &S, size_t I) { return hashOf(S, I, false); },
         [&](size_t I, size_t J) { return isSame(I, J, false) && joinSame(I, J); });
    if (ArePaths)
      joinUnequal();
    for (Side &S : Sides)
      for (size_t I = 0; I < S.List.size(); ++I)
        if (!S.IsJoined[I])
          copy(S, std::move(S.List[I]));
    return std::move(Out);
  }

private:
  struct Side : SequenceSide {
    std::vector<bool> IsJoined;
    std::vector<KeyedSequence> Keyed;
    bool isAnyLeft() const { return std::find(IsJoined.begin(), IsJoined.end(), false) != IsJoined.end(); }
    const Item &item(size_t I, size_t J) const { return List[I].Items[J]; }
    Entry &entry(const Item &I) const { return Tables.G.table(TableId::Signatures)[I.Index]; }
    KnownAlignments::Calls calls(size_t I) const {
      KnownAlignments::Calls Out;
      Out.reserve(List[I].Items.size());
      for (const Item &X : List[I].Items)
        Out.push_back(X.IsNode ? nullptr : &entry(X));
      return Out;
    }
  };

  struct Key {
    uint64_t Hash;
    int64_t Place;
  };
  /// Calls may stand side by side that are of the same function, at the same site and depth.
  Key keyOf(Side &S, const Item &I) {
    if (I.IsNode)
      return {mix(1, S.Node[I.Index]), 0};
    const auto &Tokens = S.entry(I)[0].Tokens;
    const uint32_t Site = Tokens[1] ? Tables.site(S.Tables, Tokens[1] - 1) + 1 : 0;
    return {mix(mix(mix(2, Tokens[0]), Site), Tokens[2]),
            Site ? Tables.Out.table(TableId::Sites)[Site - 1][0].Words[0].single().C : 0};
  }

  KeyedSequence keyed(Side &S, const RankedItems &X) {
    KeyedSequence Out{X.Order, {}};
    Out.Keys.reserve(X.Items.size());
    Out.Places.reserve(X.Items.size());
    for (const Item &I : X.Items) {
      const Key K = keyOf(S, I);
      Out.Keys.push_back(K.Hash);
      Out.Places.push_back(K.Place);
    }
    return Out;
  }

  /// Whether both sides have one sequence, and the same.
  bool isOneEach(bool WithKeys) {
    if (Sides[0].List.size() != 1 || Sides[1].List.size() != 1 || !isSame(0, 0, false))
      return false;
    if (!WithKeys)
      return true;
    uint64_t Hashes[2] = {};
    for (unsigned N = 0; N < 2; ++N)
      for (const Item &I : Sides[N].List[0].Items)
        Hashes[N] = mix(Hashes[N], keyOf(Sides[N], I).Hash);
    return Hashes[0] == Hashes[1];
  }

  /// Paths are the same if all ranks have the same events on them.
  static KeyedSequence keyedPaths(Side &S, const RankedItems &X) {
    KeyedSequence Out{X.Order, {}};
    for (const Item &I : X.Items) {
      const Entry &E = S.Tables.G.table(TableId::Paths)[I.Index];
      uint64_t H = E.size() == 1 ? 3 : mix(4, I.Index);
      for (uint32_t Event : E[0].Tokens)
        H = mix(H, Event);
      Out.Keys.push_back(H);
    }
    return Out;
  }

  /// Those that differ in how often something is repeated.
  void joinUnequal() {
    join([](const Side &S, size_t I) { return hashOfShape(S.Keyed[I]); },
         [&](size_t I, size_t J) { return Sides[0].Keyed[I].Keys == Sides[1].Keyed[J].Keys && joinCounts(I, J); });
  }

  /// Of each side those that are left and have the same hash, as long as Join finds that two belong together.
  template <typename HashFn, typename JoinFn> void join(HashFn Hash, JoinFn Join) {
    Side &A = Sides[0], &B = Sides[1];
    if (!A.isAnyLeft() || !B.isAnyLeft())
      return;
    Finder Find(B.List.size());
    for (size_t J = 0; J < B.List.size(); ++J)
      if (!B.IsJoined[J])
        Find.add(Hash(B, J), J);
    unsigned Tries = MaxTries;
    for (size_t I = 0; I < A.List.size(); ++I) {
      if (A.IsJoined[I])
        continue;
      for (size_t J : Find.all(Hash(A, I)))
        if (!B.IsJoined[J] && Tries) {
          if (Join(I, J)) {
            A.IsJoined[I] = B.IsJoined[J] = true;
            break;
          }
          --Tries;
        }
    }
  }

  static uint64_t hashOf(const Side &S, size_t I, bool WithKeys) {
    const RankedItems &X = S.List[I];
    uint64_t H = pilgrim::hashOf(X.Order);
    for (size_t J = 0; J < X.Items.size(); ++J)
      H = mix(H, WithKeys ? S.Keyed[I].Keys[J] : X.Items[J].IsNode ? S.Node[X.Items[J].Index] + 1 : 0);
    return H;
  }

  /// Of rules and keys, but not how often.
  static uint64_t hashOfShape(const KeyedSequence &S) {
    uint64_t H = S.Order.Rules.size();
    for (const auto &Body : S.Order.Rules) {
      H = mix(H, Body.size());
      for (const GrammarSymbol &X : Body)
        H = mix(H, X.IsRule ? X.Value : S.Keys[X.Value]);
    }
    for (const auto &[Rule, C] : S.Order.Chunks)
      H = mix(H, C.hash());
    return H;
  }

  /// Whether all ranks of each have the same.
  bool areEqual(size_t I, size_t J) const {
    return Sides[0].List[I].Functions.empty() && Sides[1].List[J].Functions.empty();
  }

  /// Chunks are not looked into: what does not repeat has little in common.
  bool mayAlign(size_t I, size_t J) const {
    return areEqual(I, J) && Sides[0].List[I].Order.Chunks.empty() && Sides[1].List[J].Order.Chunks.empty();
  }

  bool isSame(size_t I, size_t J, bool WithKeys) const {
    const RankedItems &X = Sides[0].List[I], &Y = Sides[1].List[J];
    if (!areEqual(I, J))
      return false;
    if (X.Items.size() != Y.Items.size() || X.Order != Y.Order)
      return false;
    if (WithKeys)
      return Sides[0].Keyed[I].Keys == Sides[1].Keyed[J].Keys;
    for (size_t K = 0; K < X.Items.size(); ++K)
      if (X.Items[K].IsNode != Y.Items[K].IsNode ||
          (X.Items[K].IsNode && Sides[0].Node[X.Items[K].Index] != Sides[1].Node[Y.Items[K].Index]))
        return false;
    return true;
  }

  /// The same items, but not as often.
  bool joinCounts(size_t I, size_t J) { return Sides[0].List[I].join(Sides[1].List[J], World) && joinSame(I, J); }

  bool joinSame(size_t I, size_t J) {
    RankedItems To = std::move(Sides[0].List[I]);
    To.Ranks.unite(Sides[1].List[J].Ranks);
    for (size_t K = 0; K < To.Items.size(); ++K) {
      Item &X = To.Items[K];
      const Item &Y = Sides[1].item(J, K);
      if (Measures && !X.IsNode)
        Measures->unite(Sides[0].entry(X), Sides[1].entry(Y));
      X.Index = X.IsNode ? Sides[0].Node[X.Index] : Tables.joinEntry(T, X.Index, Y.Index);
    }
    Out.push_back(std::move(To));
    return true;
  }

  /// Both: of the two; null: there is none. Joined if it costs less than both sequences and More.
  bool joinAligned(size_t I, size_t J, const Alignment *Both, size_t More) {
    RankedItems &X = Sides[0].List[I], &Y = Sides[1].List[J];
    if (!Both || lacksNodes(X, Y, *Both))
      return false;
    if (Alignments.AtAnyCost ? !hasPair(*Both) : !pays(I, J, *Both, costOf(X.Order) + costOf(Y.Order) + More))
      return false;
    RankedItems To;
    To.Ranks = std::move(X.Ranks);
    To.Ranks.unite(Y.Ranks);
    const auto Pairs = std::span(Both->Pairs).first(Both->Order.terminals());
    To.Items.reserve(Pairs.size());
    // All measures are united before an entry moves.
    Parting PartsX(X), PartsY(Y);
    for (auto [K, L] : Pairs) {
      if (K != Alignment::None)
        PartsX.expect(K);
      if (L != Alignment::None)
        PartsY.expect(L);
      if (Measures && K != Alignment::None && L != Alignment::None && !X.Items[K].IsNode)
        Measures->unite(Sides[0].entry(X.Items[K]), Sides[1].entry(Y.Items[L]));
    }
    for (auto [K, L] : Pairs) {
      if (K != Alignment::None && X.Items[K].IsNode) {
        To.Items.push_back({true, Sides[0].Node[X.Items[K].Index]});
        continue;
      }
      Entry A, B;
      if (K != Alignment::None)
        A = PartsX.take(Sides[0].entry(X.Items[K]), K);
      if (L != Alignment::None)
        B = PartsY.take(Sides[1].entry(Y.Items[L]), L);
      uint32_t Index = L == Alignment::None   ? Tables.copy(Sides[0].Tables, T, std::move(A))
                       : K == Alignment::None ? Tables.copy(Sides[1].Tables, T, std::move(B))
                                              : Tables.join(T, std::move(A), std::move(B));
      To.Items.push_back({false, Index});
    }
    To.Order = Both->Order;
    Out.push_back(std::move(To));
    return true;
  }

  static bool hasPair(const Alignment &Both) {
    return std::ranges::any_of(Both.Pairs,
                               [](auto P) { return P.first != Alignment::None && P.second != Alignment::None; });
  }

  /// Whether Both costs less than Apart. Gaps that are there already cost nothing, if calls do not come to stand beside
  /// others that they have little in common with: that has to be said for each rank.
  bool pays(size_t I, size_t J, const Alignment &Both, size_t Apart) const {
    const size_t Cost = costOf(Both);
    if (Cost < Apart)
      return true;
    const size_t WithGaps = Apart + costOfGaps(I, J, Both);
    return Cost < WithGaps && Cost + costOfDifferences(I, J, Both) < WithGaps;
  }

  size_t costOfDifferences(size_t I, size_t J, const Alignment &Both) const {
    const uint64_t Ranks = std::min(Sides[0].List[I].Ranks.size(), Sides[1].List[J].Ranks.size());
    size_t N = 0;
    for (auto [K, L] : Both.Pairs)
      if (Ranks > 1 && K != Alignment::None && L != Alignment::None && !Sides[0].item(I, K).IsNode)
        N += differencesOf(Sides[0].entry(Sides[0].item(I, K)), Sides[1].entry(Sides[1].item(J, L)));
    return N * (Ranks - 1);
  }

  /// What Both has for gaps that are there already.
  size_t costOfGaps(size_t I, size_t J, const Alignment &Both) const {
    size_t N = 0;
    for (auto [K, L] : Both.Pairs)
      if (K == Alignment::None || L == Alignment::None)
        N += L == Alignment::None ? hasGap(Sides[0], I, K) : hasGap(Sides[1], J, L);
    return CostOfRanks * N;
  }

  /// Whether not all ranks of a sequence have a call of it.
  static bool hasGap(const Side &S, size_t I, uint32_t K) {
    if (S.item(I, K).IsNode)
      return false;
    size_t Ranks = 0;
    for (const Variant &V : S.entry(S.item(I, K)))
      Ranks += V.Ranks.size();
    return Ranks < S.List[I].Ranks.size();
  }

  /// Ranks may lack calls of a sequence, but no activations.
  static bool lacksNodes(const RankedItems &X, const RankedItems &Y, const Alignment &Both) {
    for (auto [K, L] : Both.Pairs)
      if ((L == Alignment::None && X.Items[K].IsNode) || (K == Alignment::None && Y.Items[L].IsNode))
        return true;
    return false;
  }

  void copy(Side &S, RankedItems X) {
    for (Item &I : X.Items)
      I.Index = I.IsNode ? S.Node[I.Index] : Tables.copyEntry(S.Tables, T, I.Index);
    Out.push_back(std::move(X));
  }

  /// Of align(), in steps of alignWithGaps().
  static uint64_t workOf(const KeyedSequence &A, const KeyedSequence &B) {
    constexpr uint64_t OfSymbol = 64;
    return (A.Order.symbols() + B.Order.symbols()) * OfSymbol;
  }

  static constexpr unsigned MaxTries = 64; ///< that come to nothing
  /// Of its ranks and of how many rules and items it has, as costOf() estimates. Those that are not joined here are of
  /// one side from then on, and never compared again.
  static constexpr size_t CostOfSequence = 8;
  TableMerge &Tables;
  KnownAlignments &Alignments;
  TableId T;
  uint32_t World;
  MeasureMerge *Measures;
  Side Sides[2];
  Sequences Out;
};
} // namespace

Sequences mergeSequences(TableMerge &Tables, KnownAlignments &Alignments, TableId T, SequenceSide A, SequenceSide B,
                         uint32_t World, MeasureMerge *Measures) {
  return SequenceMerge(Tables, Alignments, T, std::move(A), std::move(B), World, Measures).run();
}

} // namespace pilgrim
