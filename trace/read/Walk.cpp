//===- Walk.cpp - a trace for all ranks at once ---------------------------===//
#include "trace/read/Walk.h"
#include "trace/read/CaseCounts.h"

namespace pilgrim {

static RankSet ranksOf(const std::vector<RankedCount> &Counts) {
  RankSet Out;
  for (const RankedCount &C : Counts)
    Out.unite(C.Ranks);
  return Out;
}

static std::vector<SlotShape> slotsOf(const Variant &V) {
  std::vector<SlotShape> Out;
  SlotWalker Walk(V.Tokens);
  for (SlotView S; Walk.next(S);) {
    SlotShape X;
    X.IsStreamed = S.T == Tag::Stream;
    X.T = X.IsStreamed ? S.Inner : S.T;
    X.Length = S.Length;
    X.Ref = S.Ref;
    if (X.T == Tag::Objects)
      X.Refs = {V.Tokens.data() + S.RefToken, S.Length};
    X.Words = WordSpan(V.Words).subspan(S.FirstWord, S.Words);
    Out.push_back(X);
  }
  return Out;
}

Walk::Walk(const Trace &Of) : T(Of), Known(std::make_shared<KnownCases>()) {
  for (const Group &G : T.data().Groups) {
    Threads.push_back({G.Thread, G.ranks(), G.Timed, static_cast<uint32_t>(G.Nodes.size())});
    std::vector<ObjectShape> &List = Objects.emplace_back();
    for (const Entry &E : G.table(TableId::Objects)) {
      const Variant &V = E.front();
      List.push_back({static_cast<Kind>(V.Tokens[0]), V.Tokens[1] ? G.string(V.Tokens[1] - 1) : "", V.Words});
    }
  }
}

NodeShape Walk::node(uint32_t Thread, uint32_t Node) const {
  const NodeData &N = group(Thread).Nodes[Node];
  NodeShape Out{Node, N.Parent, N.Event, Node ? &T.data().Regions[N.Region] : nullptr, {}};
  for (const auto &[Id, E] : N.Events)
    Out.Events.push_back(Id);
  return Out;
}

std::vector<RankedCount> Walk::visits(uint32_t Thread, uint32_t Node) const {
  std::vector<RankedCount> Out;
  for (const RankedItems &X : group(Thread).Nodes[Node].Paths) {
    Tally All;
    for (const Tally &Path : X.calls(world()))
      All.add(Path, X.Ranks);
    for (RankedCount &C : countsOf(All, X.Ranks))
      Out.push_back(std::move(C));
  }
  return Out;
}

void Walk::forEachPath(uint32_t Thread, uint32_t Node, const std::function<void(const PathShape &)> &F) const {
  const Group &G = group(Thread);
  for (const RankedItems &X : G.Nodes[Node].Paths) {
    const auto Times = X.calls(world());
    for (size_t I = 0; I < Times.size(); ++I)
      for (const Variant &V : G.table(TableId::Paths)[X.Items[I].Index])
        if (PathShape P{V.Tokens, countsOf(Times[I], V.Ranks.common(X.Ranks))}; !P.Times.empty())
          F(P);
  }
}

void Walk::forEachItem(uint32_t Thread, uint32_t Node, uint32_t Event, const CallFn &OnCall,
                       const ActivationFn &OnActivation) const {
  const Group &G = group(Thread);
  const auto &Events = G.Nodes[Node].Events;
  auto At = Events.find(Event);
  if (At == Events.end())
    return;
  for (const RankedItems &X : At->second.Items) {
    const auto Times = X.calls(world());
    for (size_t I = 0; I < Times.size(); ++I) {
      if (X.Items[I].IsNode) {
        if (OnActivation)
          OnActivation({X.Items[I].Index, countsOf(Times[I], X.Ranks)});
        continue;
      }
      if (!OnCall)
        continue;
      const Entry &Variants = G.table(TableId::Signatures)[X.Items[I].Index];
      for (const Variant &V : Variants) {
        CallShape C;
        C.Calls = countsOf(Times[I], V.Ranks.common(X.Ranks));
        if (C.Calls.empty())
          continue;
        C.Function = &T.data().Functions.find(V.Tokens[0])->second;
        C.Thread = Thread;
        C.Node = Node;
        C.Event = Event;
        C.Site = V.Tokens[1];
        C.Depth = V.Tokens[2];
        C.Ranks = ranksOf(C.Calls);
        C.Slots = slotsOf(V);
        C.Of = &Variants;
        C.Content = &V;
        C.Sequence = &X;
        C.Terminal = static_cast<uint32_t>(I);
        OnCall(C);
      }
    }
  }
}

void Walk::forEachCall(const CallFn &F, const std::function<bool(const FunctionSchema &)> &Wanted) const {
  std::map<uint32_t, bool> Known;
  auto IsWanted = [&](uint32_t Function) {
    if (!Wanted)
      return true;
    auto [It, New] = Known.try_emplace(Function, false);
    if (New)
      It->second = Wanted(T.data().Functions.find(Function)->second);
    return It->second;
  };
  for (uint32_t Thread = 0; Thread < Threads.size(); ++Thread) {
    const Group &G = group(Thread);
    // Entries of one table row may be of several functions; most rows hold nothing that is wanted.
    const Table &Signatures = G.table(TableId::Signatures);
    for (uint32_t Node = 0; Node < G.Nodes.size(); ++Node)
      for (const auto &[Id, E] : G.Nodes[Node].Events) {
        bool Any = false;
        for (const RankedItems &X : E.Items)
          for (const Item &I : X.Items)
            if (!I.IsNode)
              for (const Variant &V : Signatures[I.Index])
                Any |= IsWanted(V.Tokens[0]);
        if (Any)
          forEachItem(
              Thread, Node, Id,
              [&](const CallShape &C) {
                if (IsWanted(C.Function->Id))
                  F(C);
              },
              nullptr);
      }
  }
}

SiteInfo Walk::site(uint32_t Thread, uint32_t Site) const {
  const Variant &V = group(Thread).table(TableId::Sites)[Site][0];
  return {string(Thread, V.Tokens[0]), V.Words[0].single().C, V.Tokens[1]};
}

RankContext Walk::context(const CallShape &C, uint32_t Rank) const {
  return group(C.Thread).context(C.Content->Tokens, Rank, world());
}

RankFn::ContextFn Walk::contextOf(const CallShape &C) const {
  if (isInWorld(C))
    return worldContext();
  return [this, &C](uint32_t Rank) { return context(C, Rank); };
}

RankFn::ContextFn Walk::worldContext() const {
  return [World = world()](uint32_t Rank) { return RankContext{Rank, World}; };
}

bool Walk::isInWorld(const CallShape &C) const {
  // The first object that has ranks says whose ranks are meant (Group::context).
  for (const SlotShape &S : C.Slots)
    if (S.T == Tag::Object)
      if (const ObjectShape &O = object(C.Thread, S.Ref); O.K != Kind::Datatype)
        return O.Name == "MPI_COMM_WORLD";
  return true;
}

int64_t Walk::word(const CallShape &C, unsigned Slot, unsigned Word, uint32_t Rank) const {
  return C.Slots[Slot].Words[Word].eval(Rank, context(C, Rank));
}

const Measure *Walk::measure(const CallShape &C) const {
  const uint32_t Own = C.Of->measure(*C.Content);
  return Own == NoMeasure ? nullptr : &group(C.Thread).Nodes[C.Node].Events.at(C.Event).Measures[Own];
}

} // namespace pilgrim
