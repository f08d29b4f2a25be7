//===- Contexts.cpp - where in the program's structure calls are ----------===//
#include "core/Contexts.h"

#include <algorithm>

namespace pilgrim {

namespace {
constexpr uint32_t Complete = UINT32_MAX; ///< a path that is not cut
constexpr uint32_t None = UINT32_MAX;

/// A frame that is not to be followed says in Node which frame to go on with.
void *skipTo(PilgrimFrame *F) { return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(F) | 1); }
bool isSkipped(const PilgrimFrame *F) { return reinterpret_cast<uintptr_t>(F->Node) & 1; }
PilgrimFrame *skipTarget(const PilgrimFrame *F) {
  return reinterpret_cast<PilgrimFrame *>(reinterpret_cast<uintptr_t>(F->Node) & ~uintptr_t(1));
}
} // namespace

Contexts::Contexts(Surroundings &Around) : Around(Around) {}
Contexts::~Contexts() = default;

/// The event with this number; what is none counts as being before the first: a frame that died may hold anything.
EventState &Contexts::makeEvent(NodeState &N, uint32_t Id) {
  if (Id > N.Info->Described.Events.size())
    Id = 0;
  if (N.Events.size() <= Id)
    N.Events.resize(Id + 1);
  if (N.Events[Id])
    return *N.Events[Id];
  N.Events[Id] = std::make_unique<EventState>(&N, Id, NumEvents++);
  EventState &E = *N.Events[Id];
  ++N.NumKnown;
  E.Usual = Id ? 1 : 0;
  const auto &Described = N.Info->Described.Events;
  if (Id && Id <= Described.size() && Described[Id - 1].K == Region::Site)
    E.Site = Around.functionNamed(Described[Id - 1].Name);
  for (const NodeState::Path &P : N.Paths)
    if (!Id || std::find(P.Events.begin(), P.Events.end(), Id) != P.Events.end())
      E.Passed += P.Uses;
  if (E.Passed && Id) {
    // Visits came by without an item.
    E.Passes.append(0);
    E.Counts.append(0);
    E.Usual = 0;
  }
  return E;
}

/// The node that an activation of a region is at an event; null if there is none: a recursive activation, or too many.
NodeState *Contexts::child(EventState &At, NodeState *Parent, const PilgrimRegion *Key) {
  for (NodeState *C : At.Children)
    if (C->Key == Key)
      return C->Frame ? nullptr : C;
  for (NodeState *N = Parent; N; N = N->Parent)
    if (N->Key == Key)
      return nullptr;
  if (Nodes.size() >= MaxNodes)
    return nullptr;
  RegionInfo *Info = Regions.find(Key);
  if (!Info)
    return nullptr;
  auto N = std::make_unique<NodeState>();
  N->Parent = Parent;
  N->At = &At;
  N->Key = Key;
  N->Info = Info;
  N->Index = static_cast<uint32_t>(Nodes.size() + 1);
  N->Item = static_cast<uint32_t>(At.Items.size());
  EventItem &I = At.newItem();
  I.IsNode = true;
  I.Index = N->Index;
  At.Children.push_back(N.get());
  Nodes.push_back(std::move(N));
  return Nodes.back().get();
}

/// Makes Frame an open activation; false if it has to stay unknown.
bool Contexts::open(PilgrimFrame *Frame) {
  NodeState *Outer = Open.empty() ? nullptr : Open.back();
  EventState *At = &Root;
  bool IsStep = false;
  rest();
  if (Outer) {
    IsStep = Outer->InRun && Outer->Next->Event == Outer->Frame->Event;
    if (!IsStep) {
      endRun(*Outer);
      if (!Outer->InVisit)
        beginVisit(*Outer);
    }
    At = IsStep ? Outer->Next->At : &makeEvent(*Outer, Outer->Frame->Event);
  }
  NodeState *N = child(*At, Outer, Frame->Region);
  if (!N) {
    resume();
    return false;
  }
  if (IsStep) {
    ++Outer->Next;
    Outer->Frame->Touched = 1;
  } else if (Outer) {
    bool First;
    enterEvent(*Outer, First);
  }
  At->append(N->Item);
  N->Frame = Frame;
  N->NumVisits = 0;
  N->InVisit = false;
  Frame->Node = N;
  Open.push_back(N);
  startRun(*N);
  return true;
}

/// Where the call is in the innermost open activation.
EventState &Contexts::enterInnermost(uintptr_t Stack, bool &First) {
  NodeState &N = *Open.back();
  if (N.InRun) {
    if (EventState *E = step(N.Frame, Stack)) {
      First = true;
      return *E;
    }
    endRun(N);
  }
  if (!N.InVisit)
    beginVisit(N);
  return enterEvent(N, First);
}

