//===- StructureTree.cpp - calls by where in the program they are ---------===//
#include "driver/StructureTree.h"
#include "driver/CallText.h"
#include "driver/RankTimes.h"
#include "trace/base/Saturate.h"
#include "trace/read/Untraced.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace pilgrim {

namespace {
class TreeBuilder {
public:
  TreeBuilder(const Walk &W, StructureTree &Tree, const TreeQuery &Q, SourceLines &Lines)
      : W(W), Thread(Tree.Thread), Tree(Tree), Functions(Q.Functions), HasGaps(Q.Gaps), Lines(Lines),
        HasAll(Functions.hasAll(W.trace())), HasUntraced(hasUntraced(W.trace())),
        PlaceOf(W.threads()[Thread].Nodes, None) {}

  void build() {
    Tree.Places.emplace_back();
    PlaceOf[0] = 0;
    // Activations stand in nodes before those that they activate.
    for (Node = 0; Node < PlaceOf.size(); ++Node)
      if (PlaceOf[Node] != None)
        addNode();
    addUp();
    if (HasAll && Tree.Places[0].Time.IsMean)
      addNodeTimes();
  }

private:
  static constexpr uint32_t None = UINT32_MAX;
  /// MPI calls of one event that are shown as one: whether the event announced
  /// them, whether they returned, function, site, depth.
  using CallKey = std::tuple<bool, bool, uint32_t, uint32_t, uint32_t>;
  struct AtPlace {
    MeasuredPlace Place;
    MeasuredSum Sum;
  };

  /// The sum over the ranks that are wanted.
  uint64_t wanted(const std::vector<RankedCount> &Counts) const {
    uint64_t N = 0;
    for (const RankedCount &X : Counts)
      addProduct(N, X.N, commonSize(X.Ranks, Tree.Ranks));
    return N;
  }

  uint32_t add(TreePlace::Kind K, uint32_t Parent, uint32_t Event) {
    TreePlace P;
    P.K = K;
    P.Parent = Parent;
    P.Order = Event;
    Tree.Places.push_back(std::move(P));
    return static_cast<uint32_t>(Tree.Places.size() - 1);
  }

  void addNode() {
    const NodeShape N = W.node(Thread, Node);
    Structure = N.Structure;
    Passes.clear();
    Arms.clear();
    W.forEachPath(Thread, Node, [&](const PathShape &P) {
      const uint64_t Times = wanted(P.Times);
      addProduct(Tree.Places[PlaceOf[Node]].Visits, Times, 1);
      for (uint32_t Event : P.Events)
        if (isArm(Event))
          addProduct(Passes[Event], Times, 1);
    });
    for (uint32_t Id : N.Events)
      addEvent(Id);
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
      P.Name = E.Name.empty() ? nullptr : &E.Name;
      P.Passes = Passes[Chain.back()];
      Arms[Chain.back()] = Place;
    }
    return Place;
  }

  void addEvent(uint32_t Id) {
    const Region::Event *E = Structure && Id ? &Structure->Events[Id - 1] : nullptr;
    Calls.clear();
    Again.clear();
    Measured.clear();
    AllCalls.clear();
    uint32_t Place = None, Below = None;
    // Whether ranks that are wanted have any of it.
    auto IsThere = [&](uint64_t Times) {
      if (Times && Place == None)
        Place = eventPlace(Id, E);
      return Times != 0;
    };
    // Before what stands next: these are the event's first items, or lie between its items.
    if (HasUntraced)
      if (uint64_t N = wanted(untracedAt(W, Thread, Node, Id)); IsThere(N))
        Tree.Places[add(TreePlace::Missing, Place, Id)].Untraced = N;
    W.forEachItem(
        Thread, Node, Id,
        [&](const CallShape &C) {
          const uint64_t Times = wanted(C.Calls);
          addCalls(C);
          if (IsThere(Times) && isCall(*C.Function) && Functions.wants(C.Function->Name))
            addCall(C, Place, Id, E, Times);
        },
        [&](const ActivationShape &A) {
          const uint64_t Times = wanted(A.Times);
          if (!IsThere(Times))
            return;
          // What an MPI call has called back.
          if (E && E->K == Region::Site && Below == None)
            Below = callPlace(Place, Id, *E);
          addActivation(A.Child, Below == None ? Place : Below, Id, Times);
        });
    for (const auto &[At, M] : Measured) {
      TreePlace &P = Tree.Places[At];
      if (!P.NotReturned) {
        P.Time = AllCalls[M.Place].total(sumsOf(M.Place, Id), Tree.Ranks);
        P.Durations = M.Sum.durations();
      }
      if (HasGaps && M.Sum.durations().Count)
        addGaps(P, M.Sum, Id);
    }
  }

