//===- Strands.cpp - chosen calls in the order of the program -------------===//
#include "trace/read/Strands.h"

#include <algorithm>
#include <set>

namespace pilgrim {

namespace {
/// What of a thread has to be gone through: events with chosen calls, and those on the way to them.
struct Outline {
  struct Place {
    bool IsWanted = false;     ///< whether its items are gone through
    std::set<uint32_t> Events; ///< that are
  };
  std::vector<Place> Nodes;
  /// By what a call is in the trace: which of the chosen.
  std::map<std::tuple<const RankedItems *, uint32_t, const Variant *>, uint32_t> Chosen;

  Outline(const Group &G, std::span<const CallShape> Calls) : Nodes(G.Nodes.size()) {
    for (uint32_t I = 0; I < Calls.size(); ++I) {
      const CallShape &C = Calls[I];
      Chosen[{C.Sequence, C.Terminal, C.Content}] = I;
      Nodes[C.Node].IsWanted = true;
      Nodes[C.Node].Events.insert(C.Event);
    }
    // Nodes come after their parents.
    for (size_t N = Nodes.size(); N-- > 1;)
      if (Nodes[N].IsWanted) {
        Nodes[G.Nodes[N].Parent].IsWanted = true;
        Nodes[G.Nodes[N].Parent].Events.insert(G.Nodes[N].Event);
      }
  }
};

/// Splits sets of ranks until all that is looked at is the same for each.
class Classes {
public:
  Classes(const RankSet &All, uint32_t World) : Sets{All}, World(World) {}

  void split(const RankSet &By) { splitSets(Sets, By); }
  /// List: of sequences or streams.
  template <typename List> void splitByList(const List &L) {
    for (const auto &X : L)
      AreFew &= splitSets(Sets, X.Functions, X.Ranks, World);
  }

  std::vector<RankSet> Sets;
  bool AreFew = true; ///< false: there are too many sets to tell

private:
  uint32_t World;
};

/// Goes through the outline as one rank does.
class Follower {
public:
  Follower(const Walk &W, const Group &G, const Outline &O, uint32_t Rank, uint64_t &Budget)
      : W(W), G(G), O(O), Rank(Rank), Budget(Budget), Nodes(O.Nodes.size()) {
    for (uint32_t N = 0; N < Nodes.size(); ++N)
      if (O.Nodes[N].IsWanted)
        open(N);
  }

  bool run(std::vector<uint32_t> &Out) {
    struct Frame {
      uint32_t Node;
      uint64_t VisitsLeft;
      const std::vector<uint32_t> *Path; ///< null: no visit has begun
      size_t NextEvent;
      EventState *Event;
      uint64_t ItemsLeft;
    };
    std::vector<Frame> Stack{{0, 1, nullptr, 0, find(0, 0), Forever}};
    while (!Stack.empty()) {
      if (!Budget)
        return false;
      --Budget;
      Frame &F = Stack.back();
      if (F.Event && F.ItemsLeft) {
        uint32_t T;
        if (!F.Event->Items->next(T)) {
          if (Stack.size() > 1)
            return false;
          break;
        }
        --F.ItemsLeft;
        const Item &It = F.Event->Sequence->Items[T];
        if (It.IsNode) {
          if (!O.Nodes[It.Index].IsWanted)
            continue;
          int64_t Visits;
          NodeState &N = Nodes[It.Index];
          if (!N.Visits || !N.Visits->next(Visits) || Visits <= 0)
            return false;
          Stack.push_back({It.Index, static_cast<uint64_t>(Visits), nullptr, 0, nullptr, 0});
        } else if (auto Found = O.Chosen.find({F.Event->Sequence, T, G.find(TableId::Signatures, It.Index, Rank)});
                   Found != O.Chosen.end()) {
          Out.push_back(Found->second);
        }
        continue;
      }
      if (Stack.size() == 1)
        break;
      if (F.Path && F.NextEvent < F.Path->size()) {
        if (!enter(F.Node, (*F.Path)[F.NextEvent++], F.Event, F.ItemsLeft))
          return false;
        continue;
      }
      if (F.Path && --F.VisitsLeft == 0) {
        Stack.pop_back();
        continue;
      }
      uint32_t P;
      NodeState &N = Nodes[F.Node];
      if (!N.Paths || !N.Paths->next(P))
        return false;
      F.Path = &G.variant(TableId::Paths, N.PathItems->Items[P].Index, Rank).Tokens;
      F.NextEvent = 0;
      if (!enter(F.Node, 0, F.Event, F.ItemsLeft))
        return false;
    }
    return true;
  }

private:
  static constexpr uint64_t Forever = UINT64_MAX;
  struct EventState {
    const RankedItems *Sequence = nullptr;
    GrammarData Order;
    std::optional<GrammarData::Cursor> Items;
    IntStreamData PassData, CountData;
    std::optional<IntStreamData::Cursor> PassesToChange, UsualItems;
    uint64_t Usual = 1, UntilChange = Forever;
  };
  struct NodeState {
    const RankedItems *PathItems = nullptr;
    GrammarData PathOrder;
    std::optional<GrammarData::Cursor> Paths;
    IntStreamData VisitData;
    std::optional<IntStreamData::Cursor> Visits;
    std::map<uint32_t, EventState> Events;
  };

