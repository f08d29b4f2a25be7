//===- Contexts.cpp - where in the program's structure calls are ----------===//
#include "core/Contexts.h"

#include <algorithm>
#include <malloc.h>

namespace pilgrim {

namespace {
/// A frame whose activation gets no node holds in Node the frame to go on with, marked by bit 0.
void *skipTo(PilgrimFrame *F) { return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(F) | 1); }
bool isSkipped(const PilgrimFrame *F) { return reinterpret_cast<uintptr_t>(F->Node) & 1; }
PilgrimFrame *skipTarget(const PilgrimFrame *F) {
  return reinterpret_cast<PilgrimFrame *>(reinterpret_cast<uintptr_t>(F->Node) & ~uintptr_t(1));
}
} // namespace

Contexts::Contexts(Surroundings &Around, ChunkStore &Chunks) : Around(Around), Chunks(Chunks) {
  Root.sealTo(Chunks);
  OfRoot.At = &Root;
  OfRoot.IsWhole = true;
}
Contexts::~Contexts() = default;

/// Finds or makes the event with this number. A dead frame may hold any number: one that is no event counts as 0.
EventState &Contexts::makeEvent(NodeState &N, uint32_t Id) {
  if (Id > N.Info->Described.Events.size())
    Id = 0;
  if (N.Events.size() <= Id)
    N.Events.resize(Id + 1);
  if (N.Events[Id])
    return *N.Events[Id];
  N.Events[Id] = std::make_unique<EventState>(&N, Id, NumEvents++);
  EventState &E = *N.Events[Id];
  E.sealTo(Chunks);
  ++N.NumKnown;
  E.Usual = Id ? 1 : 0;
  const auto &Described = N.Info->Described.Events;
  if (Id && Id <= Described.size() && Described[Id - 1].K == Region::Site)
    E.Site = Around.functionNamed(Described[Id - 1].Name);
  for (const NodeState::Path &P : N.Paths)
    if (!Id || std::find(P.Events.begin(), P.Events.end(), Id) != P.Events.end())
      E.Passed += P.Uses;
  if (E.Passed && Id) {
    // Earlier visits passed the event without an item.
    E.setUsual(0, 0);
  }
  return E;
}

/// Finds the event of a call in the innermost open activation.
EventState &Contexts::enterInnermost(uintptr_t Stack, bool &First, bool IsCall) {
  NodeState &N = *Open.back();
  if (N.InRun) {
    if (IsCall && Running.Frame == N.Frame && isNext(N.Frame, Stack)) {
      Passed = Running.Next;
      Passed->settle(Running.Alike, Running.Next);
      step();
      Passed->know(Running.Alike, Running.Next);
      First = true;
      return *Passed->At;
    }
    endRun(N);
  }
  if (!N.InVisit)
    beginVisit(N);
  EventState &E = enterEvent(N, First);
  if (!IsCall)
    ++E.Asides;
  else
    First |= E.Asides && E.Count == E.Asides + 1;
  return E;
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
    E->Asides = 0;
    E->Turn = ++N.Turns;
    N.Last = E;
  } else if (N.Last == E) [[likely]] {
    ++E->Count;
  } else {
    comeBack(N, *E); // on no path: the event had items before another one, or it is event 0 after another one
    First = false;
  }
  return *E;
}

void Contexts::learn(const EventState &E, bool IsWithin) {
  if (Passed && Passed->At == &E) {
    Passed->foresee();
  } else if (&E == &Root && !Running.Frame) {
    Running.Next = &OfRoot;
    OfRoot.foresee();
    OfRoot.know(Running.Alike, Running.Next);
  }
  Passed = nullptr;
  // The call that ends a visit; there may be no marker for that.
  if (Open.empty() || Open.back() != E.Node || IsWithin)
    return;
  NodeState &N = *Open.back();
  if (N.InVisit && E.Id && E.Id == N.Info->Closing && N.Sum == 0) {
    N.Frame->Touched = 0;
    finishVisit(N, CompletePath, false);
    startRun(N);
  }
}

/// A call of a coroutine, which may be any: what is open on the thread's own stack waits for it.
EventState &Contexts::enterElsewhere(bool &First, bool IsCall) {
  const auto Gone = std::find_if(Open.begin(), Open.end(), [](const NodeState *N) { return !isWhole(*N); });
  for (auto Left = Open.end() - Gone; Left > 0; --Left)
    close();
  First = false;
  if (Open.empty())
    return Root;
  EventState &E = enterInnermost(0, First, IsCall);
  First = false;
  return E;
}

