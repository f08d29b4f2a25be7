//===- Activations.cpp - how a frame gets a node --------------------------===//
//
// A part of Contexts.h: an activation begins, and the node of its region, in its context, is found or made. Where a
// computed call leads to thousands of functions, what an activation needs is in no cache. So little memory is touched,
// and it is asked for before it is needed.
//
//===----------------------------------------------------------------------===//
#include "core/Contexts.h"

namespace pilgrim {

/// After modules were unloaded. Nodes stay, and are found by what their regions are.
void Contexts::forgetRegions() {
  Regions.forgetAddresses();
  Root.Children.forgetKeys();
  for (const auto &N : Nodes) {
    N->Key = nullptr;
    for (const auto &E : N->Events)
      if (E)
        E->Children.forgetKeys();
  }
}

/// Finds or makes the node of a region that is activated at an event. Null for a recursive activation, if there are too
/// many nodes, or if the region's table cannot be read.
NodeState *Contexts::child(EventState &At, NodeState *Parent, const PilgrimRegion *Key) {
  if (const uint64_t Now = Around.unloads(); Now != Unloads) [[unlikely]] {
    forgetRegions();
    Unloads = Now;
  }
  if (NodeState *C = At.Children.find(Key))
    return C->Frame ? nullptr : C;
  RegionInfo *Info = nullptr;
  for (NodeState *N = Parent; N; N = N->Parent)
    if (N->Key == Key)
      return nullptr;
    else if (!N->Key && N->Info == (Info = Regions.find(Key)))
      return nullptr;
  if (!Info && !(Info = Regions.find(Key)))
    return nullptr;
  if (NodeState *C = At.Children.findForgotten([&](const NodeState &N) { return N.Info == Info; })) {
    C->Key = Key;
    At.Children.add(Key, C, C->Item);
    return C->Frame ? nullptr : C;
  }
  if (Nodes.size() >= MaxNodes)
    return nullptr;
  auto N = std::make_unique<NodeState>();
  N->PathOrder.sealTo(Chunks);
  N->Visits.sealTo(Chunks);
  N->Parent = Parent;
  N->At = &At;
  N->Key = Key;
  N->Info = Info;
  N->Index = static_cast<uint32_t>(Nodes.size() + 1);
  N->Item = static_cast<uint32_t>(At.Items.size());
  EventItem &I = At.newItem();
  I.IsNode = true;
  I.Index = N->Index;
  At.Children.add(Key, N.get(), N->Item);
  Nodes.push_back(std::move(N));
  return Nodes.back().get();
}

/// Makes Frame an open activation. False if it gets no node.
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
  activate(Outer, *At, IsStep, *N, Frame);
  return true;
}

/// Makes Frame an open activation of N, which no frame has. The run around it rests. IsStep: At is the next step of
/// that.
void Contexts::activate(NodeState *Outer, EventState &At, bool IsStep, NodeState &N, PilgrimFrame *Frame) {
  if (IsStep) {
    Step &Place = *Outer->Next;
    Place.settle(Outer->Alike, Outer->Next++);
    Place.know(Outer->Alike, Outer->Next);
    Outer->Frame->Touched |= 1;
    At.append(N.Item);
    Place.foresee();
  } else {
    bool First;
    if (Outer)
      enterEvent(*Outer, First);
    ++At.Asides; // of an event that is about a call, a callback of that
    At.append(N.Item);
  }
  N.Frame = Frame;
  N.InVisit = false;
  N.Before = N.Visit + N.Alike;
  Frame->Node = &N;
  Open.push_back(&N);
  if (N.InRun)
    resume();
  else
    startRun(N);
}

/// Asks for the memory that an activation in which a run goes on needs. Where thousands of nodes are activated in turn,
/// it is in no cache.
static void fetchNode(const NodeState &N) {
  __builtin_prefetch(&N);
  __builtin_prefetch(&N.Visits);
}
static void fetchRun(const NodeState &N) {
  __builtin_prefetch(N.First);
  for (const void *P : N.Needed)
    __builtin_prefetch(P);
}

/// The node of a region, of many at an event. Asks for the memory of those that are predicted to be next.
NodeState *Contexts::findAmongMany(const EventState &At, const PilgrimRegion *Key) {
  NodeState *N = nullptr;
  if (At.Order.predicts()) {
    if (const NodeState *Later = At.Children.ofItem(At.Order.predicted(2)))
      fetchNode(*Later);
    if (const NodeState *Next = At.Children.ofItem(At.Order.predicted(1)))
      fetchRun(*Next);
    N = At.Children.ofItem(At.Order.predicted());
  }
  if (!N || N->Key != Key)
    N = At.Children.find(Key);
  if (N)
    fetchRun(*N);
  return N;
}

bool Contexts::openKnown(PilgrimFrame *Top, uintptr_t Stack) {
  if (!Within.holds(Stack) || !isOnStack(Top, Stack) || Top->Node || !isOnStack(Top->Parent, Stack) ||
      !isInnermost(Top->Parent) || Around.unloads() != Unloads)
    return false;
  NodeState &Outer = *Open.back();
  const uint32_t Event = Top->Parent->Event;
  EventState *At = nullptr;
  if (Outer.InRun)
    At = Running.Next->Event == Event ? Running.Next->At : nullptr;
  else if (Event < Outer.Events.size())
    At = Outer.Events[Event].get();
  if (!At)
    return false;
  NodeState *N = At->Children.areMany() ? findAmongMany(*At, Top->Region) : At->Children.find(Top->Region);
  if (!N || !N->InRun || N->Frame)
    return false;
  rest();
  if (!Outer.InRun && !Outer.InVisit)
    beginVisit(Outer);
  activate(&Outer, *At, Outer.InRun, *N, Top);
  return true;
}

} // namespace pilgrim
