//===- Merge.cpp - joining traces of different ranks ----------------------===//
//
// Sequences of items say which calls of two groups stand at the same place. Those that are equal on both sides are
// joined item by item, and so are those of the same functions at the same sites whose calls are equal in different
// ways.
//
//===----------------------------------------------------------------------===//
#include "trace/Merge.h"
#include "trace/Alignment.h"
#include "trace/ContentHash.h"
#include "trace/MergeTables.h"

#include <algorithm>
#include <tuple>

namespace pilgrim {

namespace {
constexpr uint32_t None = UINT32_MAX;
using Sequences = std::vector<RankedItems>;

/// Entries of one sequence that come to stand for a part of their calls each.
class Parting {
public:
  explicit Parting(const GrammarData &G) : Left(G.terminalCounts()) {}
  /// E, the entry of a terminal, for so many of the calls that are left of it.
  Entry take(Entry &E, uint32_t Terminal, uint64_t Calls) {
    uint64_t All = Left[Terminal];
    Left[Terminal] -= Calls;
    if (All == Calls)
      return std::move(E);
    Entry Out = E;
    for (size_t V = 0; V < Out.size(); ++V) {
      take(E[V].Time.Duration, Out[V].Time.Duration, Calls, All);
      take(E[V].Time.Gap, Out[V].Time.Gap, Calls, All);
    }
    return Out;
  }

private:
  static void take(uint64_t &From, uint64_t &To, uint64_t Calls, uint64_t Of) {
    To = static_cast<uint64_t>(static_cast<__uint128_t>(From) * Calls / Of);
    From -= To;
  }
  std::vector<uint64_t> Left; ///< calls of each terminal
};

class GroupMerge {
public:
  GroupMerge(Group A, Group B, uint32_t World)
      : Tables(std::move(A), std::move(B), World), Sides{Side{Tables.Sides[0]}, Side{Tables.Sides[1]}} {}

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
    explicit Side(TableMerge::Side &Tables) : Tables(Tables), G(Tables.G) {}
    TableMerge::Side &Tables;
    Group &G;
    std::vector<uint32_t> Node;  ///< of the result, by node of this side
    std::vector<uint32_t> Parts; ///< node of this side, by node of the result
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
        New.Site = Key.Site ? Tables.site(Sides[S].Tables, Key.Site - 1) + 1 : 0;
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

  Sequences mergeItems(Sequences &A, Sequences &B, TableId T) {
    Sequences To;
    std::vector<bool> Joined(B.size());
    Finder Find(B.size());
    for (size_t I = 0; I < B.size(); ++I)
      Find.add(hashOf(Sides[1], B[I]), I);
    std::vector<size_t> Different; // of A
    for (size_t N = 0; N < A.size(); ++N) {
      RankedItems &X = A[N];
      size_t I = Find.find(hashOf(Sides[0], X), [&](size_t J) { return !Joined[J] && isSame(X, B[J]); });
      if (I == Finder::None) {
        Different.push_back(N);
        continue;
      }
      Joined[I] = true;
      RankedItems &Y = B[I];
      for (size_t J = 0; J < X.Items.size(); ++J)
        X.Items[J].Index = X.Items[J].IsNode ? Sides[0].Node[X.Items[J].Index]
                                             : Tables.joinEntry(T, X.Items[J].Index, Y.Items[J].Index);
      X.Ranks.unite(Y.Ranks);
      To.push_back(std::move(X));
    }
    if (T == TableId::Signatures)
      alignItems(A, B, Different, Joined, To);
    for (size_t I : Different)
      To.push_back(copyItems(Sides[0], std::move(A[I]), T));
    for (size_t I = 0; I < B.size(); ++I)
      if (!Joined[I])
        To.push_back(copyItems(Sides[1], std::move(B[I]), T));
    return To;
  }

  // Calls of the same functions at the same sites, but not equal where the other side's are.

  void alignItems(Sequences &A, Sequences &B, std::vector<size_t> &InA, std::vector<bool> &Joined, Sequences &To) {
    if (InA.empty())
      return;
    Finder Find(B.size());
    for (size_t I = 0; I < B.size(); ++I)
      if (!Joined[I])
        Find.add(hashOfKeys(B[I].Order, keys(Sides[1], B[I])), I);
    std::erase_if(InA, [&](size_t N) {
      unsigned Tries = 4;
      std::optional<Alignment> Both;
      size_t I = Find.find(hashOfKeys(A[N].Order, keys(Sides[0], A[N])), [&](size_t J) {
        if (Joined[J] || Both || !Tries)
          return false;
        --Tries;
        Both = alignment(A[N], B[J]);
        return Both.has_value();
      });
      if (I == Finder::None)
        return false;
      Joined[I] = true;
      To.push_back(joinAligned(A[N], B[I], *Both));
      return true;
    });
  }

  /// What calls have to have in common that stand side by side.
  std::vector<uint64_t> keys(Side &S, const RankedItems &X) {
    std::vector<uint64_t> Out;
    for (const Item &I : X.Items)
      if (I.IsNode) {
        Out.push_back(mix(1, S.Node[I.Index]));
      } else {
        const auto &Tokens = S.G.table(TableId::Signatures)[I.Index][0].Tokens;
        Out.push_back(mix(mix(mix(2, Tokens[0]), Tokens[1] ? Tables.site(S.Tables, Tokens[1] - 1) + 1 : 0), Tokens[2]));
      }
    return Out;
  }

  /// Of two sequences, if it is shorter than both.
  std::optional<Alignment> alignment(const RankedItems &X, const RankedItems &Y) {
    auto KeysX = keys(Sides[0], X), KeysY = keys(Sides[1], Y);
    auto Both = align(X.Order, Y.Order, X.Items.size() + Y.Items.size(),
                      [&](uint32_t I, uint32_t J) { return KeysX[I] == KeysY[J]; });
    if (Both &&
        costOf(Both->Order, Both->Pairs.size()) >= costOf(X.Order, X.Items.size()) + costOf(Y.Order, Y.Items.size()))
      Both.reset();
    return Both;
  }

  RankedItems joinAligned(RankedItems &X, RankedItems &Y, Alignment &Both) {
    RankedItems To;
    To.Ranks = std::move(X.Ranks);
    To.Ranks.unite(Y.Ranks);
    Parting PartsX(X.Order), PartsY(Y.Order);
    auto Counts = Both.Order.terminalCounts();
    for (size_t P = 0; P < Both.Pairs.size(); ++P) {
      auto [I, J] = Both.Pairs[P];
      const Item &A = X.Items[I], &B = Y.Items[J];
      if (A.IsNode)
        To.Items.push_back({true, Sides[0].Node[A.Index]});
      else
        To.Items.push_back(
            {false,
             Tables.join(TableId::Signatures, PartsX.take(Sides[0].G.table(TableId::Signatures)[A.Index], I, Counts[P]),
                         PartsY.take(Sides[1].G.table(TableId::Signatures)[B.Index], J, Counts[P]))});
    }
    To.Order = std::move(Both.Order);
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
      I.Index = I.IsNode ? S.Node[I.Index] : Tables.copyEntry(S.Tables, T, I.Index);
    return X;
  }

  TableMerge Tables;
  Group &Out = Tables.Out;
  Side Sides[2];
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> Places;
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
