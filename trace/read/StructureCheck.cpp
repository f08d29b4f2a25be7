//===- StructureCheck.cpp - whether sequences are as long as they have to be -===//
//
// Activations of a node ask for numbers of visits, visits for paths, and paths for items of events. From the root down,
// each sequence has to be as long as what is above asks for, and every visit has a call inside it.
//
//===----------------------------------------------------------------------===//
#include "trace/read/Soundness.h"

#include <algorithm>

namespace pilgrim {

namespace {
class StructureCheck {
public:
  StructureCheck(const TraceData &T, const Group &G) : T(T), G(G), Activations(G.Nodes.size()), Payer({}, MaxWork) {}

  std::string run() {
    // A node stands behind the one that it is activated in.
    for (uint32_t I = 0; I < G.Nodes.size() && Problem.empty(); ++I)
      node(I);
    return Problem;
  }

private:
  /// What sets of ranks may cost: where they are that irregular, nothing more is compared.
  static constexpr uint64_t MaxWork = uint64_t(1) << 32;

  void bad(uint32_t Rank, const std::string &What) {
    if (Problem.empty())
      Problem = "damaged: rank " + std::to_string(Rank) + " has " + What;
  }

  /// Both: of Ranks.
  void compare(const Tally &Has, const Tally &Wants, const RankSet &Ranks, const char *What) {
    if (!Payer.ok() || Has == Wants)
      return;
    Wants.forEach(Ranks, [&](const RankSet &Own, uint64_t Wanted) {
      const std::optional<uint64_t> Always = Has.always(Own);
      if (Always == Wanted || Wanted >= Tally::Unknown)
        return;
      Has.forEach(Own, [&](const RankSet &Part, uint64_t N) {
        if (N != Wanted && N < Tally::Unknown)
          bad(Part.first(), std::to_string(N) + " " + What + ", where " + std::to_string(Wanted) + " are needed");
      });
    });
  }

  void node(uint32_t Index) {
    const NodeData &N = G.Nodes[Index];
    EventPasses Passes;
    if (Index) {
      Tally Numbers, Visits;
      for (const RankedStream &S : N.Visits)
        if (const RankFn *F = onlyValue(S, T.World); F && F->range(S.Ranks, T.World).first > 0) {
          Numbers.add(S.Ranks, S.Values.length(), &Payer);
          Visits.add(Tally(*F, S.Ranks, T.World, S.Values.length()), S.Ranks, &Payer);
        } else
          S.forEachPart(T.World, [&](const RankedStream &X) {
            if (!areAtLeast(X.Values, 1))
              bad(X.Ranks.first(), "an activation without a visit");
            Numbers.add(X.Ranks, X.Values.length(), &Payer);
            Visits.add(X.Ranks, sumOfCounts(X.Values), &Payer);
          });
      compare(Numbers, Activations[Index], N.Ranks, "numbers of visits");
      Passes = countPasses(G, N, T.World, &Payer);
      compare(Passes.of(0), Visits, N.Ranks, "paths of visits");
    }
    for (const auto &[Id, E] : N.Events) {
      if (Index && Problem.empty())
        event(N, E, Id, Passes.of(Id));
      for (const RankedItems &X : E.Items)
        addActivations(X);
    }
    if (Index && Problem.empty())
      visits(N);
  }

  void addActivations(const RankedItems &X) {
    if (std::ranges::none_of(X.Items, &Item::IsNode))
      return;
    const std::vector<Tally> Calls = X.calls(T.World);
    for (size_t I = 0; I < X.Items.size() && I < Calls.size(); ++I)
      if (X.Items[I].IsNode)
        Activations[X.Items[I].Index].add(Calls[I], X.Ranks, &Payer);
  }