EventState &Contexts::enterEvent(NodeState &N, bool &First) {
  N.Sum = N.Frame->Sum;
  N.Event = N.Frame->Event;
  EventState *E = N.Event < N.Events.size() ? N.Events[N.Event].get() : nullptr;
  if (!E) [[unlikely]]
    N.Event = (E = &makeEvent(N, N.Event))->Id;
  E->Sum = N.Sum;
  First = E->Visit != N.Visit;
  if (First && (E->Id || !N.Turns)) {
    E->Visit = N.Visit;
    E->Count = 1;
    E->Turn = ++N.Turns;
    N.Last = E;
  } else if (N.Last == E) [[likely]] {
    ++E->Count;
  } else {
    comeBack(N, *E); // what no path says: an event again, or the begin of the visit after another event
    First = false;
  }
  return *E;
}

void Contexts::beginVisit(NodeState &N) {
  ++N.Visit;
  N.Turns = 0;
  N.Last = nullptr;
  N.Frame->Touched = 1;
  N.InVisit = true;
  ++N.NumVisits;
}

EventState &Contexts::enter(PilgrimFrame *Top, uintptr_t Stack, bool &First) {
  if (reinterpret_cast<uintptr_t>(Top) > Stack) {
    if (isInnermost(Top))
      return enterInnermost(Stack, First);
    // An activation right inside of the innermost one.
    if (!Top->Node && isOnStack(Top->Parent, Stack) && isInnermost(Top->Parent) && Around.isRegion(Top->Region) &&
        open(Top))
      return enterInnermost(Stack, First);
  }
  // From the innermost frame outwards to one that is open. All live frames lie above the call; in which order, only the
  // compiler knows, which may have put several functions into one. A chain that went in a circle would be no chain.
  Fresh.clear();
  uintptr_t Below = Stack;
  PilgrimFrame *F = Top, *Mark = nullptr;
  size_t Keep = 0, Walked = 0;
  while (isOnStack(F, Stack) && F != Mark && Around.isRegion(F->Region)) {
    Below = std::max(Below, reinterpret_cast<uintptr_t>(F));
    if (++Walked; (Walked & (Walked - 1)) == 0)
      Mark = F;
    if (isSkipped(F)) {
      F = skipTarget(F);
      continue;
    }
    if (F->Node) {
      auto At = std::find_if(Open.rbegin(), Open.rend(), [&](const NodeState *N) { return N->Frame == F; });
      if (At != Open.rend() && *At == F->Node) {
        Keep = static_cast<size_t>(Open.rend() - At);
        break;
      }
      F->Node = nullptr;
      F->Touched = 0;
    }
    Fresh.push_back(F);
    F = F->Parent;
  }
  // What is left of a chain that breaks off: frames died without the markers' knowing.
  if (F && !Keep)
    while (Keep < Open.size() && reinterpret_cast<uintptr_t>(Open[Keep]->Frame) > Below)
      ++Keep;
  while (Open.size() > Keep)
    close();
  for (size_t I = Fresh.size(); I-- > 0;)
    if (!open(Fresh[I]) && !Open.empty())
      Fresh[I]->Node = skipTo(Open.back()->Frame);
  First = false;
  if (Open.empty())
    return Root;
  EventState &E = enterInnermost(Stack, First);
  First &= Open.back()->Frame == Top;
  return E;
}

/// An event has items again after others of the same visit had: for the reader, that is another visit.
void Contexts::comeBack(NodeState &N, EventState &E) {
  finishVisit(N, None, true);
  beginVisit(N);
  E.Visit = N.Visit;
  E.Count = 1;
  E.Turn = ++N.Turns;
  N.Last = &E;
}

uint32_t Contexts::pathOf(NodeState &N, uint64_t Sum, uint32_t Cut) {
  if (N.LastPath < N.Paths.size() && N.Paths[N.LastPath].Sum == Sum && N.Paths[N.LastPath].Cut == Cut)
    return N.LastPath;
  auto [It, New] = N.PathOf.try_emplace({Sum, Cut}, None);
  if (New) {
    NodeState::Path P;
    P.Sum = Sum;
    P.Cut = Cut;
    // Cut before the first event there is nothing on it.
    if (Cut == 0 || N.Info->decode(Sum, Cut == Complete ? 0 : Cut, P.Events)) {
      It->second = static_cast<uint32_t>(N.Paths.size());
      P.Last = Cut == Complete ? N.Info->lastEvent(Sum) : 0;
      N.Paths.push_back(std::move(P));
    }
  }
  return It->second;
}

