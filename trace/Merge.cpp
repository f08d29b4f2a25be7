//===- Merge.cpp - joining traces of different ranks ----------------------===//
//
// Two groups become one whose tables are made anew: an entry of the result is
// one side's, or joins one of each side that stand at the same place. What
// place that is, sequences of items say: those that are equal on both sides are
// joined item by item. Objects are numbered by each side in its own way; a pair
// of objects that occurs in a pair of signatures becomes one object.
//
//===----------------------------------------------------------------------===//
#include "trace/Merge.h"
#include "trace/ContentHash.h"

#include <algorithm>
#include <tuple>

namespace pilgrim {

namespace {
constexpr uint32_t None = UINT32_MAX;

class GroupMerge {
public:
  GroupMerge(Group A, Group B, uint32_t World) : World(World) {
    Sides[0].G = std::move(A);
    Sides[1].G = std::move(B);
  }

  Group run() {
    Out.Thread = Sides[0].G.Thread;
    Out.Timed = Sides[0].G.Timed && Sides[1].G.Timed;
    Out.Nodes.clear();
    for (Side &S : Sides)
      placeNodes(S);
    for (size_t I = 0; I < Out.Nodes.size(); ++I)
      mergeNode(Out.Nodes[I], part(0, I), part(1, I));
    return std::move(Out);
  }

private:
  struct Side {
    Group G;
    std::vector<uint32_t> Node;                           ///< of the result, by node of this side
    std::vector<uint32_t> Parts;                          ///< node of this side, by node of the result
    std::map<uint32_t, uint32_t> Strings, Sites, Objects; ///< of the result
  };

  NodeData *part(unsigned S, size_t I) {
    const auto &Parts = Sides[S].Parts;
    return I < Parts.size() && Parts[I] != None ? &Sides[S].G.Nodes[Parts[I]] : nullptr;
  }

  /// Nodes are the same where their parents, events and regions are.
  void placeNodes(Side &S) {
    for (uint32_t I = 0; I < S.G.Nodes.size(); ++I) {
      const NodeData &N = S.G.Nodes[I];
      std::tuple<uint32_t, uint32_t, uint32_t> Key{None, 0, 0};
      if (I)
        Key = {S.Node[N.Parent], N.Event, N.Region};
      auto [It, New] = Places.try_emplace(Key, static_cast<uint32_t>(Out.Nodes.size()));
      if (New) {
        NodeData &Made = Out.Nodes.emplace_back();
        if (I)
          std::tie(Made.Parent, Made.Event, Made.Region) = Key;
      }
      S.Node.push_back(It->second);
      S.Parts.resize(std::max<size_t>(S.Parts.size(), It->second + 1), None);
      S.Parts[It->second] = I;
    }
  }

  void mergeNode(NodeData &To, NodeData *A, NodeData *B) {
    NodeData Nothing;
    if (A)
      To.Ranks = A->Ranks;
    if (B)
      To.Ranks.unite(B->Ranks);
    NodeData &X = A ? *A : Nothing, &Y = B ? *B : Nothing;
    To.Paths = mergeItems(X.Paths, Y.Paths, TableId::Paths);
    To.Visits = mergeStreams(X.Visits, Y.Visits);
    for (auto &[Id, E] : X.Events) {
      auto Same = Y.Events.find(Id);
      EventData None;
      mergeEvent(To.Events[Id], E, Same == Y.Events.end() ? None : Same->second);
    }
    for (auto &[Id, E] : Y.Events)
      if (EventData None; !X.Events.contains(Id))
        mergeEvent(To.Events[Id], None, E);
  }

  void mergeEvent(EventData &To, EventData &A, EventData &B) {
    To.Items = mergeItems(A.Items, B.Items, TableId::Signatures);
    To.Passes = mergeStreams(A.Passes, B.Passes);
    To.Counts = mergeStreams(A.Counts, B.Counts);
    EventData *Parts[2] = {&A, &B};
    for (unsigned S = 0; S < 2; ++S)
      for (auto &[Key, Streams] : Parts[S]->Streams) {
        SlotStreamKey New = Key;
        New.Site = Key.Site ? site(Sides[S], Key.Site - 1) + 1 : 0;
        RankedStreams &Ours = To.Streams[New];
        Ours = mergeStreams(Ours, Streams);
      }
  }

