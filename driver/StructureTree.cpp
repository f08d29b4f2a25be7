//===- StructureTree.cpp - calls by where in the program they are ---------===//
#include "driver/StructureTree.h"
#include "trace/base/Saturate.h"
#include "trace/read/Untraced.h"

#include <algorithm>
#include <tuple>

namespace pilgrim {

namespace {
class TreeBuilder {
public:
  TreeBuilder(const TraceData &T, StructureTree &Tree)
      : T(T), G(*Tree.G), Tree(Tree), IsWhole(Tree.Ranks == G.ranks()), HasUntraced(hasUntraced(T)),
        PlaceOf(G.Nodes.size(), None) {}

  void build() {
    Tree.Places.emplace_back();
    PlaceOf[0] = 0;
    // Activations stand in nodes before those that they activate.
    for (Node = 0; Node < G.Nodes.size(); ++Node)
      if (PlaceOf[Node] != None)
        addNode();
    addUp();
  }

private:
  static constexpr uint32_t None = UINT32_MAX;
  /// MPI calls of one event that are shown as one: whether the event announced
  /// them, function, site.
  using CallKey = std::tuple<bool, uint32_t, uint32_t>;

  RankSet wanted(const RankSet &R) const { return IsWhole ? R : R.without(R.without(Tree.Ranks)); }

  uint32_t add(TreePlace::Kind K, uint32_t Parent, uint32_t Event) {
    TreePlace P;
    P.K = K;
    P.Parent = Parent;
    P.Order = Event;
    Tree.Places.push_back(std::move(P));
    return static_cast<uint32_t>(Tree.Places.size() - 1);
  }

  void addNode() {
    const NodeData &N = G.Nodes[Node];
    Structure = Node ? &T.Regions[N.Region] : nullptr;
    Passes.clear();
    Arms.clear();
    forEachPart(N.Paths, T.World, [&](const RankedItems &X) { addPaths(X); });
    for (const auto &[Id, E] : N.Events)
      addEvent(Id, E);
  }

  void addPaths(const RankedItems &X) {
    RankSet Ranks = wanted(X.Ranks);
    if (Ranks.empty())
      return;
    addProduct(Tree.Places[PlaceOf[Node]].Visits, X.Order.length(), Ranks.size());
    auto Counts = X.Order.terminalCounts();
    for (size_t I = 0; I < X.Items.size() && I < Counts.size(); ++I)
      for (const Variant &V : G.table(TableId::Paths)[X.Items[I].Index])
        if (uint64_t Members = commonSize(Ranks, V.Ranks))
          for (uint32_t Event : V.Tokens)
            if (isArm(Event))
              addProduct(Passes[Event], Counts[I], Members);
  }

  bool isArm(uint32_t Event) const {
    return Event && Event <= Structure->Events.size() && Structure->Events[Event - 1].K == Region::Arm;
  }

  /// The place of the arm that an event stands in; of none: the node's.
  uint32_t armPlace(uint32_t Arm) {
    std::vector<uint32_t> Chain; // from the inside out
    for (; Arm && !Arms.contains(Arm); Arm = Structure->Events[Arm - 1].Arm)
      Chain.push_back(Arm);
    uint32_t Place = Arm ? Arms[Arm] : PlaceOf[Node];
    for (; !Chain.empty(); Chain.pop_back()) {
      const Region::Event &E = Structure->Events[Chain.back() - 1];
      Place = add(TreePlace::Arm, Place, Chain.back());
      TreePlace &P = Tree.Places[Place];
      P.Where = Structure;
      P.Line = E.Line;
      P.Number = E.Number;
      P.Passes = Passes[Chain.back()];
      Arms[Chain.back()] = Place;
    }
    return Place;
  }