/// Finds the events of a path that have had items: arms never have.
static void findKnown(const NodeState &N, NodeState::Path &P) {
  P.Known.clear();
  P.NumKnown = N.NumKnown;
  auto Add = [&](uint32_t Id) {
    if (Id < N.Events.size() && N.Events[Id])
      P.Known.push_back(N.Events[Id].get());
  };
  Add(0);
  for (uint32_t Id : P.Events)
    Add(Id);
}

/// Whether the events that had items in this visit are on the path, in this order.
bool Contexts::explains(const NodeState &N, NodeState::Path &P) {
  if (P.NumKnown != N.NumKnown) [[unlikely]]
    findKnown(N, P);
  uint64_t Turn = 0;
  for (const EventState *E : P.Known)
    if (E->Visit == N.Visit && E->Turn != ++Turn)
      return false;
  return Turn == N.Turns;
}

/// A path of the events that had items in this visit.
uint32_t Contexts::seenPath(NodeState &N) {
  std::vector<const EventState *> Seen;
  for (const auto &E : N.Events)
    if (E && E->Id && E->Visit == N.Visit)
      Seen.push_back(E.get());
  std::sort(Seen.begin(), Seen.end(), [](auto *A, auto *B) { return A->Turn < B->Turn; });
  NodeState::Path P;
  for (const EventState *E : Seen)
    P.Events.push_back(E->Id);
  auto [It, New] = N.SeenPaths.try_emplace(P.Events, static_cast<uint32_t>(N.Paths.size()));
  if (New)
    N.Paths.push_back(std::move(P));
  return It->second;
}

static void countPass(const NodeState &N, EventState &E) {
  uint64_t Items = E.Visit == N.Visit ? E.Count : 0;
  if (Items != E.Usual) [[unlikely]] {
    E.Passes.append(static_cast<int64_t>(E.Passed - E.LastChange));
    E.Counts.append(static_cast<int64_t>(Items));
    E.LastChange = E.Passed;
    E.Usual = Items;
  }
  ++E.Passed;
}

void Contexts::finishVisit(NodeState &N, uint32_t Cut, bool AsSeen) {
  uint32_t P = AsSeen ? None : pathOf(N, N.Sum, Cut);
  if (P == None || !explains(N, N.Paths[P])) [[unlikely]]
    P = seenPath(N);
  N.LastPath = P;
  N.PathOrder.append(P);
  NodeState::Path &Path = N.Paths[P];
  ++Path.Uses;
  if (Path.NumKnown != N.NumKnown) [[unlikely]]
    findKnown(N, Path);
  for (EventState *E : Path.Known)
    countPass(N, *E);
  N.InVisit = false;
}

/// If the last visits of the innermost activation's node were alike, goes on so.
void Contexts::startRun(NodeState &N) {
  if (!N.PathOrder.repeats(N.LastPath))
    return;
  NodeState::Path &Path = N.Paths[N.LastPath];
  if (Path.Cut != Complete || Path.NumKnown != N.NumKnown)
    return;
  N.Steps.clear();
  for (EventState *E : Path.Known) {
    if (!E->Usual)
      continue;
    if (E->Usual > 1 || !E->Id)
      return;
    N.Steps.push_back({E, E->Sum, E->Id, E->Id == Path.Last});
  }
  if (N.Steps.empty())
    return;
  N.Steps.push_back({nullptr, 0, UINT32_MAX, false});
  N.Next = N.Steps.data();
  N.InRun = true;
  resume();
}

/// What the innermost activation's run is about goes to its node, and back.
void Contexts::rest() {
  if (!Running.Frame)
    return;
  Running.Node->Next = Running.Place;
  Running.Node->Alike = Running.Alike;
  Running = {};
}

void Contexts::resume() {
  if (Open.empty() || !Open.back()->InRun)
    return;
  NodeState &N = *Open.back();
  Running = {N.Frame, &N, *N.Next, N.Next, N.Steps.data(), N.Alike, N.Paths[N.LastPath].Sum};
}

/// Makes it known what an activation's run was. Its frame may be gone.
void Contexts::endRun(NodeState &N) {
  if (!N.InRun)
    return;
  N.InRun = false;
  if (Running.Node == &N)
    rest();
  NodeState::Path &Path = N.Paths[N.LastPath];
  N.PathOrder.advance(N.Alike);
  Path.Uses += N.Alike;
  for (EventState *E : Path.Known)
    E->Passed += N.Alike;
  N.Visit += N.Alike;
  N.NumVisits += N.Alike;
  N.Alike = 0;
  if (N.Next == N.Steps.data())
    return;
  // In the middle of a visit.
  ++N.Visit;
  ++N.NumVisits;
  N.InVisit = true;
  N.Turns = 0;
  for (const Step *S = N.Steps.data(); S != N.Next; ++S) {
    S->At->Visit = N.Visit;
    S->At->Count = 1;
    S->At->Turn = ++N.Turns;
    N.Last = S->At;
    N.Event = S->Event;
    N.Sum = S->Sum;
  }
}

