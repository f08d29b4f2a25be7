//===- CallIndex.cpp - going to any call of a thread ----------------------===//
#include "trace/read/CallIndex.h"
#include "trace/read/TimesCursor.h"
#include "trace/read/Untraced.h"

#include <algorithm>

namespace pilgrim {

CallIndex::Amount &CallIndex::Amount::operator+=(const Amount &X) {
  Items += X.Items;
  Calls += X.Calls;
  Outermost += X.Outermost;
  Time += X.Time;
  Timed += X.Timed;
  return *this;
}

CallIndex::CallIndex(std::shared_ptr<const RankView> V, bool HasOwnTimes)
    : View(std::move(V)), Times(HasOwnTimes ? View->times() : nullptr) {
  for (uint32_t I = 0; I < View->streams(); ++I)
    Streams.emplace_back(View->stream(I));
  for (uint32_t I = 0; I < View->nodes().size(); ++I) {
    const NodeView &N = View->nodes()[I];
    Node &X = Nodes.emplace_back();
    if (N.PathOrder)
      X.Paths.emplace(*N.PathOrder);
    if (N.Visits)
      X.Visits.emplace(*N.Visits);
    X.FirstEvent = static_cast<uint32_t>(Events.size());
    for (const EventView &E : N.Events) {
      EventOf.emplace_back(I, static_cast<uint32_t>(Events.size()) - X.FirstEvent);
      Events.push_back({Sequence(*E.Order), PassIndex(E.Passes, E.Counts, E.Id ? 1 : 0)});
    }
  }
  std::map<uint32_t, uint32_t> Forms; // by stream of a slot's first column
  for (const ResolvedSignature &S : View->signatures()) {
    Weight &W = Weights.emplace_back();
    W.Own = {1, isCall(*S.Function) ? 1u : 0u, S.Depth ? 0u : 1u, 0, TimesCursor::isTimed(*S.Function) ? 1u : 0u};
    HasInner |= S.Depth > 0;
    HasArrays = HasArrays || S.Requests;
    for (const auto &Slot : S.Streams)
      if (Slot.FirstStream != UINT32_MAX) {
        const uint32_t Form = hasLength(Slot.T) ? Slot.Columns : 0;
        IsMixed |= Forms.try_emplace(Slot.FirstStream, Form).first->second != Form;
      }
    if (S.Measured)
      W.Own.Time = (S.Measured->mean(Metric::Gap) + S.Measured->mean(Metric::Duration)) / 1e9;
    if (!isUntraced(*S.Function))
      continue;
    Call C;
    C.Slots = S.Slots;
    auto Streamed = std::ranges::find(S.Streams, UntracedCalls, &ResolvedSignature::StreamSlot::Slot);
    if (Streamed != S.Streams.end())
      W.Counted = Streamed->FirstStream;
    else
      W.Own.Calls = untracedCalls(C);
  }
}

/// Below: gets the nodes that the items activate.
void CallIndex::addItems(uint32_t Event, uint64_t Items, Amount &To, Todo &Below) const {
  const auto [Node, Index] = EventOf[Event];
  const std::vector<Item> &Refs = View->nodes()[Node].Events[Index].Refs;
  const std::vector<uint64_t> Counts = Events[Event].Items.countsBefore(Items);
  std::map<uint32_t, uint64_t> Taken; // of streams of numbers of calls
  for (size_t I = 0; I < Counts.size(); ++I) {
    const uint64_t N = Counts[I];
    if (!N)
      continue;
    if (Refs[I].IsNode) {
      Below.emplace_back(Refs[I].Index, N);
      continue;
    }
    const Weight &W = Weights[Refs[I].Index];
    To += {N * W.Own.Items, N * W.Own.Calls, N * W.Own.Outermost, static_cast<double>(N) * W.Own.Time, N * W.Own.Timed};
    if (W.Counted != UINT32_MAX)
      Taken[W.Counted] += N;
  }
  for (const auto &[Stream, N] : Taken)
    To.Calls += Streams[Stream].sumBefore(View->stream(Stream), N);
}

/// By event of the node: how often so many visits pass it.
std::vector<uint64_t> CallIndex::passes(uint32_t Node, uint64_t Visits) const {
  const NodeView &V = View->nodes()[Node];
  std::vector<uint64_t> Passes(V.Events.size(), 0);
  auto Add = [&](uint32_t Id, uint64_t Times) {
    if (const uint32_t E = V.EventIndex[Id])
      Passes[E - 1] += Times;
  };
  if (!Nodes[Node].Paths)
    return Passes;
  Add(0, Visits);
  const std::vector<uint64_t> Counts = Nodes[Node].Paths->countsBefore(Visits);
  for (size_t I = 0; I < Counts.size(); ++I)
    if (Counts[I])
      for (const uint32_t Id : V.Paths[I])
        Add(Id, Counts[I]);
  return Passes;
}

void CallIndex::addVisits(uint32_t Node, uint64_t N, Amount &To, Todo &Below) const {
  const std::vector<uint64_t> Passes = passes(Node, N);
  for (uint32_t E = 0; E < Passes.size(); ++E)
    if (Passes[E]) {
      const uint32_t Event = Nodes[Node].FirstEvent + E;
      addItems(Event, Events[Event].Passes.itemsBefore(Passes[E]), To, Below);
    }
}

/// So much, and what the activations have.
CallIndex::Amount CallIndex::below(Amount So, Todo &Below) const {
  while (!Below.empty()) {
    const auto [Node, Activations] = Below.back();
    Below.pop_back();
    if (const auto &V = Nodes[Node].Visits)
      addVisits(Node, V->sumBefore(*View->nodes()[Node].Visits, Activations), So, Below);
  }
  return So;
}

/// Of the first items of an event, with all that is in them.
CallIndex::Amount CallIndex::ofItems(uint32_t Event, uint64_t N) const {
  Amount Own;
  Todo Below;
  addItems(Event, N, Own, Below);
  return below(Own, Below);
}

/// Of the first visits of a node, with all that is in them.
CallIndex::Amount CallIndex::ofVisits(uint32_t Node, uint64_t N) const {
  Amount Own;
  Todo Below;
  addVisits(Node, N, Own, Below);
  return below(Own, Below);
}

/// The last N in [Begin, End) with Base + Of(N) - Of(Begin) before what is looked for; Base becomes that amount.
template <typename Fn, typename Test>
static uint64_t lastBefore(uint64_t Begin, uint64_t End, auto &Base, Fn &&Of, Test &&IsBefore) {
  const auto AtBegin = Of(Begin);
  auto Best = Base;
  while (End - Begin > 1) {
    const uint64_t Middle = Begin + (End - Begin) / 2;
    auto X = Base;
    X += Of(Middle) - AtBegin;
    if (IsBefore(X)) {
      Begin = Middle;
      Best = X;
    } else {
      End = Middle;
    }
  }
  Base = Best;
  return Begin;
}

/// Finds the item of L's event, between L.Item and L.EndItem. Before: becomes what stands before it. False: there is
/// none.
bool CallIndex::findItem(Level &L, Amount &Before, const IsBefore &F) const {
  L.EndItem = std::min(L.EndItem, Events[L.Event].Items.length());
  if (L.Item >= L.EndItem)
    return false;
  L.Item = lastBefore(L.Item, L.EndItem, Before, [&](uint64_t N) { return ofItems(L.Event, N); }, F);
  return true;
}

uint32_t CallIndex::eventAt(uint32_t Node, uint32_t Id) const {
  const uint32_t E = View->nodes()[Node].EventIndex[Id];
  return E ? Nodes[Node].FirstEvent + E - 1 : UINT32_MAX;
}

/// Finds visit and event in an activation. L: says which visits it has, from Visit on.
bool CallIndex::enter(Level &L, Amount &Before, const IsBefore &F) const {
  const Node &N = Nodes[L.Node];
  if (!N.Paths || L.Visit >= L.EndVisit || L.EndVisit > N.Paths->length())
    return false;
  L.ItemsAtBegin = Before.Items;
  L.Visit = lastBefore(L.Visit, L.EndVisit, Before, [&](uint64_t V) { return ofVisits(L.Node, V); }, F);
  L.ItemsAtVisit = Before.Items;
  L.Path = N.Paths->at(L.Visit);
  std::vector<uint64_t> Passes = passes(L.Node, L.Visit);
  // The last event with items that begins before what is looked for.
  const std::span<const uint32_t> Path = View->nodes()[L.Node].Paths[L.Path];
  std::optional<Level> Best;
  Amount BestBefore;
  for (size_t I = 0; I <= Path.size() && F(Before); ++I) {
    const uint32_t E = eventAt(L.Node, I ? Path[I - 1] : 0);
    if (E == UINT32_MAX)
      continue;
    uint64_t &Pass = Passes[E - N.FirstEvent];
    const uint64_t Begin = Events[E].Passes.itemsBefore(Pass), End = Events[E].Passes.itemsBefore(++Pass);
    if (Begin == End)
      continue;
    Best = L;
    Best->Passed = I;
    Best->Event = E;
    Best->Item = Begin;
    Best->EndItem = End;
    BestBefore = Before;
    Before += ofItems(E, End) - ofItems(E, Begin);
  }
  if (!Best)
    return false;
  L = *Best;
  Before = BestBefore;
  return true;
}

const Item &CallIndex::itemAt(const Level &L, uint64_t At) const {
  const auto [Node, Index] = EventOf[L.Event];
  return View->nodes()[Node].Events[Index].Refs[Events[L.Event].Items.at(At)];
}

/// The last call that is before what is looked for. The thread must have calls.
CallIndex::Place CallIndex::find(const IsBefore &F) const {
  Place P;
  Level Root;
  Root.EndItem = Events[0].Items.length();
  P.Levels.push_back(Root);
  while (findItem(P.Levels.back(), P.Before, F)) {
    Level &L = P.Levels.back();
    const Item &It = itemAt(L, L.Item);
    if (!It.IsNode || !Nodes[It.Index].Visits)
      break;
    // How often the node was activated before; and its visits in this activation.
    const std::vector<uint64_t> Counts = Events[L.Event].Items.countsBefore(L.Item);
    const uint32_t Terminal = Events[L.Event].Items.at(L.Item);
    const uint64_t Activation = Counts[Terminal];
    const IntStreamData &Visits = *View->nodes()[It.Index].Visits;
    if (Activation >= Nodes[It.Index].Visits->length())
      break;
    Level Next;
    Next.Node = It.Index;
    Next.Visit = Nodes[It.Index].Visits->sumBefore(Visits, Activation);
    Next.EndVisit = Nodes[It.Index].Visits->sumBefore(Visits, Activation + 1);
    Next.Visits = Next.EndVisit - Next.Visit;
    if (!enter(Next, P.Before, F))
      break;
    ++L.Item;
    P.Levels.push_back(Next);
  }
  return P;
}

/// Streams of slots stand behind the values of so many calls, by signature.
void CallIndex::placeStreams(CallCursor &C, const std::vector<uint64_t> &Calls) const {
  // Signatures of one function at one site share streams; but an address on the heap has more columns than others.
  std::vector<uint64_t> Taken(Streams.size(), 0);
  std::vector<uint32_t> LengthsOf(Streams.size(), UINT32_MAX); // of elements of lists: the stream of the lists' lengths
  for (size_t I = 0; I < Calls.size(); ++I)
    for (const auto &Slot : View->signatures()[I].Streams)
      for (uint32_t Column = 0; Slot.FirstStream != UINT32_MAX && Column < Slot.Columns; ++Column) {
        if (Column && hasLength(Slot.T))
          LengthsOf[Slot.FirstStream + Column] = Slot.FirstStream;
        else
          Taken[Slot.FirstStream + Column] += Calls[I];
      }
  for (uint32_t S = 0; S < Streams.size(); ++S) {
    const uint32_t Lengths = LengthsOf[S];
    const uint64_t Values =
        Lengths == UINT32_MAX ? Taken[S] : Streams[Lengths].sumBefore(View->stream(Lengths), Taken[Lengths]);
    C.Streams[S] = Streams[S].cursorAt(View->stream(S), Values);
  }
}

/// A cursor that gives first the call at a place.
CallCursor CallIndex::at(const Place &P) const {
  CallCursor C(View);
  C.Emitted = P.Before.Items;
  C.Seq = P.Before.Calls;
  C.Clock = P.Before.Time;
  if (Times) {
    // From the timed item before on, whose end is where those begin that take no time.
    C.Times = timesFrom(P.Before.Timed ? P.Before.Timed - 1 : 0);
    CallTime Last;
    uint64_t Error;
    if (P.Before.Timed && C.Times->next(Last, Error))
      C.Clock = Times->seconds(Last.Start + Last.Duration);
  }
  // From above: what has begun of each node is what its parent's items say.
  std::vector<uint64_t> Activations(Nodes.size(), 0), Calls(Weights.size(), 0);
  for (uint32_t I = 0; I < Nodes.size(); ++I) {
    auto Here = std::ranges::find(P.Levels, I, &Level::Node);
    const Level *L = Here == P.Levels.end() ? nullptr : &*Here;
    const NodeView &V = View->nodes()[I];
    const Node &N = Nodes[I];
    std::vector<uint64_t> Passes(V.Events.size(), 0);
    if (N.Paths && N.Visits) {
      const uint64_t Visits = L ? L->Visit : N.Visits->sumBefore(*V.Visits, Activations[I]);
      Passes = passes(I, Visits);
      for (size_t E = 0; L && E <= L->Passed; ++E)
        if (const uint32_t Event = eventAt(I, E ? V.Paths[L->Path][E - 1] : 0); Event != UINT32_MAX)
          ++Passes[Event - N.FirstEvent];
      C.Nodes[I].Paths = N.Paths->cursorAt(Visits + (L ? 1 : 0));
      C.Nodes[I].Visits = N.Visits->cursorAt(*V.Visits, Activations[I]);
    }
    for (uint32_t J = 0; J < V.Events.size(); ++J) {
      const Event &E = Events[N.FirstEvent + J];
      CallCursor::EventState &To = C.Events[N.FirstEvent + J];
      PassIndex::State S = E.Passes.behind(Passes[J]);
      const uint64_t Items = L && L->Event == N.FirstEvent + J ? L->Item : S.Items;
      To.Items = E.Items.cursorAt(Items);
      To.Passes = std::move(S.Changes);
      To.Counts = std::move(S.Counts);
      To.Usual = S.Usual;
      To.UntilChange = S.UntilChange;
      const std::vector<uint64_t> Counts = E.Items.countsBefore(Items);
      for (size_t K = 0; K < Counts.size(); ++K)
        if (Counts[K])
          (V.Events[J].Refs[K].IsNode ? Activations : Calls)[V.Events[J].Refs[K].Index] += Counts[K];
    }
  }
  placeStreams(C, Calls);
  for (size_t I = 1; I < P.Levels.size(); ++I) {
    const Level &L = P.Levels[I];
    CallCursor::Frame F;
    F.Node = L.Node;
    F.Visits = L.Visits;
    F.VisitsLeft = L.EndVisit - L.Visit;
    F.ItemsLeft = L.EndItem - L.Item;
    F.Path = View->nodes()[L.Node].Paths[L.Path].subspan(L.Passed);
    F.Event = L.Event;
    F.FirstCall = L.ItemsAtVisit;
    F.Begin = L.ItemsAtBegin;
    C.Stack.push_back(F);
  }
  return C;
}

/// Gives first the last call before what is looked for, or an earlier one that it is made by or in a row with; all
/// calls are there where it has nothing to go by.
CallCursor CallIndex::from(const IsBefore &F) const {
  if (Events.empty() || IsMixed || !F(Amount{}))
    return begin();
  const Place P = find(F);
  if (!HasArrays)
    return beginAt(P);
  // So early that each array of requests was written out before the place.
  const uint64_t Items = beginAt(P).Emitted;
  CallCursor C = Items <= ArrayHistory::MaxDistance
                     ? begin()
                     : beginAt(find([&](const Amount &A) { return A.Items < Items - ArrayHistory::MaxDistance; }));
  for (Call Skipped; (C.Emitted < Items || C.NextReady < C.Ready.size()) && C.next(Skipped);)
    ;
  return C;
}

CallCursor CallIndex::beginAt(const Place &P) const {
  if (!HasInner)
    return at(P);
  // Calls made by callbacks stand before the call that they are made in, but a cursor gives that one first. So it
  // begins behind a call that no callback made.
  const uint64_t Outermost = P.Before.Outermost;
  if (Outermost == 0)
    return begin();
  CallCursor C = at(find([&](const Amount &A) { return A.Outermost < Outermost; }));
  Call Skipped;
  C.next(Skipped);
  return C;
}

CallCursor CallIndex::begin() const { return Times ? Trace::timedCalls(View) : Trace::calls(View); }

/// A cursor whose first times are those of the item with so many timed ones before it.
std::shared_ptr<TimesCursor> CallIndex::timesFrom(uint64_t Timed) const {
  const std::vector<TimesFrame> &Frames = Times->Frames;
  size_t Frame = 0;
  uint64_t Before = 0; // of the frame
  for (; Frame < Frames.size() && Before + Frames[Frame].Bytes.length() <= Timed; ++Frame)
    Before += Frames[Frame].Bytes.length();
  if (!Frame)
    return std::make_shared<TimesCursor>(View, Timed);
  // This begins with the last timed item before the frame, whose place begins the path to the frame's first one.
  const CallIndex WithoutTimes(View);
  const CallCursor Ahead = WithoutTimes.at(find([&](const Amount &A) { return A.Timed < Before; }));
  return std::make_shared<TimesCursor>(View, Timed - Before, Frame, Ahead);
}

uint64_t CallIndex::calls() const { return ofItems(0, Events[0].Items.length()).Calls; }

CallCursor CallIndex::fromCall(uint64_t Seq) const {
  CallCursor C = from([&](const Amount &A) { return A.Calls < Seq; });
  for (Call Skipped; C.Seq < Seq && C.next(Skipped);)
    ;
  return C;
}

CallCursor CallIndex::fromTime(double Time) const {
  if (Times) {
    uint64_t Before = 0;
    for (const TimesFrame &F : Times->Frames) {
      if (Times->seconds(F.Latest) >= Time)
        break;
      Before += F.Bytes.length();
    }
    return from([&](const Amount &A) { return A.Timed < Before; });
  }
  // Sums are rounded in another way than those of a cursor.
  const double Earlier = Time * (1 - 1e-9);
  return from([&](const Amount &A) { return A.Time < Earlier; });
}

} // namespace pilgrim