  void addEvent(uint32_t Id, const EventData &Data) {
    const Region::Event *E = Structure && Id ? &Structure->Events[Id - 1] : nullptr;
    Calls.clear();
    Measured.clear();
    uint32_t Place = None;
    forEachPart(Data.Items, T.World, [&](const RankedItems &X) {
      RankSet Ranks = wanted(X.Ranks);
      if (Ranks.empty())
        return;
      if (Place == None)
        Place = eventPlace(Id, E);
      auto Counts = X.Order.terminalCounts();
      for (size_t I = 0; I < X.Items.size() && I < Counts.size(); ++I)
        if (X.Items[I].IsNode)
          addActivation(X.Items[I].Index, Place, Id, Counts[I], Ranks.size());
        else
          for (const Variant &V : G.table(TableId::Signatures)[X.Items[I].Index])
            if (uint64_t Members = commonSize(Ranks, V.Ranks); Members && T.isCall(V.Tokens[0]))
              addCall(V, Place, Id, E, Data, Counts[I], Members);
    });
    for (const auto &[At, Sum] : Measured)
      Tree.Places[At].Time = Sum.total(Metric::Duration);
    if (uint64_t N = HasUntraced ? untracedCalls(T, G, Data, Tree.Ranks) : 0)
      Tree.Places[add(TreePlace::Missing, Place, Id)].Untraced = N;
  }

  /// Below which place the items of an event are.
  uint32_t eventPlace(uint32_t Id, const Region::Event *E) {
    uint32_t Place = armPlace(E ? E->Arm : 0);
    if (!E || E->K != Region::Call)
      return Place;
    Place = add(TreePlace::Call, Place, Id);
    TreePlace &P = Tree.Places[Place];
    P.Name = &E->Name;
    P.Where = Structure;
    P.Line = E->Line;
    return Place;
  }

  void addActivation(uint32_t Child, uint32_t Parent, uint32_t Event, uint64_t Count, uint64_t Members) {
    if (PlaceOf[Child] == None) {
      const Region &R = T.Regions[G.Nodes[Child].Region];
      PlaceOf[Child] = add(R.Index ? TreePlace::Loop : TreePlace::Function, Parent, Event);
      TreePlace &P = Tree.Places[PlaceOf[Child]];
      P.Name = &R.Name;
      P.Where = &R;
      P.Line = R.Line;
    }
    addProduct(Tree.Places[PlaceOf[Child]].Activations, Count, Members);
  }

  void addCall(const Variant &V, uint32_t Parent, uint32_t Event, const Region::Event *E, const EventData &Data,
               uint64_t Count, uint64_t Members) {
    uint32_t Function = V.Tokens[0], Site = V.Tokens[1];
    bool IsAnnounced = E && E->K == Region::Site && !Site;
    auto [It, New] = Calls.try_emplace({IsAnnounced, Function, Site});
    if (New) {
      It->second = add(TreePlace::Mpi, Parent, Event);
      TreePlace &P = Tree.Places[It->second];
      P.Name = &T.Functions.find(Function)->second.Name;
      P.Site = Site;
      if (IsAnnounced) {
        P.Where = Structure;
        P.Line = E->Line;
      }
    }
    addProduct(Tree.Places[It->second].Calls, Count, Members);
    if (G.Timed)
      Measured[It->second].add(Data.Measures[V.Measure], Count, Members);
  }

  /// Sums from the leaves up, and children in the order of events.
  void addUp() {
    auto &Places = Tree.Places;
    for (size_t I = Places.size(); I-- > 1;) {
      TreePlace &P = Places[I], &Around = Places[P.Parent];
      if (!P.Calls && !P.Untraced)
        continue;
      addProduct(Around.Calls, P.Calls, 1);
      addProduct(Around.Untraced, P.Untraced, 1);
      Around.Time.add(P.Time);
      Around.Children.push_back(static_cast<uint32_t>(I));
    }
    for (TreePlace &P : Places) {
      std::reverse(P.Children.begin(), P.Children.end());
      std::stable_sort(P.Children.begin(), P.Children.end(),
                       [&](uint32_t A, uint32_t B) { return Places[A].Order < Places[B].Order; });
    }
  }

  const TraceData &T;
  const Group &G;
  StructureTree &Tree;
  bool IsWhole, HasUntraced;
  std::vector<uint32_t> PlaceOf; // by node
  // Of the node at hand.
  uint32_t Node = 0;
  const Region *Structure = nullptr;
  std::map<uint32_t, uint64_t> Passes; // by arm
  std::map<uint32_t, uint32_t> Arms;   // their places
  // Of the event at hand.
  std::map<CallKey, uint32_t> Calls;
  std::map<uint32_t, MeasuredSum> Measured; // by place
};
} // namespace

StructureTree::StructureTree(const TraceData &T, const Group &Of, const RankSet &Wanted)
    : G(&Of), Ranks(Of.ranks().without(Of.ranks().without(Wanted))) {
  TreeBuilder(T, *this).build();
}

} // namespace pilgrim