  static RankedStreams mergeStreams(RankedStreams &A, RankedStreams &B) {
    RankedStreams To = std::move(A);
    Finder Find(To.size());
    for (size_t I = 0; I < To.size(); ++I)
      Find.add(pilgrim::hashOf(To[I].Values), I);
    for (RankedStream &V : B) {
      size_t I = Find.find(pilgrim::hashOf(V.Values), [&](size_t J) { return To[J].Values == V.Values; });
      if (I != Finder::None) {
        To[I].Ranks.unite(V.Ranks);
        continue;
      }
      To.push_back(std::move(V));
    }
    return To;
  }

  std::vector<RankedItems> mergeItems(std::vector<RankedItems> &A, std::vector<RankedItems> &B, TableId T) {
    std::vector<RankedItems> To;
    std::vector<bool> Joined(B.size());
    Finder Find(B.size());
    for (size_t I = 0; I < B.size(); ++I)
      Find.add(hashOf(Sides[1], B[I]), I);
    for (RankedItems &X : A) {
      size_t I = Find.find(hashOf(Sides[0], X), [&](size_t J) { return !Joined[J] && isSame(X, B[J]); });
      if (I == Finder::None) {
        To.push_back(copyItems(Sides[0], std::move(X), T));
        continue;
      }
      Joined[I] = true;
      RankedItems &Y = B[I];
      for (size_t J = 0; J < X.Items.size(); ++J)
        X.Items[J].Index =
            X.Items[J].IsNode ? Sides[0].Node[X.Items[J].Index] : joinEntry(T, X.Items[J].Index, Y.Items[J].Index);
      X.Ranks.unite(Y.Ranks);
      To.push_back(std::move(X));
    }
    for (size_t I = 0; I < B.size(); ++I)
      if (!Joined[I])
        To.push_back(copyItems(Sides[1], std::move(B[I]), T));
    return To;
  }

  static uint64_t hashOf(const Side &S, const RankedItems &X) {
    uint64_t H = pilgrim::hashOf(X.Order);
    for (const Item &I : X.Items)
      H = mix(H, I.IsNode ? S.Node[I.Index] + 1 : 0);
    return H;
  }

  bool isSame(const RankedItems &A, const RankedItems &B) const {
    if (A.Items.size() != B.Items.size() || A.Order != B.Order)
      return false;
    for (size_t I = 0; I < A.Items.size(); ++I)
      if (A.Items[I].IsNode != B.Items[I].IsNode ||
          (A.Items[I].IsNode && Sides[0].Node[A.Items[I].Index] != Sides[1].Node[B.Items[I].Index]))
        return false;
    return true;
  }

  RankedItems copyItems(Side &S, RankedItems X, TableId T) {
    for (Item &I : X.Items)
      I.Index = I.IsNode ? S.Node[I.Index] : copyEntry(S, T, I.Index);
    return X;
  }

  // Signatures and paths.

  uint32_t add(TableId T, Entry E) {
    Out.table(T).push_back(std::move(E));
    return static_cast<uint32_t>(Out.table(T).size() - 1);
  }

  uint32_t copyEntry(Side &S, TableId T, uint32_t Index) {
    Entry E = std::move(S.G.table(T)[Index]);
    if (T == TableId::Signatures)
      for (Variant &V : E)
        copyReferences(S, V.Tokens);
    return add(T, std::move(E));
  }

  void copyReferences(Side &S, std::vector<uint32_t> &Tokens) {
    if (Tokens[1])
      Tokens[1] = site(S, Tokens[1] - 1) + 1;
    SlotWalker Walk(Tokens);
    for (SlotView V; Walk.next(V);)
      for (size_t I = V.RefToken; V.RefToken && I < V.FirstToken + V.Tokens; ++I)
        Tokens[I] = isObject(V.T) ? object(S, Tokens[I]) : string(S, Tokens[I]);
  }

