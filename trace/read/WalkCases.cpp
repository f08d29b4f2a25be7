//===- WalkCases.cpp - values of streamed slots together ------------------===//
//
// A streamed slot has a value a call, in an order that all calls of the function at the site share. To tell how often a
// call has which values, the sequence of calls and the streams are laid side by side, as grammars: what repeats itself
// is looked at once.
//
//===----------------------------------------------------------------------===//
#include "trace/read/CaseCounts.h"
#include "trace/read/Walk.h"
#include "trace/sequences/Alignment.h"

#include <algorithm>

namespace pilgrim {

namespace {
/// Values that may be told, and elements that are gone through one by one where nothing repeats itself.
constexpr uint64_t MaxValues = 1 << 20, MaxElements = 1 << 24;

/// A sequence over tuples of values.
struct Tuples {
  GrammarData Order;
  std::vector<std::vector<int64_t>> Of; ///< by terminal
};

/// A stream as a grammar over its distinct values; false: there are too many.
bool valuesOf(const IntStreamData &S, Tuples &Out) {
  if (!S.Chunks.empty())
    return valuesOf(S.expanded(), Out);
  std::map<int64_t, uint32_t> Known;
  auto Number = [&](int64_t V) {
    auto [It, New] = Known.try_emplace(V, static_cast<uint32_t>(Out.Of.size()));
    if (New)
      Out.Of.push_back({V});
    return It->second;
  };
  if (S.AreSteps) {
    if (S.length() > MaxElements)
      return false;
    Grammar G;
    IntStreamData::Cursor C(S);
    for (int64_t V; C.next(V);) {
      G.append(Number(V));
      if (Out.Of.size() > MaxValues)
        return false;
    }
    Out.Order = G.data();
    return true;
  }
  // A run of one value is a symbol, another one a rule of its own behind the others.
  Out.Order = S.Order;
  std::vector<GrammarSymbol> Symbols;
  uint64_t Made = 0;
  for (const LinearRun &R : S.Runs) {
    if (R.Stride == 0 || R.Count == 1) {
      Symbols.push_back({Number(R.First), false, R.Count});
      continue;
    }
    if ((Made += R.Count) > MaxValues)
      return false;
    std::vector<GrammarSymbol> Body;
    auto V = static_cast<uint64_t>(R.First);
    for (uint64_t I = 0; I < R.Count; ++I, V += static_cast<uint64_t>(R.Stride))
      Body.push_back({Number(static_cast<int64_t>(V)), false, 1});
    Symbols.push_back({static_cast<uint32_t>(Out.Order.Rules.size()), true, 1});
    Out.Order.Rules.push_back(std::move(Body));
  }
  for (size_t R = 0; R < S.Order.Rules.size(); ++R)
    for (GrammarSymbol &X : Out.Order.Rules[R])
      if (!X.IsRule && X.Value < Symbols.size()) {
        const GrammarSymbol &Run = Symbols[X.Value];
        if (X.Count > 1 && Run.Count > 1 && Run.Count > (uint64_t(1) << 62) / X.Count)
          return false;
        X = {Run.Value, Run.IsRule, Run.Count * X.Count};
      }
  return true;
}

/// Two sequences of one length side by side; false: the lengths differ, or there is no end to it.
bool sideBySide(const GrammarData &A, const GrammarData &B, Alignment &Out) {
  if (A.length() != B.length())
    return false;
  if (auto Both = align({A, std::vector<uint64_t>(A.terminals())}, {B, std::vector<uint64_t>(B.terminals())})) {
    Out = std::move(*Both);
    return true;
  }
  if (A.length() > MaxElements)
    return false;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Known;
  Grammar G;
  GrammarData::Cursor X(A), Y(B);
  for (uint32_t I, J; X.next(I) && Y.next(J);) {
    auto [It, New] = Known.try_emplace({I, J}, static_cast<uint32_t>(Out.Pairs.size()));
    if (New)
      Out.Pairs.emplace_back(I, J);
    if (Out.Pairs.size() > MaxValues)
      return false;
    G.append(It->second);
  }
  Out.Order = G.data();
  return true;
}

class Cases {
public:
  Cases(const Walk &W, const CallShape &C, std::span<const unsigned> Slots, KnownCases &Known)
      : W(W), C(C), Slots(Slots), Known(Known), G(W.group(C.Thread)), E(G.Nodes[C.Node].Events.find(C.Event)->second) {}

