//===- Rejoin.cpp - sequences of one trace, joined further ------------------===//
#include "trace/merge/Merge.h"
#include "trace/merge/Reorder.h"

#include <algorithm>
#include <map>
#include <span>

namespace pilgrim {

namespace {
/// Events by node and number, with how many sequences they have.
using EventSequences = std::map<std::pair<size_t, uint32_t>, size_t>;

EventSequences severalOf(const Group &G) {
  EventSequences Out;
  for (size_t N = 0; N < G.Nodes.size(); ++N)
    for (auto &[Id, E] : G.Nodes[N].Events)
      if (E.Items.size() > 1)
        Out[{N, Id}] = E.Items.size();
  return Out;
}

/// A group with G's nodes and all that its signatures refer to, but no events and no signatures.
Group emptyLike(const Group &G) {
  Group Out;
  Out.Thread = G.Thread;
  Out.Timed = G.Timed;
  Out.Nodes.resize(G.Nodes.size());
  for (size_t N = 0; N < G.Nodes.size(); ++N) {
    Out.Nodes[N].Parent = G.Nodes[N].Parent;
    Out.Nodes[N].Event = G.Nodes[N].Event;
    Out.Nodes[N].Region = G.Nodes[N].Region;
  }
  for (TableId T : {TableId::Strings, TableId::Sites, TableId::Objects})
    Out.table(T) = G.table(T);
  Out.table(TableId::Signatures).resize(G.table(TableId::Signatures).size());
  return Out;
}

/// Moves the sequences of G's event, of which they are a part, to the same event of To.
void moveSequences(Group &G, std::span<RankedItems> Part, size_t Node, uint32_t Id, Group &To) {
  EventData &E = To.Nodes[Node].Events[Id];
  E.Measures = G.Nodes[Node].Events[Id].Measures;
  for (RankedItems &X : Part) {
    for (const Item &I : X.Items)
      if (!I.IsNode)
        To.table(TableId::Signatures)[I.Index] = std::move(G.table(TableId::Signatures)[I.Index]);
    E.Items.push_back(std::move(X));
  }
}

/// Takes these events' sequences from G, and compares for each event the one of most ranks with the others, as if those
/// were of another group.
Group compareAgain(Group &G, const EventSequences &Events, uint32_t World, bool AtAnyCost) {
  Group Largest = emptyLike(G), Others = emptyLike(G);
  for (auto &[Place, Count] : Events) {
    auto [Node, Id] = Place;
    EventData &E = G.Nodes[Node].Events[Id];
    std::iter_swap(E.Items.begin(), std::ranges::max_element(E.Items, {}, [](auto &X) { return X.Ranks.size(); }));
    moveSequences(G, std::span(E.Items).first(1), Node, Id, Largest);
    moveSequences(G, std::span(E.Items).subspan(1), Node, Id, Others);
    E.Items.clear();
    E.Measures.clear();
  }
  return mergeGroups(std::move(Largest), std::move(Others), World, AtAnyCost);
}

/// Joins what it can of events with several sequences.
void rejoinSequences(Group &G, uint32_t World, bool AtAnyCost) {
  std::vector<Group> Parts; // with the events that joining gave them, but for those that were joined further
  Parts.push_back(std::move(G));
  for (EventSequences Events = severalOf(Parts[0]); !Events.empty();) {
    Group Joined = compareAgain(Parts.back(), Events, World, AtAnyCost);
    EventSequences Fewer = severalOf(Joined);
    std::erase_if(Fewer, [&](auto &E) { return E.second == Events.at(E.first); });
    Events = std::move(Fewer);
    Parts.push_back(std::move(Joined));
  }
  for (; Parts.size() > 1; Parts.pop_back()) {
    Group &To = Parts[Parts.size() - 2];
    To = mergeGroups(std::move(To), std::move(Parts.back()), World);
  }
  G = std::move(Parts[0]);
}
} // namespace

/// Leaves out entries that nothing refers to.
static void renumber(Group &G, uint32_t World) {
  Group Nothing;
  Nothing.Thread = G.Thread;
  Nothing.Timed = G.Timed;
  G = mergeGroups(std::move(G), std::move(Nothing), World);
}

/// Makes sequences of paths one that are in the same order. Returns whether there were any.
static bool joinPaths(Table &Paths, std::vector<RankedItems> &L) {
  const size_t Before = L.size();
  std::vector<RankedItems> Kept;
  for (RankedItems &X : L) {
    const auto Same = std::ranges::find_if(Kept, [&](const RankedItems &O) {
      return O.Order == X.Order && O.Items.size() == X.Items.size() && O.Functions.empty() && X.Functions.empty();
    });
    if (Same == Kept.end()) {
      Kept.push_back(std::move(X));
      continue;
    }
    Same->Ranks.unite(X.Ranks);
    for (size_t I = 0; I < X.Items.size(); ++I) {
      Entry &To = Paths[Same->Items[I].Index];
      for (const Variant &V : Paths[X.Items[I].Index])
        if (const auto At = std::ranges::find(To, V.Tokens, &Variant::Tokens); At != To.end())
          To.own()[static_cast<size_t>(At - To.begin())].Ranks.unite(V.Ranks);
        else
          To.push_back(V);
      std::ranges::sort(To.own(), {}, [](const Variant &V) { return V.Ranks.first(); });
    }
  }
  L = std::move(Kept);
  return L.size() < Before;
}

bool joinSequences(TraceData &T) {
  deriveCandidates(T);
  bool AreJoined = false;
  for (Group &G : T.Groups) {
    const EventSequences Before = severalOf(G);
    rejoinSequences(G, T.World, true);
    AreJoined |= severalOf(G) != Before;
    for (NodeData &N : G.Nodes)
      AreJoined |= joinPaths(G.table(TableId::Paths), N.Paths);
    renumber(G, T.World);
  }
  chooseCandidates(T);
  return AreJoined;
}

void rejoin(TraceData &T) {
  for (Group &G : T.Groups)
    rejoinSequences(G, T.World, false);
  for (Group &G : T.Groups)
    if (reorder(G, T.World))
      renumber(G, T.World);
}

} // namespace pilgrim