  uint32_t joinEntry(TableId T, uint32_t IndexA, uint32_t IndexB) {
    Entry A = std::move(Sides[0].G.table(T)[IndexA]), B = std::move(Sides[1].G.table(T)[IndexB]), To;
    std::vector<bool> Joined(B.size());
    for (Variant &V : A) {
      size_t I = 0;
      while (I < B.size() && (Joined[I] || !canJoin(T, V.Tokens, B[I].Tokens)))
        ++I;
      if (I < B.size()) {
        Joined[I] = true;
        join(T, V, B[I]);
      } else if (T == TableId::Signatures) {
        copyReferences(Sides[0], V.Tokens);
      }
      To.push_back(std::move(V));
    }
    for (size_t I = 0; I < B.size(); ++I) {
      if (Joined[I])
        continue;
      if (T == TableId::Signatures)
        copyReferences(Sides[1], B[I].Tokens);
      To.push_back(std::move(B[I]));
    }
    return add(T, std::move(To));
  }

  static bool isObject(Tag T) { return T == Tag::Object || T == Tag::Objects; }

  /// Whether contents differ in nothing but integers and in how objects are numbered.
  bool canJoin(TableId T, const std::vector<uint32_t> &A, const std::vector<uint32_t> &B) {
    if (T == TableId::Paths || A.size() != B.size())
      return A == B;
    if (A[0] != B[0] || A[2] != B[2] || (A[1] == 0) != (B[1] == 0) ||
        (A[1] && site(Sides[0], A[1] - 1) != site(Sides[1], B[1] - 1)))
      return false;
    SlotWalker WalkA(A), WalkB(B);
    for (SlotView X, Y; WalkA.next(X) && WalkB.next(Y);) {
      if (X.T != Y.T || X.Inner != Y.Inner || X.Length != Y.Length || X.Tokens != Y.Tokens)
        return false;
      for (size_t I = X.RefToken; X.RefToken && I < X.FirstToken + X.Tokens; ++I)
        if (isObject(X.T) ? !canJoinObjects(A[I], B[I]) : string(Sides[0], A[I]) != string(Sides[1], B[I]))
          return false;
    }
    return true;
  }

  /// Makes A, which has not been copied, the join of both.
  void join(TableId T, Variant &A, Variant &B) {
    if (T == TableId::Signatures) {
      auto Ctx = [&](unsigned S, const Variant &V) -> RankFn::ContextFn {
        return [&, S](uint32_t R) { return Sides[S].G.context(V.Tokens, R, World); };
      };
      joinWords(A, B, Ctx(0, A), Ctx(1, B));
      if (A.Tokens[1])
        A.Tokens[1] = site(Sides[0], A.Tokens[1] - 1) + 1;
      SlotWalker Walk(B.Tokens);
      for (SlotView V; Walk.next(V);)
        for (size_t I = V.RefToken; V.RefToken && I < V.FirstToken + V.Tokens; ++I)
          A.Tokens[I] = isObject(V.T) ? pair(A.Tokens[I], B.Tokens[I]) : string(Sides[0], A.Tokens[I]);
    }
    A.Time.Duration += B.Time.Duration;
    A.Time.Gap += B.Time.Gap;
    A.Ranks.unite(B.Ranks);
  }

  static void joinWords(Variant &A, const Variant &B, const RankFn::ContextFn &CtxA, const RankFn::ContextFn &CtxB) {
    for (size_t W = 0; W < A.Words.size(); ++W)
      if (!A.Words[W].mergeSingle(B.Words[W]))
        A.Words[W].merge(B.Words[W], A.Ranks, B.Ranks, CtxA, CtxB);
  }

  // Strings, sites and objects.

  uint32_t string(Side &S, uint32_t Index) {
    auto [It, New] = S.Strings.try_emplace(Index, 0);
    if (New) {
      const Entry &E = S.G.table(TableId::Strings)[Index];
      auto [Same, First] =
          StringByContent.try_emplace(E[0].Tokens, static_cast<uint32_t>(Out.table(TableId::Strings).size()));
      if (First)
        add(TableId::Strings, E);
      It->second = Same->second;
    }
    return It->second;
  }