  bool run(const Walk::CaseFn &F) {
    struct Found {
      RankSet Ranks;
      std::vector<int64_t> Values;
      uint64_t N;
    };
    std::vector<Found> All; // told only if everything is found
    for (unsigned Slot : Slots)
      if (!C.Slots[Slot].IsStreamed || streamColumns(C.Slots[Slot].T) != 1)
        return false;
    const auto Sets = classes();
    if (!Sets)
      return false;
    for (const RankSet &Ranks : *Sets) {
      if (const auto Order = irregularOrder(Ranks.first())) {
        const CaseCounts &Counts = allCalls(*Order, Ranks.first());
        if (!Counts.IsFound)
          return false;
        for (const CaseCounts::Case &X : Counts.Of[C.Terminal])
          All.push_back({Ranks, X.Values, X.Number});
        continue;
      }
      Tuples Together;
      if (!tuples(Ranks.first(), Together))
        return false;
      auto Counts = Together.Order.terminalCounts();
      for (size_t I = 0; I < Counts.size(); ++I)
        if (Counts[I])
          All.push_back({Ranks, Together.Of[I], Counts[I]});
    }
    for (const Found &X : All)
      F(X.Ranks, X.Values, X.N);
    return true;
  }

private:
  SlotStreamKey key(unsigned Slot) const { return {C.Function->Id, C.Content->Tokens[1], Slot, 0}; }

  const RankedStreams *streams(unsigned Slot) const {
    auto It = E.Streams.find(key(Slot));
    return It == E.Streams.end() ? nullptr : &It->second;
  }

  /// Whether a variant's calls take a value from the stream of a slot.
  bool uses(const Variant &V, unsigned Slot) const {
    if (V.Tokens[0] != C.Content->Tokens[0] || V.Tokens[1] != C.Content->Tokens[1])
      return false;
    SlotWalker Walk(V.Tokens);
    SlotView S;
    for (unsigned I = 0; Walk.next(S); ++I)
      if (I == Slot)
        return S.T == Tag::Stream;
    return false;
  }

  /// Ranks for which calls and streams are the same; nothing if there are too many such sets.
  std::optional<std::vector<RankSet>> classes() const {
    std::vector<RankSet> Sets{C.Ranks};
    if (!splitSets(Sets, C.Sequence->Functions, C.Sequence->Ranks, W.world()))
      return std::nullopt;
    for (unsigned Slot : Slots) {
      for (const Item &I : C.Sequence->Items)
        if (!I.IsNode)
          for (const Variant &V : G.table(TableId::Signatures)[I.Index])
            if (uses(V, Slot))
              splitSets(Sets, V.Ranks);
      if (const RankedStreams *L = streams(Slot))
        for (const RankedStream &S : *L)
          if (!splitSets(Sets, S.Functions, S.Ranks, W.world()))
            return std::nullopt;
    }
    return Sets;
  }

  /// The values of a slot; null: the rank has none.
  const RankedStream *streamOf(unsigned Slot, uint32_t Rank) const {
    const RankedStreams *L = streams(Slot);
    return L ? ofRank(*L, Rank) : nullptr;
  }
  IntStreamData valuesFor(const RankedStream &S, uint32_t Rank) const {
    return S.Functions.empty() ? S.Values : S.of(Rank, W.world());
  }

  /// By item of the sequence: which slots it takes a value for, on that rank.
  std::vector<uint64_t> users(uint32_t Rank) const {
    std::vector<uint64_t> Out(C.Sequence->Items.size());
    for (size_t I = 0; I < Out.size(); ++I)
      if (const Item &X = C.Sequence->Items[I]; !X.IsNode)
        if (const Variant *V = G.find(TableId::Signatures, X.Index, Rank))
          for (size_t S = 0; S < Slots.size(); ++S)
            Out[I] |= uint64_t(uses(*V, Slots[S])) << S;
    return Out;
  }

