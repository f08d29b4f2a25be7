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
      Events.push_back({Sequence(*E.Order), PassIndex(E.PassesToChange, E.UsualItems, E.Id ? 1 : 0)});
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
      W.Own.Time = S.Measured->meanSeconds(Metric::Gap) + S.Measured->meanSeconds(Metric::Duration);
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

uint64_t CallIndex::calls() const { return ofItems(0, Events[0].Items.length()).Calls; }

} // namespace pilgrim