  /// Null without a stream of this rank's.
  void start(const RankedStreams &L, IntStreamData &Data, std::optional<IntStreamData::Cursor> &C) {
    if (const RankedStream *S = ofRank(L, Rank)) {
      Data = S->of(Rank, W.world());
      C.emplace(Data);
    }
  }

  void open(uint32_t Index) {
    const NodeData &N = G.Nodes[Index];
    NodeState &S = Nodes[Index];
    if (Index) {
      if ((S.PathItems = ofRank(N.Paths, Rank))) {
        S.PathOrder = S.PathItems->of(Rank, W.world());
        S.Paths.emplace(S.PathOrder);
      }
      start(N.Visits, S.VisitData, S.Visits);
    }
    for (uint32_t Id : O.Nodes[Index].Events) {
      auto At = N.Events.find(Id);
      const RankedItems *X = At == N.Events.end() ? nullptr : ofRank(At->second.Items, Rank);
      if (!X)
        continue;
      EventState &E = S.Events[Id];
      E.Sequence = X;
      // Calls that the rank does not have are no items of it.
      std::vector<uint32_t> Own(X->Items.size());
      for (uint32_t I = 0; I < Own.size(); ++I)
        Own[I] = X->Items[I].IsNode || G.find(TableId::Signatures, X->Items[I].Index, Rank) ? I : GrammarData::LeftOut;
      E.Order = X->of(Rank, W.world()).renamed(Own);
      E.Items.emplace(E.Order);
      E.Usual = Id ? 1 : 0;
      start(At->second.PassesToChange, E.PassData, E.PassesToChange);
      start(At->second.UsualItems, E.CountData, E.UsualItems);
      IsSane &= loadChange(E);
    }
  }

  bool loadChange(EventState &E) {
    int64_t Passes;
    E.UntilChange = Forever;
    if (!E.PassesToChange || !E.UsualItems || !E.PassesToChange->next(Passes))
      return true;
    E.UntilChange = static_cast<uint64_t>(Passes);
    return Passes >= 0;
  }

  EventState *find(uint32_t Node, uint32_t Id) {
    auto It = Nodes[Node].Events.find(Id);
    return It == Nodes[Node].Events.end() ? nullptr : &It->second;
  }

  bool enter(uint32_t Node, uint32_t Id, EventState *&Event, uint64_t &Items) {
    Event = find(Node, Id);
    Items = 0;
    if (!Event)
      return true;
    if (Event->UntilChange == 0) {
      int64_t Count;
      if (!Event->UsualItems->next(Count) || Count < 0)
        return false;
      Event->Usual = static_cast<uint64_t>(Count);
      if (!loadChange(*Event) || Event->UntilChange == 0)
        return false;
    }
    if (Event->UntilChange != Forever)
      --Event->UntilChange;
    Items = Event->Usual;
    return IsSane;
  }

  const Walk &W;
  const Group &G;
  const Outline &O;
  uint32_t Rank;
  uint64_t &Budget;
  std::vector<NodeState> Nodes;
  bool IsSane = true;
};
} // namespace

std::optional<std::vector<Strand>> strandsOf(const Walk &W, uint32_t Thread, std::span<const CallShape> Chosen,
                                             uint64_t &Budget) {
  const Group &G = W.group(Thread);
  std::vector<Strand> Out;
  if (Chosen.empty())
    return Out;
  Outline O(G, Chosen);
  Classes Alike(G.ranks(), W.world());
  // Ranks that make none of the calls need not be told apart.
  RankSet Any;
  for (const CallShape &C : Chosen)
    Any.unite(C.Ranks);
  Alike.split(Any);
  for (const CallShape &C : Chosen)
    Alike.split(C.Content->Ranks);
  for (uint32_t N = 0; N < O.Nodes.size(); ++N) {
    if (!O.Nodes[N].IsWanted)
      continue;
    const NodeData &D = G.Nodes[N];
    if (N) {
      Alike.splitByList(D.Paths);
      Alike.splitByList(D.Visits);
      for (const RankedItems &X : D.Paths)
        for (const Item &I : X.Items)
          for (const Variant &V : G.table(TableId::Paths)[I.Index])
            Alike.split(V.Ranks);
    }
    for (uint32_t Id : O.Nodes[N].Events)
      if (auto At = D.Events.find(Id); At != D.Events.end()) {
        Alike.splitByList(At->second.Items);
        Alike.splitByList(At->second.PassesToChange);
        Alike.splitByList(At->second.UsualItems);
        // Where a visit has several items, which of them a rank lacks says where the next visit's begin.
        if (N)
          for (const RankedItems &X : At->second.Items)
            for (const Item &I : X.Items)
              if (!I.IsNode)
                for (const Variant &V : G.table(TableId::Signatures)[I.Index])
                  Alike.split(V.Ranks);
      }
  }
  if (!Alike.AreFew)
    return std::nullopt;
  for (RankSet &Ranks : Alike.Sets) {
    if (!Any.contains(Ranks.first()))
      continue;
    Strand S;
    if (!Follower(W, G, O, Ranks.first(), Budget).run(S.Calls))
      return std::nullopt;
    S.Ranks = std::move(Ranks);
    Out.push_back(std::move(S));
  }
  return Out;
}

} // namespace pilgrim
