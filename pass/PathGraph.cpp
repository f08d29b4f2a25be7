//===- PathGraph.cpp - Numbers the paths of an acyclic graph --------------===//
#include "pass/PathGraph.h"
#include <algorithm>
#include <functional>
#include <iterator>
#include <queue>

namespace pilgrim {

PathGraph::PathGraph() {
  addNode(0);
  addNode(0, true);
}

unsigned PathGraph::addNode(unsigned Event, bool IsStart, bool CanCut) {
  Raws.push_back({Event, IsStart, CanCut, unsigned(Raws.size()), {}, {}});
  return Raws.size() - 1;
}

unsigned PathGraph::addEdge(unsigned From, unsigned To, bool Free) {
  Edges.push_back({From, To, Free});
  Raws[From].Out.push_back(Edges.size() - 1);
  Raws[To].In.push_back(Edges.size() - 1);
  return Edges.size() - 1;
}

unsigned PathGraph::find(unsigned Node) const {
  while (Raws[Node].Class != Node)
    Node = Raws[Node].Class = Raws[Raws[Node].Class].Class;
  return Node;
}

void PathGraph::join(unsigned Node, unsigned Into) {
  Raw &From = Raws[Node], &To = Raws[Into];
  From.Class = Into;
  To.Out.insert(To.Out.end(), From.Out.begin(), From.Out.end());
  To.In.insert(To.In.end(), From.In.begin(), From.In.end());
  From.Out = {};
  From.In = {};
}

/// The only other class that edges of a class lead to (or come from).
std::optional<unsigned> PathGraph::only(unsigned Class, bool Target) const {
  std::optional<unsigned> Found;
  for (unsigned E : Target ? Raws[Class].Out : Raws[Class].In) {
    unsigned Other = find(Target ? Edges[E].To : Edges[E].From);
    if (Other == Class || Other == Found)
      continue;
    if (Found)
      return std::nullopt;
    Found = Other;
  }
  // A loop without an end.
  return Found || !Target ? Found : std::optional<unsigned>(End);
}

/// Cycles without events become one node (Tarjan's strongly connected components). Returns where one with events must
/// be cut.
std::optional<unsigned> PathGraph::joinCycles() {
  unsigned Size = Raws.size(), Next = 0;
  std::vector<unsigned> Index(Size), Low(Size), Component(Size), Stack;
  std::vector<std::pair<unsigned, unsigned>> Path;
  std::vector<std::vector<unsigned>> Cycles;
  for (unsigned Root = 1; Root < Size; ++Root) {
    if (!Index[Root])
      Path.push_back({Root, 0});
    while (!Path.empty()) {
      auto &[Node, Position] = Path.back();
      if (!Index[Node]) {
        Index[Node] = Low[Node] = ++Next;
        Stack.push_back(Node);
      }
      if (Position < Raws[Node].Out.size()) {
        unsigned To = Edges[Raws[Node].Out[Position++]].To;
        if (To == End)
          continue;
        if (!Index[To])
          Path.push_back({To, 0});
        else if (!Component[To])
          Low[Node] = std::min(Low[Node], Index[To]);
        continue;
      }
      unsigned Done = Node;
      Path.pop_back();
      if (!Path.empty())
        Low[Path.back().first] = std::min(Low[Path.back().first], Low[Done]);
      if (Low[Done] != Index[Done])
        continue;
      Cycles.emplace_back();
      unsigned Member;
      do {
        Member = Stack.back();
        Stack.pop_back();
        Component[Member] = Cycles.size();
        Cycles.back().push_back(Member);
      } while (Member != Done);
    }
  }
  std::optional<unsigned> Cut;
  for (std::vector<unsigned> &Cycle : Cycles) {
    unsigned First = *std::min_element(Cycle.begin(), Cycle.end());
    if (std::none_of(Cycle.begin(), Cycle.end(), [&](unsigned N) { return Raws[N].Event != 0; })) {
      for (unsigned Member : Cycle)
        if (Member != First)
          join(Member, First);
      continue;
    }
    for (unsigned Member : Cycle)
      for (unsigned E : Raws[Member].Out)
        if (Edges[E].To <= Member && Component[Edges[E].To] == Component[Member] && (!Cut || Edges[E].To < *Cut))
          Cut = Edges[E].To;
  }
  return Cut;
}

bool PathGraph::mayUnwind(unsigned Class) const {
  return std::any_of(Raws[Class].Out.begin(), Raws[Class].Out.end(), [&](unsigned E) { return Edges[E].Free; });
}

/// The places to go on to, exceptions aside, also behind nodes that nothing else leaves.
std::vector<unsigned> PathGraph::places(unsigned Class) const {
  // The only place that is not for exceptions; the class itself: there are several, or none.
  auto Usual = [&](unsigned Of) {
    unsigned Found = Of;
    for (unsigned E : Raws[Of].Out)
      if (unsigned To = find(Edges[E].To); !Edges[E].Free && To != Of && To != Found) {
        if (Found != Of)
          return Of;
        Found = To;
      }
    return Found;
  };
  std::vector<unsigned> Out;
  for (unsigned E : Raws[Class].Out) {
    unsigned To = find(Edges[E].To);
    if (Edges[E].Free || To == Class)
      continue;
    while (To != End && !Raws[To].Event && !Raws[To].IsStart && mayUnwind(To)) {
      unsigned Next = Usual(To);
      if (Next == To)
        break;
      To = Next;
    }
    Out.push_back(To);
  }
  std::sort(Out.begin(), Out.end());
  Out.erase(std::unique(Out.begin(), Out.end()), Out.end());
  return Out;
}

/// Whether a node without events, which an exception may leave, is on one way of a choice. Not if both lead to one
/// place, as the parts of one condition do: "A || B".
bool PathGraph::isOnWay(unsigned Node, unsigned Choice) const {
  if (!mayUnwind(Node))
    return false;
  const std::vector<unsigned> Own = places(Node), Others = places(Choice);
  std::vector<unsigned> Both;
  std::set_intersection(Own.begin(), Own.end(), Others.begin(), Others.end(), std::back_inserter(Both));
  return Others.size() > 1 && (Own.size() == 1 || Both.empty());
}

/// Nodes without events join the node that all their ways lead to, or the one from which all ways to them come. What an
/// exception may leave is not joined with the choice before it: the choice would have no place where its way begins.
void PathGraph::joinChoices() {
  auto IsFree = [&](unsigned Node) { return find(Node) == Node && !Raws[Node].Event; };
  for (bool Changed = true; Changed;) {
    Changed = false;
    // A choice whose ways lead to one place is none, and must not become a part of another one.
    for (bool Joined = true; Joined;) {
      Joined = false;
      for (unsigned Node = Raws.size(); --Node;)
        if (IsFree(Node) && !Raws[Node].IsStart)
          if (std::optional<unsigned> Target = only(Node, true)) {
            join(Node, *Target);
            Joined = true;
          }
    }
    for (unsigned Node = 1; Node < Raws.size(); ++Node) {
      if (!IsFree(Node))
        continue;
      std::optional<unsigned> Target = only(Node, true);
      if (!Raws[Node].IsStart) {
        std::optional<unsigned> Into = Target ? Target : only(Node, false);
        if (Into && (Target || !isOnWay(Node, *Into))) {
          join(Node, *Into);
          Changed = true;
        }
      } else if (Target && *Target != End && !Raws[*Target].IsStart && only(*Target, false) == Node) {
        Raws[Node].Event = Raws[*Target].Event;
        join(*Target, Node);
        Changed = true;
      }
    }
  }
}

/// The classes in topological order, else in that of the program.
std::vector<unsigned> PathGraph::sorted() {
  std::vector<unsigned> Waiting(Raws.size()), Order;
  First.assign(Raws.size(), ~0u);
  for (unsigned Node = 1; Node < Raws.size(); ++Node)
    First[find(Node)] = std::min(First[find(Node)], Node);
  for (unsigned Node = 1; Node < Raws.size(); ++Node)
    if (find(Node) == Node)
      for (unsigned E : Raws[Node].In)
        Waiting[Node] += find(Edges[E].From) != Node;
  using Item = std::pair<unsigned, unsigned>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> Ready;
  for (unsigned Node = 1; Node < Raws.size(); ++Node)
    if (find(Node) == Node && Waiting[Node] == 0)
      Ready.push({First[Node], Node});
  while (!Ready.empty()) {
    unsigned Node = Ready.top().second;
    Ready.pop();
    Order.push_back(Node);
    for (unsigned E : Raws[Node].Out) {
      unsigned To = find(Edges[E].To);
      if (To != Node && To != End && --Waiting[To] == 0)
        Ready.push({First[To], To});
    }
  }
  return Order;
}

/// The classes that follow, each once: those to which edges without code lead first, the end last. So what a loop does
/// in each iteration adds nothing, but the way out of it.
std::vector<unsigned> PathGraph::targets(unsigned Class) const {
  std::vector<std::pair<unsigned, unsigned>> Ranked; // rank, class
  for (unsigned E : Raws[Class].Out) {
    unsigned To = find(Edges[E].To);
    if (To != Class)
      Ranked.push_back({Edges[E].Free ? (To == End ? 0 : 1) : (To == End ? 3 : 2), To});
  }
  std::sort(Ranked.begin(), Ranked.end(), [&](auto &A, auto &B) {
    return A.first != B.first ? A.first < B.first : First[A.second] < First[B.second];
  });
  std::vector<unsigned> Result;
  for (auto [Rank, To] : Ranked)
    // A class that is reached in both ways is among the first.
    if (std::find(Result.begin(), Result.end(), To) == Result.end())
      Result.push_back(To);
  if (Result.empty())
    Result.push_back(End);
  return Result;
}

std::optional<unsigned> PathGraph::number(uint64_t Limit) {
  if (std::optional<unsigned> Cut = joinCycles())
    return Cut;
  joinChoices();
  std::vector<unsigned> Order = sorted();
  std::vector<uint64_t> Count(Raws.size());
  Count[End] = 1;
  for (auto It = Order.rbegin(); It != Order.rend(); ++It) {
    unsigned Most = End;
    for (unsigned To : targets(*It)) {
      Count[*It] += Count[To];
      if (Count[To] > Count[Most] && Raws[To].CanCut)
        Most = To;
    }
    // A switch may have more ways than there should be paths.
    if (Count[*It] > Limit && (Most != End || Count[*It] > UINT64_MAX / 4))
      return Most;
  }
  build(Order, Count);
  return std::nullopt;
}

void PathGraph::build(const std::vector<unsigned> &Order, const std::vector<uint64_t> &Count) {
  IndexOf.assign(Raws.size(), Order.size());
  for (unsigned I = 0; I < Order.size(); ++I)
    IndexOf[Order[I]] = I;
  Nodes.resize(Order.size());
  for (unsigned I = 0; I < Order.size(); ++I) {
    Nodes[I].Event = Raws[Order[I]].Event;
    uint64_t Value = 0;
    std::vector<unsigned> Sorted(Raws[Order[I]].Out);
    std::sort(Sorted.begin(), Sorted.end(), [&](unsigned A, unsigned B) {
      return Edges[A].From != Edges[B].From ? Edges[A].From < Edges[B].From : A < B;
    });
    for (unsigned To : targets(Order[I])) {
      Way Way{IndexOf[To], Value, {}};
      for (unsigned E : Sorted)
        if (find(Edges[E].To) == To)
          Way.Edges.push_back(E);
      Nodes[I].Ways.push_back(std::move(Way));
      Value += Count[To];
    }
  }
  uint64_t Base = 0;
  for (unsigned Node = 1; Node < Raws.size(); ++Node) {
    if (!Raws[Node].IsStart)
      continue;
    Entries.push_back({Base, IndexOf[find(Node)]});
    Bases.push_back({Node, Base});
    Base += Count[find(Node)];
  }
  Paths = Base;
}

uint64_t PathGraph::value(unsigned From, unsigned To) const {
  unsigned Source = find(From), Target = find(To);
  if (Source == Target || Source == End)
    return 0;
  for (const Way &Way : Nodes[IndexOf[Source]].Ways)
    if (Way.Target == IndexOf[Target])
      return Way.Value;
  return 0;
}

uint64_t PathGraph::base(unsigned StartNode) const {
  for (auto &[Node, Base] : Bases)
    if (Node == StartNode)
      return Base;
  return 0;
}

} // namespace pilgrim