  /// The sequence of one rank, if its calls are so many different ones, or their values so irregular, that all of them
  /// are counted faster element by element. That takes the time of what the trace has of them, and no memory for it.
  std::optional<GrammarData> irregularOrder(uint32_t Rank) const {
    // What there is to look at for one call, if it is laid beside its values.
    auto Symbols = [](const GrammarData &D) {
      uint64_t N = D.symbols();
      for (const auto &[Rule, X] : D.Chunks)
        N += X.length();
      return N;
    };
    GrammarData Order = C.Sequence->Functions.empty() ? C.Sequence->Order : C.Sequence->of(Rank, W.world());
    uint64_t ForEach = Symbols(Order);
    for (unsigned Slot : Slots)
      if (const RankedStream *S = streamOf(Slot, Rank)) {
        ForEach += Symbols(S->Values.Order) + S->Values.Runs.size();
        for (const auto &[Run, X] : S->Values.Chunks)
          ForEach += X.length();
      }
    const uint64_t Length = Order.length();
    if (Length > ForEach * C.Sequence->Items.size())
      return std::nullopt;
    uint64_t Users = 0;
    for (uint64_t Of : users(Rank))
      Users += Of != 0;
    return Users > 1 && Length <= ForEach * Users ? std::optional(std::move(Order)) : std::nullopt;
  }

  /// The values of all calls of the function at the site.
  const CaseCounts &allCalls(const GrammarData &Order, uint32_t Rank) const {
    const CasesWanted Wanted{
        C.Sequence, C.Content->Tokens[0], C.Content->Tokens[1], {Slots.begin(), Slots.end()}, Rank};
    return Known.get(Wanted, [&] {
      std::vector<IntStreamData> Columns;
      for (unsigned Slot : Slots) {
        const RankedStream *S = streamOf(Slot, Rank);
        Columns.push_back(S ? valuesFor(*S, Rank) : IntStreamData());
      }
      return countCases(Order, users(Rank), Columns, MaxValues);
    });
  }

  /// The values of all slots in the calls of one rank.
  bool tuples(uint32_t Rank, Tuples &Out) const {
    const GrammarData Order = C.Sequence->Functions.empty() ? C.Sequence->Order : C.Sequence->of(Rank, W.world());
    bool First = true;
    for (unsigned Slot : Slots) {
      Tuples Next;
      if (!column(Order, Slot, Rank, Next))
        return false;
      if (First) {
        Out = std::move(Next);
        First = false;
        continue;
      }
      Alignment Both;
      if (!sideBySide(Out.Order, Next.Order, Both))
        return false;
      Tuples Wider;
      Wider.Order = std::move(Both.Order);
      for (auto [I, J] : Both.Pairs) {
        Wider.Of.push_back(Out.Of[I]);
        Wider.Of.back().push_back(Next.Of[J][0]);
      }
      Out = std::move(Wider);
    }
    return true;
  }

  /// The values of one slot in the calls of one rank.
  bool column(const GrammarData &Order, unsigned Slot, uint32_t Rank, Tuples &Out) const {
    const RankedStream *S = streamOf(Slot, Rank);
    if (!S)
      return false;
    Tuples All;
    if (!valuesOf(valuesFor(*S, Rank), All))
      return false;
    // Users of the stream: this call is 1, others 0.
    std::vector<uint32_t> User(C.Sequence->Items.size(), GrammarData::LeftOut);
    bool IsAlone = true;
    for (size_t I = 0; I < User.size(); ++I) {
      const Item &X = C.Sequence->Items[I];
      const Variant *V = X.IsNode ? nullptr : G.find(TableId::Signatures, X.Index, Rank);
      if (!V || !uses(*V, Slot))
        continue;
      User[I] = V == C.Content && I == C.Terminal;
      IsAlone &= User[I] == 1;
    }
    if (IsAlone) {
      Out = std::move(All);
      return true;
    }
    Alignment Both;
    if (!sideBySide(Order.renamed(User), All.Order, Both))
      return false;
    std::vector<uint32_t> Own(Both.Pairs.size(), GrammarData::LeftOut);
    for (size_t I = 0; I < Own.size(); ++I)
      if (Both.Pairs[I].first == 1) {
        Own[I] = static_cast<uint32_t>(Out.Of.size());
        Out.Of.push_back(All.Of[Both.Pairs[I].second]);
      }
    Out.Order = Both.Order.renamed(Own);
    return true;
  }

  const Walk &W;
  const CallShape &C;
  std::span<const unsigned> Slots;
  KnownCases &Known;
  const Group &G;
  const EventData &E;
};
} // namespace

bool Walk::forEachCase(const CallShape &C, std::span<const unsigned> Slots, const CaseFn &F) const {
  return Cases(*this, C, Slots, *Known).run(F);
}

} // namespace pilgrim