  /// Whether the numbers of items change when and as they may.
  void event(const NodeData &N, const EventData &E, uint32_t Id, const Tally &Passes) {
    for (const RankedStream &S : E.PassesToChange)
      if (!areAtLeast(S.Values, 0) || hasZeroBehindBegin(S.Values))
        return bad(S.Ranks.first(), "items of an event that change before the last change");
    for (const RankedStream &S : E.UsualItems)
      if (!areAtLeast(S.Values, 0))
        return bad(S.Ranks.first(), "a number of items below 0");
    Tally Has;
    addItems(Has, G, E, T.World, true, &Payer);
    const Tally Wants = itemsAskedFor(N, E, Id, Passes);
    for (const RankedItems &X : E.Items)
      compare(Has, Wants, X.Ranks, "items of an event");
  }

  /// A change is at the first pass, or passes later than the one before it.
  static bool hasZeroBehindBegin(const IntStreamData &S) {
    IntStreamData::Cursor Values(S);
    int64_t First = 1;
    const bool BeginsWithZero = Values.next(First) && First == 0;
    uint64_t Zeros = 0; // capped
    S.forEachRun([&](const LinearRun &R, uint64_t Times) {
      const __int128 Last = R.First + static_cast<__int128>(R.Stride) * (static_cast<__int128>(R.Count) - 1);
      const uint64_t Own = R.First == 0 && Last == 0 ? R.Count : R.First == 0 || Last == 0;
      Zeros = std::min<uint64_t>(Zeros + std::min<uint64_t>(Own, 2) * std::min<uint64_t>(Times, 2), 2);
    });
    return Zeros > BeginsWithZero;
  }

  Tally itemsAskedFor(const NodeData &N, const EventData &E, uint32_t Id, const Tally &Passes) {
    const uint64_t Usual = Id ? 1 : 0;
    if (E.PassesToChange.empty() && Id)
      return Passes;
    Tally Out;
    RankSet Rest = N.Ranks;
    for (const RankedStream &S : E.PassesToChange)
      for (const RankedStream &C : E.UsualItems) {
        if (!Payer.ok())
          return Out;
        const RankSet Own = Rest.common(S.Ranks).common(C.Ranks);
        if (Own.empty())
          continue;
        Rest = Rest.without(Own);
        Passes.forEach(Own, [&](const RankSet &Part, uint64_t Number) {
          const std::optional<uint64_t> Items = itemsOf(Number, Usual, S.Values, C.Values);
          if (!Items)
            bad(Part.first(), "changes of an event's items without their numbers");
          Out.add(Part, Items.value_or(Tally::Unknown), &Payer);
        });
      }
    Passes.forEach(Rest,
                   [&](const RankSet &Part, uint64_t Number) { Out.add(Part, tallyProduct(Number, Usual), &Payer); });
    return Out;
  }

  /// Items of so many passes; nothing: a number is missing.
  std::optional<uint64_t> itemsOf(uint64_t Passes, uint64_t Usual, const IntStreamData &PassesToChange,
                                  const IntStreamData &UsualItems) {
    if (Passes >= Tally::Unknown)
      return Tally::Unknown;
    IntStreamData::Cursor Until(PassesToChange), Count(UsualItems);
    uint64_t Items = 0, At = 0;
    auto Add = [&](uint64_t N) { Items = std::min(Items + tallyProduct(N, Usual), Tally::Unknown); };
    for (int64_t S, C; Until.next(S); Usual = static_cast<uint64_t>(C)) {
      if (Walked == MaxWalk)
        return Tally::Unknown;
      ++Walked;
      if (static_cast<uint64_t>(S) >= Passes - At)
        break;
      if (!Count.next(C))
        return std::nullopt;
      Add(static_cast<uint64_t>(S));
      At += static_cast<uint64_t>(S);
    }
    Add(Passes - At);
    return Items;
  }

  // Visits without a call.

  /// Ranks that have an item at every pass of an event, and those that have one at some.
  struct Presence {
    RankSet Always, Sometimes;
  };