  uint32_t site(Side &S, uint32_t Index) {
    auto [It, New] = S.Sites.try_emplace(Index, 0);
    if (New) {
      Entry E = S.G.table(TableId::Sites)[Index];
      E[0].Tokens[0] = string(S, E[0].Tokens[0]);
      auto [Same, First] = SiteByContent.try_emplace({E[0].Tokens[0], E[0].Words[0].single().C},
                                                     static_cast<uint32_t>(Out.table(TableId::Sites).size()));
      if (First)
        add(TableId::Sites, std::move(E));
      It->second = Same->second;
    }
    return It->second;
  }

  uint32_t object(Side &S, uint32_t Index) {
    auto [It, New] = S.Objects.try_emplace(Index, static_cast<uint32_t>(Out.table(TableId::Objects).size()));
    if (New) {
      Entry E = S.G.table(TableId::Objects)[Index];
      if (E[0].Tokens[1])
        E[0].Tokens[1] = string(S, E[0].Tokens[1] - 1) + 1;
      add(TableId::Objects, std::move(E));
    }
    return It->second;
  }

  bool canJoinObjects(uint32_t A, uint32_t B) {
    const auto &X = Sides[0].G.table(TableId::Objects)[A][0].Tokens,
               &Y = Sides[1].G.table(TableId::Objects)[B][0].Tokens;
    return X[0] == Y[0] && (X[1] == 0) == (Y[1] == 0) &&
           (!X[1] || string(Sides[0], X[1] - 1) == string(Sides[1], Y[1] - 1));
  }

  uint32_t pair(uint32_t A, uint32_t B) {
    auto [It, New] = Pairs.try_emplace({A, B}, static_cast<uint32_t>(Out.table(TableId::Objects).size()));
    if (New) {
      Entry E = Sides[0].G.table(TableId::Objects)[A];
      const Variant &V = Sides[1].G.table(TableId::Objects)[B][0];
      auto Ctx = [this](uint32_t R) { return RankContext{R, World}; };
      joinWords(E[0], V, Ctx, Ctx);
      E[0].Ranks.unite(V.Ranks);
      if (E[0].Tokens[1])
        E[0].Tokens[1] = string(Sides[0], E[0].Tokens[1] - 1) + 1;
      add(TableId::Objects, std::move(E));
    }
    return It->second;
  }

  Side Sides[2];
  uint32_t World;
  Group Out;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> Places;
  std::map<std::vector<uint32_t>, uint32_t> StringByContent;
  std::map<std::pair<uint32_t, int64_t>, uint32_t> SiteByContent;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Pairs; ///< of objects
};

/// Gives From's nodes the numbers that their regions have in Into.
void mergeRegions(TraceData &Into, TraceData &From) {
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> Known;
  for (uint32_t I = 0; I < Into.Regions.size(); ++I)
    Known[{Into.Regions[I].Function, Into.Regions[I].Index}] = I;
  std::vector<uint32_t> New;
  for (Region &R : From.Regions) {
    auto [It, First] = Known.try_emplace({R.Function, R.Index}, static_cast<uint32_t>(Into.Regions.size()));
    New.push_back(It->second);
    if (First) {
      Into.Regions.push_back(std::move(R));
      continue;
    }
    // The same region; each side has the events that its ranks came by.
    auto &Ours = Into.Regions[It->second].Events;
    if (Ours.size() < R.Events.size())
      Ours.resize(R.Events.size());
    for (size_t E = 0; E < R.Events.size(); ++E)
      if (Ours[E].K == Region::Unknown)
        Ours[E] = std::move(R.Events[E]);
  }
  for (Group &G : From.Groups)
    for (size_t I = 1; I < G.Nodes.size(); ++I)
      G.Nodes[I].Region = New[G.Nodes[I].Region];
}
} // namespace

void merge(TraceData &Into, TraceData From) {
  Into.Ranks.unite(From.Ranks);
  Into.Meta.merge(From.Meta);
  Into.Functions.merge(From.Functions);
  Into.Names.merge(From.Names);
  mergeRegions(Into, From);
  for (Group &G : From.Groups) {
    auto At = std::partition_point(Into.Groups.begin(), Into.Groups.end(),
                                   [&](const Group &O) { return O.Thread < G.Thread; });
    if (At == Into.Groups.end() || At->Thread != G.Thread)
      Into.Groups.insert(At, std::move(G));
    else
      *At = GroupMerge(std::move(*At), std::move(G), Into.World).run();
  }
}

} // namespace pilgrim