  void addGaps(TreePlace &P, const MeasuredSum &Of, uint32_t Event) {
    std::map<std::string, Spread> Gaps;
    Of.forEach([&](const Measure &M) {
      for (const PathGap &G : M.Gaps)
        Gaps[pathText(W, Thread, Node, Event, G.Path, Lines)].add(G.Gap);
    });
    for (auto &[After, Gap] : Gaps)
      P.Gaps.push_back({After, Gap});
  }

  /// Below which place the items of an event are.
  uint32_t eventPlace(uint32_t Id, const Region::Event *E) {
    uint32_t Place = armPlace(E ? E->Arm : 0);
    return E && E->K == Region::Call ? callPlace(Place, Id, *E) : Place;
  }

  uint32_t callPlace(uint32_t Parent, uint32_t Id, const Region::Event &E) {
    const uint32_t Place = add(TreePlace::Call, Parent, Id);
    TreePlace &P = Tree.Places[Place];
    P.Name = &E.Name;
    P.Where = Structure;
    P.Line = E.Line;
    return Place;
  }

  bool isNamed(uint32_t Place, const std::string &Name) const {
    const TreePlace &P = Tree.Places[Place];
    return P.K == TreePlace::Call && *P.Name == Name;
  }

  /// Of a function that an event led back to: it has no node here, and its loops and calls have. It may have been
  /// called by others. The name is the trace's.
  uint32_t againPlace(const std::string &Function, uint32_t Parent, uint32_t Event) {
    if (isNamed(Parent, Function))
      return Parent;
    auto [It, New] = Again.try_emplace({Parent, Function});
    if (New) {
      It->second = add(TreePlace::Call, Parent, Event);
      Tree.Places[It->second].Name = &Function;
    }
    return It->second;
  }

  /// Whether a call that no event announced is below the function that its event calls, for certain. MPI_Abort is never
  /// announced, a computed call may be one of MPI, and so may a function of another name be, which then is at that
  /// line.
  bool isBelow(const CallShape &C, const Region::Event *E) {
    if (!E || E->K != Region::Call || E->Name.empty() || C.Function->Name == "MPI_Abort")
      return false;
    const SiteInfo S = W.site(Thread, C.Site - 1);
    const int Line = Lines.find(S.Module, S.Offset).Line;
    return Line && Line != static_cast<int>(E->Line);
  }

  /// Of a call that no event announced: which of the functions around it makes it, if that is another than the
  /// innermost one. IsBelow: as above; then it may be that one, too.
  const std::string *madeAgainBy(uint32_t Site, bool IsBelow) {
    std::vector<const std::string *> Around;
    for (uint32_t Place = PlaceOf[Node]; Place; Place = Tree.Places[Place].Parent)
      if (Tree.Places[Place].K == TreePlace::Function)
        Around.push_back(Tree.Places[Place].Name);
    if (Around.size() < (IsBelow ? 1 : 2))
      return nullptr;
    const SiteInfo S = W.site(Thread, Site - 1);
    for (const std::string &Function : Lines.functions(S.Module, S.Offset))
      for (const std::string *F : Around)
        if (*F == Function)
          return F == Around[0] && !IsBelow ? nullptr : F;
    return nullptr;
  }