  static Presence presenceOf(const EventData &E, uint32_t Id) {
    Presence P;
    for (const RankedItems &X : E.Items)
      P.Sometimes.unite(X.Ranks);
    if (Id)
      P.Always = P.Sometimes;
    for (const RankedStream &S : E.PassesToChange)
      for (const RankedStream &C : E.UsualItems) {
        const RankSet Both = S.Ranks.common(C.Ranks);
        int64_t First = 1;
        const bool IsAlways =
            areAtLeast(C.Values, 1) && (Id || (IntStreamData::Cursor(S.Values).next(First) && !First));
        if (!IsAlways)
          P.Always = P.Always.without(Both);
        else if (!Id)
          P.Always.unite(Both.common(P.Sometimes));
      }
    return P;
  }

  void visits(const NodeData &N) {
    std::map<uint32_t, Presence> Events;
    for (const auto &[Id, E] : N.Events)
      Events[Id] = presenceOf(E, Id);
    RankSet Unclear;
    for (const RankedItems &X : N.Paths)
      for (const Item &I : X.Items)
        for (const Variant &V : G.table(TableId::Paths)[I.Index]) {
          RankSet Without = V.Ranks.common(X.Ranks), Never = Without;
          auto Take = [&](uint32_t Id) {
            auto At = Events.find(Id);
            if (At == Events.end() || Never.empty())
              return;
            Without = Without.without(At->second.Always);
            Never = Never.without(At->second.Sometimes);
          };
          Take(0);
          for (uint32_t Id : V.Tokens)
            Take(Id);
          if (!Never.empty())
            return bad(Never.first(), "a visit without a call");
          Unclear.unite(Without);
        }
    for (const RankSet::Interval &I : Unclear.intervals())
      for (uint64_t R = I.First; R <= I.Last && Walked < MaxWalk && Problem.empty(); ++R)
        walkVisits(N, static_cast<uint32_t>(R));
  }

  /// Visit by visit, without what is inside.
  void walkVisits(const NodeData &N, uint32_t Rank) {
    struct State {
      std::optional<IntStreamData::Cursor> PassesToChange, UsualItems;
      uint64_t Usual;
      int64_t Left; // passes until the usual number changes; below 0: it does not
    };
    auto Of = [&](const RankedStreams &L) -> std::optional<IntStreamData::Cursor> {
      const RankedStream *S = ofRank(L, Rank);
      return S ? std::optional(IntStreamData::Cursor(S->Values)) : std::nullopt;
    };
    std::map<uint32_t, State> Events;
    for (const auto &[Id, E] : N.Events)
      if (ofRank(E.Items, Rank)) {
        State S{Of(E.PassesToChange), Of(E.UsualItems), Id ? 1u : 0u, -1};
        if (S.PassesToChange && S.UsualItems && !S.PassesToChange->next(S.Left))
          S.Left = -1;
        Events.emplace(Id, std::move(S));
      }
    const RankedItems *X = ofRank(N.Paths, Rank);
    if (!X)
      return;
    const GrammarData Order = X->of(Rank, T.World);
    GrammarData::Cursor Paths(Order);
    for (uint32_t P; Paths.next(P) && Walked < MaxWalk;) {
      bool HasItems = false;
      auto Pass = [&](uint32_t Id) {
        ++Walked;
        auto At = Events.find(Id);
        if (At == Events.end())
          return;
        State &S = At->second;
        int64_t Count;
        if (S.Left == 0 && S.UsualItems->next(Count)) {
          S.Usual = static_cast<uint64_t>(Count);
          if (!S.PassesToChange->next(S.Left))
            S.Left = -1;
        }
        S.Left -= S.Left > 0;
        HasItems |= S.Usual > 0;
      };
      Pass(0);
      for (uint32_t Id : G.variant(TableId::Paths, X->Items[P].Index, Rank).Tokens)
        Pass(Id);
      if (!HasItems)
        return bad(Rank, "a visit without a call");
    }
  }

  const TraceData &T;
  const Group &G;
  std::vector<Tally> Activations; ///< by node
  ByteReader Payer;
  uint64_t Walked = 0;
  std::string Problem;
};
} // namespace

std::string findBadStructure(const TraceData &T) {
  for (const Group &G : T.Groups)
    if (std::string Problem = StructureCheck(T, G).run(); !Problem.empty())
      return Problem;
  return "";
}

} // namespace pilgrim