EventState &Contexts::enter(PilgrimFrame *Top, uintptr_t Stack, bool &First, bool IsCall) {
  settleRoot();
  if (!Within.holds(Stack)) [[unlikely]]
    return enterElsewhere(First, IsCall);
  if (isOnStack(Top, Stack)) {
    if (isInnermost(Top))
      return enterInnermost(Stack, First, IsCall);
    // A new activation directly inside the innermost one.
    if (!Top->Node && isOnStack(Top->Parent, Stack) && isInnermost(Top->Parent) && Around.isRegion(Top->Region) &&
        open(Top))
      return enterInnermost(Stack, First, IsCall);
  }
  // Walks from the innermost frame outwards to one that is open. All live frames lie above the call. Their order in
  // memory is unknown: the compiler may have inlined functions. A cyclic chain is corrupt.
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
  const bool IsCyclic = !Keep && F && F == Mark;
  if (IsCyclic)
    Fresh.clear();
  if (!Keep && !IsCyclic && isOnStack(F, Stack) && F->Region == &TeamRegion)
    Keep = openMirrors(*static_cast<const PilgrimFork *>(F->Node));
  else if (!Keep && NumMirrors)
    Keep = openUpTo(F);
  // The chain is broken: frames died without exit markers. What is open above the broken place stays open.
  else if (F && !Keep)
    while (Keep < Open.size() && reinterpret_cast<uintptr_t>(Open[Keep]->Frame) > Below && isWhole(*Open[Keep]))
      ++Keep;
  while (Open.size() > Keep)
    close();
  for (size_t I = Fresh.size(); I-- > 0;)
    if (!open(Fresh[I]) && !Open.empty())
      Fresh[I]->Node = skipTo(Open.back()->Frame);
  First = false;
  if (Open.empty())
    return Root;
  EventState &E = enterInnermost(Stack, First, IsCall);
  First &= Open.back()->Frame == Top;
  return E;
}

void Contexts::pop() {
  NodeState &N = *Open.back();
  N.Visits.append(static_cast<int64_t>(N.Visit + N.Alike - N.Before));
  N.Frame = nullptr;
  Open.pop_back();
  resume();
}

/// Ends the innermost activation without its exit marker.
void Contexts::close() {
  NodeState &N = *Open.back();
  endRun(N);
  if (N.InVisit)
    finishVisit(N, N.Event, false);
  pop();
}

/// Closes activations until Frame's is the innermost. False if Frame has none.
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
    finishVisit(N, CompletePath, false);
  }
  startRun(N);
}

void Contexts::leave(PilgrimFrame *Frame) {
  if (isSkipped(Frame) || !find(Frame))
    return;
  NodeState &N = *Open.back();
  if (endsInRun(N))
    return pop();
  endRun(N);
  if (N.InVisit) {
    N.Sum = Frame->Sum;
    finishVisit(N, CompletePath, false);
  }
  pop();
}

size_t Contexts::memory() const {
  size_t N = Root.memory() + Open.capacity() * sizeof(void *) + Mirrors.size() * sizeof(Mirror);
  for (const auto &Node : Nodes) {
    N += sizeof(NodeState) + Node->PathOrder.memory() + Node->Visits.memory() +
         Node->Events.capacity() * sizeof(void *) + Node->Steps.capacity() * sizeof(Step);
    for (const NodeState::Path &P : Node->Paths)
      N += sizeof P + P.Events.capacity() * sizeof(uint32_t) + P.Known.capacity() * sizeof(void *);
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

std::vector<Contexts::EventPlace> Contexts::eventPlaces() const {
  std::vector<EventPlace> Out(NumEvents);
  for (const auto &N : Nodes)
    for (const auto &E : N->Events)
      if (E)
        Out[E->Number] = {N->Index, E->Id};
  return Out;
}

void Contexts::finish(TraceData &Out, Group &G, uint32_t Rank, After What,
                      const std::function<void(EventState &, EventData &)> &Items) {
  settleRoot();
  closeAll();
  for (const auto &N : Nodes)
    endRun(*N);
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> Same;
  for (uint32_t I = 0; I < Out.Regions.size(); ++I)
    Same[{Out.Regions[I].Function, Out.Regions[I].Index}] = I;
  G.Nodes.resize(1 + Nodes.size());
  for (const auto &N : Nodes) {
    NodeData &To = G.Nodes[N->Index];
    To.Parent = N->Parent ? N->Parent->Index : 0;
    To.Event = N->At->Id;
  }
  G.Nodes[0].Ranks = RankSet(Rank);
  Items(Root, G.Nodes[0].Events[0]);
  std::map<std::pair<uint32_t, std::vector<uint32_t>>, Entry> PathOf; // by region and events
  size_t NumFreed = 0;
  for (auto &N : Nodes) {
    NodeData &To = G.Nodes[N->Index];
    To.Ranks = RankSet(Rank);
    const Region &R = N->Info->Described;
    auto [It, New] = Same.try_emplace({R.Function, R.Index}, static_cast<uint32_t>(Out.Regions.size()));
    if (New)
      Out.Regions.push_back(R);
    To.Region = It->second;
    // Paths are numbered by first use.
    RankedItems &Paths = To.Paths.emplace_back();
    Paths.Ranks = RankSet(Rank);
    Paths.Order = N->PathOrder.data();
    for (const NodeState::Path &P : N->Paths) {
      Table &T = G.table(TableId::Paths);
      Paths.Items.push_back({false, static_cast<uint32_t>(T.size())});
      Entry &Content = PathOf[{To.Region, P.Events}];
      if (Content.empty())
        Content = {Variant{RankSet(Rank), P.Events, {}}};
      T.push_back(Content);
    }
    writeStream(N->Visits, To.Visits, Rank);
    for (auto &E : N->Events) {
      if (!E || E->Order.empty())
        continue;
      EventData &D = To.Events[E->Id];
      Items(*E, D);
      if (E->Changes) {
        writeStream(E->Changes->PassesToChange, D.PassesToChange, Rank);
        writeStream(E->Changes->UsualItems, D.UsualItems, Rank);
      }
    }
    if (What == After::Free) {
      constexpr size_t Many = 8192;
      N.reset();
      if (++NumFreed % Many == 0)
        malloc_trim(0); // else the system does not get it back
    }
  }
  if (What == After::Free)
    Nodes.clear();
}

} // namespace pilgrim