  /// Whether a loop is one of the function at hand, begun by an activation that has a node: these announce it.
  bool isOwnLoop(const Region &Loop, uint32_t Event) const {
    return Structure && Event && Structure->Events[Event - 1].K == Region::Loop && Loop.Function == Structure->Function;
  }

  void addActivation(uint32_t Child, uint32_t Parent, uint32_t Event, uint64_t Times) {
    if (PlaceOf[Child] == None) {
      const Region &R = *W.node(Thread, Child).Structure;
      if (R.Index && !isOwnLoop(R, Event))
        Parent = againPlace(R.Name, Parent, Event);
      PlaceOf[Child] = add(R.Index ? TreePlace::Loop : TreePlace::Function, Parent, Event);
      TreePlace &P = Tree.Places[PlaceOf[Child]];
      P.Node = Child;
      P.Name = &R.Name;
      P.Where = &R;
      P.Line = R.Line;
    }
    addProduct(Tree.Places[PlaceOf[Child]].Activations, Times, 1);
  }

  void addCall(const CallShape &C, uint32_t Parent, uint32_t Event, const Region::Event *E, uint64_t Times) {
    bool IsAnnounced = E && E->K == Region::Site && !C.Site;
    if (const std::string *Function = C.Site ? madeAgainBy(C.Site, isBelow(C, E)) : nullptr)
      Parent = againPlace(*Function, Parent, Event);
    // Those that a jump has left are a place of their own: one measure is of all calls, or of none.
    auto [It, New] = Calls.try_emplace({IsAnnounced, hasReturned(C), C.Function->Id, C.Site, C.Depth});
    if (New) {
      It->second = add(TreePlace::Mpi, Parent, Event);
      TreePlace &P = Tree.Places[It->second];
      P.Name = &C.Function->Name;
      P.Site = C.Site;
      if (IsAnnounced) {
        P.Where = Structure;
        P.Line = E->Line;
      }
    }
    addProduct(Tree.Places[It->second].Calls, Times, 1);
    if (!hasReturned(C))
      addProduct(Tree.Places[It->second].NotReturned, Times, 1);
    else // inside of a function that is not wanted, nothing else counts
      Tree.Places[It->second].Depth = HasAll ? C.Depth : 0;
    if (const Measure *M = W.measure(C)) {
      auto &[Place, Sum] = Measured[It->second];
      Place = M->Place;
      Sum.add(*M, Times);
    }
  }

  /// What is known of nodes on some ranks: of what each rank needed there, places alone tell less.
  void addNodeTimes() {
    std::vector<RankParts> Parts(PlaceOf.size()); // each with all below
    for (Node = static_cast<uint32_t>(PlaceOf.size()); Node-- > 0;) {
      const NodeShape N = W.node(Thread, Node);
      for (const uint32_t Event : N.Events) {
        AllCalls.clear();
        W.forEachItem(Thread, Node, Event, [&](const CallShape &C) { addCalls(C); }, nullptr);
        for (const auto &[Place, Calls] : AllCalls)
          if (!Place.Depth)
            Calls.forEach(sumsOf(Place, Event), [&](uint32_t First, uint32_t Last, const MeasuredPart &P) {
              Parts[Node].add(RankSet::between(First, Last), {P.Sum, P.IsMean});
            });
      }
      const RankSet &Ranks = W.group(Thread).Nodes[Node].Ranks;
      if (PlaceOf[Node] != None)
        if (TreePlace &P = Tree.Places[PlaceOf[Node]]; P.Time.IsMean && !P.Depth) {
          P.Time = {};
          forEachPart(Parts[Node], Ranks, W.times(Thread, Node).InMpi,
                      [&](uint32_t First, uint32_t Last, const MeasuredPart &Part) {
                        PlaceCalls::add(P.Time, First, Last, Part, Tree.Ranks);
                      });
        }
      if (Node)
        Parts[Node].forEach(Ranks, [&](uint32_t First, uint32_t Last, const RankParts::Numbers &X) {
          Parts[N.Parent].add(RankSet::between(First, Last), X);
        });
      Parts[Node] = {};
    }
  }

