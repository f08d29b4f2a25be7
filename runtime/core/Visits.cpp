//===- Visits.cpp - which way each visit of a node took -------------------===//
//
// The second half of Contexts.h: visits, their paths, and runs of equal visits.
//
//===----------------------------------------------------------------------===//
#include "core/Contexts.h"

#include <algorithm>

namespace pilgrim {

static constexpr uint32_t None = UINT32_MAX;

void Contexts::beginVisit(NodeState &N) {
  ++N.Visit;
  N.Turns = 0;
  N.Last = nullptr;
  N.Frame->Touched |= 1;
  N.InVisit = true;
}

/// An event has an item again, after other events of the same visit had items. No path says that, so the visit ends and
/// another one begins.
void Contexts::comeBack(NodeState &N, EventState &E) {
  finishVisit(N, None, true);
  beginVisit(N);
  E.Visit = N.Visit;
  E.Count = 1;
  E.Asides = 0;
  E.Turn = ++N.Turns;
  N.Last = &E;
}

uint32_t Contexts::pathOf(NodeState &N, uint64_t Sum, uint32_t Cut) {
  auto Is = [&](const NodeState::Path &P) { return P.Sum == Sum && P.Cut == Cut; };
  if (N.LastPath < N.Paths.size() && Is(N.Paths[N.LastPath]))
    return N.LastPath;
  // Most nodes have a few paths. These are not in the map.
  constexpr uint32_t Few = 8;
  const auto NumPaths = static_cast<uint32_t>(N.Paths.size());
  for (uint32_t I = 0; I < NumPaths && I < Few; ++I)
    if (Is(N.Paths[I]))
      return I;
  if (N.Maps)
    if (auto It = N.Maps->Of.find({Sum, Cut}); It != N.Maps->Of.end())
      return It->second;
  // A path that is cut before its first event has no events.
  Decoded.clear();
  const bool IsPath = Cut == 0 || N.Info->decode(Sum, Cut == CompletePath ? 0 : Cut, Decoded);
  if (!IsPath || NumPaths >= Few)
    N.maps().Of.emplace(std::pair(Sum, Cut), IsPath ? NumPaths : None);
  if (!IsPath)
    return None;
  NodeState::Path &P = N.Paths.emplace_back();
  P.Sum = Sum;
  P.Cut = Cut;
  P.Events = Decoded;
  P.Last = Cut == CompletePath ? N.Info->lastEvent(Sum) : 0;
  return NumPaths;
}

/// Finds the events of a path that have had items. Arms never have any.
static void findKnown(const NodeState &N, NodeState::Path &P) {
  P.Known.clear();
  P.Known.reserve(P.Events.size() + 1);
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

/// Finds or makes a path that consists of the events that had items in this visit.
uint32_t Contexts::seenPath(NodeState &N) {
  std::vector<const EventState *> Seen;
  for (const auto &E : N.Events)
    if (E && E->Id && E->Visit == N.Visit)
      Seen.push_back(E.get());
  std::sort(Seen.begin(), Seen.end(), [](auto *A, auto *B) { return A->Turn < B->Turn; });
  NodeState::Path P;
  for (const EventState *E : Seen)
    P.Events.push_back(E->Id);
  auto [It, New] = N.maps().Seen.try_emplace(P.Events, static_cast<uint32_t>(N.Paths.size()));
  if (New)
    N.Paths.push_back(std::move(P));
  return It->second;
}

/// Paths of a trace are those that visits took. This one was just decoded, if none did.
static void dropUnused(NodeState &N, uint32_t P) {
  NodeState::Path &Path = N.Paths[P];
  if (Path.Uses || P + 1 != N.Paths.size())
    return;
  if (N.Maps)
    N.Maps->Of.erase({Path.Sum, Path.Cut});
  N.Paths.pop_back();
}

static void countPass(NodeState &N, EventState &E) {
  uint64_t Items = E.Visit == N.Visit ? E.Count : 0;
  if (Items != E.Usual) [[unlikely]] {
    ++N.NumChanges;
    E.setUsual(Items, E.Passed - E.LastChange);
    E.LastChange = E.Passed;
  }
  ++E.Passed;
}

void Contexts::finishVisit(NodeState &N, uint32_t Cut, bool AsSeen) {
  uint32_t P = AsSeen ? None : pathOf(N, N.Sum, Cut);
  if (P == None || !explains(N, N.Paths[P])) [[unlikely]] {
    if (P != None)
      dropUnused(N, P);
    P = seenPath(N);
  }
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

/// Makes the steps of a run on the last path. False if it cannot be a run.
bool Contexts::makeSteps(NodeState &N) {
  N.StepsFor = {N.LastPath, N.NumKnown, N.NumChanges};
  N.Steps.clear();
  const NodeState::Path &Path = N.Paths[N.LastPath];
  const bool IsWide = N.Info->Described.Events.size() > UINT8_MAX;
  N.Steps.reserve(Path.Known.size() + 1);
  for (EventState *E : Path.Known) {
    if (!E->Usual)
      continue;
    if (E->Usual > 1 || !E->Id) {
      N.Steps.clear();
      return false;
    }
    Step &S = N.Steps.emplace_back();
    S.Node = &N;
    S.At = E;
    S.Event = E->Id;
    S.EndsVisit = E->Id == Path.Last;
    S.IsWide = IsWide;
    S.IsWhole = N.Steps.size() == 1 && E->Id == N.Info->Closing && N.Info->IsClosingCertain;
    S.IsAlone = S.IsWhole && N.Info->Described.Events.size() == 1;
  }
  if (N.Steps.empty())
    return false;
  N.Steps.emplace_back().Node = &N;
  N.Steps.back().Event = UINT32_MAX;
  return true;
}

/// Begins a run if the last visits of the innermost activation's node were equal.
void Contexts::startRun(NodeState &N) {
  if (!N.PathOrder.repeats(N.LastPath))
    return;
  NodeState::Path &Path = N.Paths[N.LastPath];
  if (Path.Cut != CompletePath || Path.NumKnown != N.NumKnown)
    return;
  const NodeState::StepsKey Wanted{N.LastPath, N.NumKnown, N.NumChanges};
  if (N.StepsFor == Wanted ? N.Steps.empty() : !makeSteps(N))
    return;
  for (Step &S : N.Steps) {
    if (!S.At)
      break; // behind the last
    S.Sum = S.At->Sum;
    S.Known = 0;
    S.foresee();
  }
  N.Next = N.First = N.Steps.data();
  N.PathSum = Path.Sum;
  N.InRun = true;
  resume();
}

/// Tells the root event of the items that were only counted.
void Contexts::settleRoot() {
  if (Running.Next == &OfRoot)
    OfRoot.settle(Running.Alike, Running.Next);
}

/// The run's next event happened: moves on to the one after it.
void Contexts::step() {
  Run &R = Running;
  if (R.Next->EndsVisit && R.Frame->Sum == R.Next->Sum) {
    ++R.Alike;
    R.Frame->Touched = 0;
    R.Next = R.First;
  } else {
    ++R.Next;
    R.Frame->Touched |= 1;
  }
}

void Contexts::followOther() {
  Step &S = *Running.Next;
  if (S.Repeats) // there is a frame, or the step would be IsCounted
    return step();
  S.At->advance();
  S.foresee();
  if (Running.Frame)
    step();
  if (S.Repeats)
    S.know(Running.Alike, Running.Next);
}

/// Puts the run of the innermost activation aside, in its node. resume() takes it back.
void Contexts::rest() {
  settleRoot();
  if (Running.Frame) {
    NodeState &N = *Running.Next->Node;
    N.Next = Running.Next;
    N.Alike = Running.Alike;
  }
  Running = {&Nothing};
}

void Contexts::resume() {
  if (Open.empty() || !Open.back()->InRun)
    return;
  settleRoot();
  NodeState &N = *Open.back();
  Running = {N.Next, N.Frame, N.First, N.Alike, N.PathSum};
}

/// The innermost activation, N's, ends. True if all its visits since the run began are those of the run: then the run
/// goes on in the node's next activation.
bool Contexts::endsInRun(NodeState &N) {
  if (!N.InRun)
    return false;
  rest();
  if (N.Next == N.First) {
    // Noted while it is at hand.
    N.Needed[0] = N.First->Raw;
    N.Needed[1] = N.First->Item;
    N.Needed[2] = N.First->Item ? N.First->Item->Path : nullptr;
    return true;
  }
  if (N.Next->At || N.Frame->Sum != N.PathSum)
    return false;
  N.Next = N.First;
  ++N.Alike;
  return true;
}

/// Ends a node's run: adds what was only counted to its node. The activation's frame may be gone.
void Contexts::endRun(NodeState &N) {
  if (!N.InRun)
    return;
  N.InRun = false;
  if (Running.Next->Node == &N)
    rest();
  for (Step &S : N.Steps)
    if (S.At)
      S.settle(N.Alike, N.Next);
  NodeState::Path &Path = N.Paths[N.LastPath];
  N.PathOrder.advance(N.Alike);
  Path.Uses += N.Alike;
  for (EventState *E : Path.Known)
    E->Passed += N.Alike;
  N.Visit += N.Alike;
  N.Alike = 0;
  if (N.Next == N.First)
    return;
  // In the middle of a visit.
  ++N.Visit;
  N.InVisit = true;
  N.Turns = 0;
  for (const Step *S = N.Steps.data(); S != N.Next; ++S) {
    S->At->Visit = N.Visit;
    S->At->Count = 1;
    S->At->Asides = 0;
    S->At->Turn = ++N.Turns;
    N.Last = S->At;
    N.Event = S->Event;
    N.Sum = S->Sum;
  }
}

} // namespace pilgrim