void Contexts::pop() {
  NodeState &N = *Open.back();
  N.Visits.append(static_cast<int64_t>(N.NumVisits));
  N.Frame = nullptr;
  Open.pop_back();
  resume();
}

/// Ends the innermost activation, which did not come to its end.
void Contexts::close() {
  NodeState &N = *Open.back();
  endRun(N);
  if (N.InVisit)
    finishVisit(N, N.Event, false);
  pop();
}

/// Makes Frame's activation the innermost; false if it is none.
bool Contexts::find(PilgrimFrame *Frame) {
  if (!Open.empty() && Open.back()->Frame == Frame) [[likely]]
    return true;
  if (std::none_of(Open.begin(), Open.end(), [&](const NodeState *N) { return N->Frame == Frame; }))
    return false;
  while (Open.back()->Frame != Frame)
    close();
  return true;
}

void Contexts::endOtherVisit(PilgrimFrame *Frame) {
  Frame->Touched = 0;
  if (!find(Frame))
    return;
  NodeState &N = *Open.back();
  endRun(N);
  if (N.InVisit) {
    N.Sum = Frame->Sum;
    finishVisit(N, Complete, false);
  }
  startRun(N);
}

void Contexts::leave(PilgrimFrame *Frame) {
  if (isSkipped(Frame) || !find(Frame))
    return;
  NodeState &N = *Open.back();
  endRun(N);
  if (N.InVisit) {
    N.Sum = Frame->Sum;
    finishVisit(N, Complete, false);
  }
  pop();
}

size_t Contexts::memory() const {
  size_t N = Root.memory() + Open.capacity() * sizeof(void *);
  for (const auto &Node : Nodes) {
    N +=
        sizeof(NodeState) + Node->PathOrder.memory() + Node->Visits.memory() + Node->Events.capacity() * sizeof(void *);
    for (const NodeState::Path &P : Node->Paths)
      N += sizeof P + P.Events.capacity() * sizeof(uint32_t);
    for (const auto &E : Node->Events)
      N += E ? E->memory() : 0;
  }
  return N;
}

static void writeStream(IntStream &S, RankedStreams &To, uint32_t Rank) {
  IntStreamData D = S.data();
  if (D.length())
    To.push_back({RankSet(Rank), std::move(D)});
}

void Contexts::finish(TraceData &Out, Group &G, uint32_t Rank,
                      const std::function<void(EventState &, EventData &)> &Items) {
  while (!Open.empty())
    close();
  std::map<const RegionInfo *, uint32_t> Known;
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> Same;
  for (uint32_t I = 0; I < Out.Regions.size(); ++I)
    Same[{Out.Regions[I].Function, Out.Regions[I].Index}] = I;
  G.Nodes.resize(1 + Nodes.size());
  G.Nodes[0].Ranks = RankSet(Rank);
  Items(Root, G.Nodes[0].Events[0]);
  for (auto &N : Nodes) {
    NodeData &To = G.Nodes[N->Index];
    To.Ranks = RankSet(Rank);
    To.Parent = N->Parent ? N->Parent->Index : 0;
    To.Event = N->At->Id;
    const Region &R = N->Info->Described;
    auto [It, New] = Same.try_emplace({R.Function, R.Index}, static_cast<uint32_t>(Out.Regions.size()));
    if (New)
      Out.Regions.push_back(R);
    To.Region = It->second;
    // In the order of their first use.
    RankedItems &Paths = To.Paths.emplace_back();
    Paths.Ranks = RankSet(Rank);
    Paths.Order = N->PathOrder.data();
    N->Paths.resize(Paths.Order.terminals()); // what was decoded last may have explained nothing
    for (const NodeState::Path &P : N->Paths) {
      Table &T = G.table(TableId::Paths);
      Paths.Items.push_back({false, static_cast<uint32_t>(T.size())});
      T.push_back({Variant{RankSet(Rank), P.Events, {}, {}}});
    }
    writeStream(N->Visits, To.Visits, Rank);
    for (auto &E : N->Events) {
      if (!E || E->Order.empty())
        continue;
      EventData &D = To.Events[E->Id];
      Items(*E, D);
      writeStream(E->Passes, D.Passes, Rank);
      writeStream(E->Counts, D.Counts, Rank);
    }
  }
}

} // namespace pilgrim