  void addCalls(const CallShape &C) {
    if (const Measure *M = hasReturned(C) ? W.measure(C) : nullptr)
      for (const RankedCount &X : C.Calls)
        AllCalls[M->Place].add(*M, X.Ranks, X.N);
  }

  /// How ranks' sums at a place of an event of the node are distributed.
  Spread sumsOf(const MeasuredPlace &Place, uint32_t Event) const {
    const auto &Places = W.places(Thread, Node, Event);
    const auto At = Places.find(Place);
    return At == Places.end() ? Spread{} : At->second.Durations;
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
      addProduct(Around.NotReturned, P.NotReturned, 1);
      if (P.Depth < Around.Depth) {
        Around.Depth = P.Depth;
        Around.Time = {};
      }
      if (P.Depth == Around.Depth)
        Around.Time.add(P.Time);
      Around.Durations.add(P.Durations);
      Around.Children.push_back(static_cast<uint32_t>(I));
    }
    for (TreePlace &P : Places) {
      std::reverse(P.Children.begin(), P.Children.end());
      std::stable_sort(P.Children.begin(), P.Children.end(),
                       [&](uint32_t A, uint32_t B) { return Places[A].Order < Places[B].Order; });
    }
  }

  const Walk &W;
  uint32_t Thread;
  StructureTree &Tree;
  const FunctionChoice &Functions;
  bool HasGaps;
  SourceLines &Lines;
  bool HasAll; // all functions are wanted
  bool HasUntraced;
  std::vector<uint32_t> PlaceOf; // by node
  // Of the node at hand.
  uint32_t Node = 0;
  const Region *Structure = nullptr;
  std::map<uint32_t, uint64_t> Passes; // by arm
  std::map<uint32_t, uint32_t> Arms;   // their places
  // Of the event at hand.
  std::map<CallKey, uint32_t> Calls;
  std::map<std::pair<uint32_t, std::string>, uint32_t> Again; // by place and function
  std::map<uint32_t, AtPlace> Measured;                       // by place
  std::map<MeasuredPlace, PlaceCalls> AllCalls;               // also of other ranks
};
} // namespace

StructureTree::StructureTree(const Walk &Of, uint32_t Thread, const TreeQuery &Q, SourceLines &Lines)
    : W(&Of), Thread(Thread), Ranks(thread().Ranks.common(Q.Ranks)) {
  TreeBuilder(Of, *this, Q, Lines).build();
}

const TreePlace *StructureTree::onlyFunction(const TreePlace &P) const {
  if (P.K != TreePlace::Call || P.Children.size() != 1 || P.Left)
    return nullptr;
  const TreePlace &F = Places[P.Children[0]];
  return F.K == TreePlace::Function && (P.Name->empty() || *P.Name == *F.Name) ? &F : nullptr;
}

std::string armName(uint32_t Number) {
  static constexpr const char *Names[] = {"true",   "false",  "default",  "",       "master",
                                          "masked", "single", "critical", "ordered"};
  constexpr uint32_t FirstCase = 16;
  if (Number < std::size(Names))
    return Names[Number];
  if (Number < FirstCase)
    return "";
  const int64_t Code = Number - FirstCase;
  return "case " + std::to_string(Code % 2 ? -(Code + 1) / 2 : Code / 2);
}

bool isUnended(const TreePlace &P) {
  return P.K == TreePlace::Mpi && P.NotReturned && P.NotReturned == P.Calls && *P.Name != "MPI_Finalize" &&
         *P.Name != "MPI_Abort";
}

} // namespace pilgrim
