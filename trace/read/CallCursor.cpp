//===- CallCursor.cpp - the calls of one rank, one by one -----------------===//
#include "trace/read/TimesCursor.h"
#include "trace/read/Untraced.h"

#include <algorithm>

namespace pilgrim {

/// Damage that shows only now.
bool CallCursor::bad(const char *What) {
  Error = std::string("damaged: ") + What + " at call " + std::to_string(Emitted) + " of rank " +
          std::to_string(View->Rank);
  return false;
}

CallCursor::CallCursor(std::shared_ptr<const RankView> V) : View(std::move(V)) {
  for (const IntStreamData *S : View->Streams)
    Streams.emplace_back(*S);
  for (const NodeView &N : View->Nodes) {
    NodeState &S = Nodes.emplace_back();
    if (N.PathOrder)
      S.Paths.emplace(*N.PathOrder);
    if (N.Visits)
      S.Visits.emplace(*N.Visits);
    S.FirstEvent = static_cast<uint32_t>(Events.size());
    for (const EventView &E : N.Events) {
      EventState &X = Events.emplace_back();
      X.Items.emplace(*E.Order);
      if (E.PassesToChange && E.UsualItems) {
        X.PassesToChange.emplace(*E.PassesToChange);
        X.UsualItems.emplace(*E.UsualItems);
      }
      X.Usual = E.Id ? 1 : 0;
      X.UntilChange = Never;
      loadChange(X);
    }
  }
  // All items of the thread itself are of its one visit.
  Frame Root;
  Root.ItemsLeft = Nodes.empty() || View->Nodes[0].Events.empty() ? 0 : Never;
  Stack.push_back(Root);
}

bool CallCursor::loadChange(EventState &E) {
  int64_t Passes;
  E.UntilChange = Never;
  if (!E.PassesToChange || !E.PassesToChange->next(Passes))
    return true;
  if (Passes < 0)
    return bad("a change of an event's items is before the last one");
  E.UntilChange = static_cast<uint64_t>(Passes);
  return true;
}

bool CallCursor::enterEvent(Frame &F, uint32_t Id) {
  F.ItemsLeft = 0;
  uint32_t Index = View->Nodes[F.Node].EventIndex[Id];
  if (!Index)
    return true;
  F.Event = Nodes[F.Node].FirstEvent + Index - 1;
  EventState &E = Events[F.Event];
  if (E.UntilChange == 0) {
    int64_t Count;
    if (!E.UsualItems->next(Count) || Count < 0)
      return bad("no number of an event's items");
    E.Usual = static_cast<uint64_t>(Count);
    if (!loadChange(E))
      return false;
    if (E.UntilChange == 0)
      return bad("an event's items change twice");
  }
  if (E.UntilChange != Never)
    --E.UntilChange;
  F.ItemsLeft = E.Usual;
  return true;
}

bool CallCursor::enterVisit(Frame &F) {
  uint32_t Path;
  NodeState &N = Nodes[F.Node];
  if (!N.Paths || !N.Paths->next(Path))
    return bad("no path of a visit");
  F.Path = View->Nodes[F.Node].Paths[Path];
  F.FirstCall = Emitted;
  return enterEvent(F, 0);
}

bool CallCursor::enterNode(uint32_t Node) {
  int64_t Visits;
  if (Node == 0 || !Nodes[Node].Visits || !Nodes[Node].Visits->next(Visits) || Visits <= 0)
    return bad("no number of visits");
  Frame F;
  F.Node = Node;
  F.VisitsLeft = F.Visits = static_cast<uint64_t>(Visits);
  F.Begin = Emitted;
  Stack.push_back(F);
  return enterVisit(Stack.back());
}

std::vector<Activation> CallCursor::activations() const {
  std::vector<Activation> Out;
  for (const Frame &F : std::span(Stack).subspan(1))
    Out.push_back({F.Node, F.Visits, F.Visits - F.VisitsLeft + 1, F.Begin});
  return Out;
}

/// Goes through the structure up to the next call.
bool CallCursor::nextTerminal(uint32_t &Terminal) {
  for (;;) {
    Frame &F = Stack.back();
    if (F.ItemsLeft) {
      uint32_t I;
      bool IsRoot = Stack.size() == 1;
      uint32_t Event = IsRoot ? 0 : F.Event;
      if (!Events[Event].Items->next(I))
        return IsRoot ? false : bad("no item of an event");
      --F.ItemsLeft;
      const Item &It = View->Nodes[F.Node].Events[Event - Nodes[F.Node].FirstEvent].Refs[I];
      if (!It.IsNode) {
        ++Emitted;
        Terminal = It.Index;
        return true;
      }
      if (!enterNode(It.Index))
        return false;
    } else if (!F.Path.empty()) {
      uint32_t Id = F.Path.front();
      F.Path = F.Path.subspan(1);
      if (!enterEvent(F, Id))
        return false;
    } else if (Stack.size() == 1) {
      return false;
    } else if (F.FirstCall == Emitted) {
      return bad("a visit without a call"); // few bytes could stand for any number of them
    } else if (--F.VisitsLeft) {
      if (!enterVisit(F))
        return false;
    } else {
      Stack.pop_back();
    }
  }
}

/// Reads the next call in the order of completion, with what its streams hold
/// for it.
bool CallCursor::read(Record &R) {
  if (!nextTerminal(R.Terminal))
    return false;
  R.Streamed.clear();
  R.Lengths.clear();
  if (Times && TimesCursor::isTimed(*View->Signatures[R.Terminal].Function) && !Times->next(R.Time, R.StartError)) {
    Error = Times->error();
    return false;
  }
  const ResolvedSignature &S = View->Signatures[R.Terminal];
  for (const auto &Slot : S.Streams) {
    auto Take = [&](uint32_t Column, int64_t &V) {
      return Slot.FirstStream != UINT32_MAX && Streams[Slot.FirstStream + Column].next(V);
    };
    int64_t V = 0;
    bool Good = true;
    uint64_t Items = 1, FirstColumn = 0;
    if (hasLength(Slot.T)) {
      Good = Take(0, V) && V >= 0 && static_cast<uint64_t>(V) <= (MaxWords - R.Streamed.size()) / (Slot.Columns - 1);
      Items = static_cast<uint64_t>(V);
      FirstColumn = 1;
      Good = Good && (Slot.T != Tag::Objects || Items == S.Slots[Slot.Slot].Refs.size());
    }
    uint32_t Words = 0;
    for (uint64_t I = 0; Good && I < Items; ++I)
      for (uint64_t C = FirstColumn; Good && C < Slot.Columns; ++C, ++Words) {
        Good = Take(static_cast<uint32_t>(C), V);
        R.Streamed.push_back(V);
      }
    if (!Good) {
      Error = "damaged: the stream of " + S.Function->Name + "'s slot " + std::to_string(Slot.Slot) +
              " has no value for call " + std::to_string(Seq) + " of rank " + std::to_string(View->Rank);
      return false;
    }
    R.Lengths.push_back(Words);
  }
  if (S.Requests)
    resolveRequests(R, *S.Requests);
  return true;
}

/// Fills in the names of an array of requests.
void CallCursor::resolveRequests(Record &R, const RequestSlots &Q) {
  const ResolvedSignature &S = View->Signatures[R.Terminal];
  auto Value = [&](uint32_t Slot) -> std::span<const int64_t> {
    size_t At = 0;
    for (size_t I = 0; I < S.Streams.size(); At += R.Lengths[I++])
      if (S.Streams[I].Slot == Slot)
        return std::span<const int64_t>(R.Streamed).subspan(At, R.Lengths[I]);
    const ::pilgrim::Value &V = S.Slots[Slot];
    return V.T == Tag::Word || V.T == Tag::Array ? V.Words : std::span<const int64_t>();
  };
  const auto Names = Arrays.resolve(Value(Q.Requests));
  R.AreUnknown = !Names;
  R.Requests.clear();
  if (!Names || Names->empty())
    return;
  R.Requests.assign(Names->begin(), Names->end());
  Q.forEachComplete(Value, [&](int64_t Place) { Arrays.complete(Place); });
}

void CallCursor::present(const Record &R, Call &C) {
  const ResolvedSignature &S = View->Signatures[R.Terminal];
  C.Function = S.Function;
  C.View = View.get();
  C.Terminal = R.Terminal;
  C.Seq = Seq;
  C.Depth = S.Depth;
  C.Site = S.Site;
  C.Slots = S.Slots;
  if (!S.Streams.empty()) {
    Slots = S.Slots;
    size_t At = 0;
    for (size_t I = 0; I < S.Streams.size(); ++I) {
      Slots[S.Streams[I].Slot].Words = std::span<const int64_t>(R.Streamed).subspan(At, R.Lengths[I]);
      At += R.Lengths[I];
    }
    C.Slots = Slots;
  }
  C.Stored = C.Slots;
  if (S.Requests && (R.AreUnknown || !R.Requests.empty())) {
    WithRequests.assign(C.Stored.begin(), C.Stored.end());
    Value &V = WithRequests[S.Requests->Requests];
    V.Words = R.Requests;
    if (R.AreUnknown)
      V.T = Tag::Absent;
    C.Slots = WithRequests;
  }
  Seq += isCall(*S.Function) ? 1 : isUntraced(*S.Function) ? untracedCalls(C) : 0;
  C.Timed = !View->G->Timed ? Call::Time::None : Times ? Call::Time::Own : Call::Time::Mean;
  if (C.Timed == Call::Time::Own) {
    const CallTimes &Own = *View->Times;
    if (TimesCursor::isTimed(*S.Function)) {
      C.Start = Own.seconds(R.Time.Start);
      C.Duration = Own.length(R.Time.Duration);
    } else {
      C.Start = Clock;
      C.Duration = 0;
    }
    C.StartError = Own.length(R.StartError);
    Clock = C.Start + C.Duration;
  } else if (C.Timed == Call::Time::Mean) {
    C.Start = Clock + S.Measured->meanSeconds(Metric::Gap);
    C.Duration = S.Measured->meanSeconds(Metric::Duration);
    Clock = C.Start + C.Duration;
  }
}

CallCursor Trace::timedCalls(std::shared_ptr<const RankView> View) {
  CallCursor Cursor(View);
  if (View->Times)
    Cursor.Times = std::make_shared<TimesCursor>(std::move(View));
  return Cursor;
}

bool CallCursor::next(Call &C) {
  if (NextReady < Ready.size()) {
    present(Pending[Ready[NextReady++]], C);
    return true;
  }
  if (!Error.empty())
    return false;
  Pending.clear();
  PendingWords = 0;
  Ready.clear();
  NextReady = 0;
  for (;;) {
    if (!read(Current)) {
      if (Pending.empty() || !Error.empty())
        return false;
      break; // the call around them never returned
    }
    if (Pending.empty() && View->Signatures[Current.Terminal].Depth == 0) {
      present(Current, C);
      return true;
    }
    PendingWords += Current.Streamed.size() + Current.Requests.size();
    if (Pending.size() >= MaxPending || PendingWords > MaxWords) {
      Error = "too large for this reader: calls inside call " + std::to_string(Seq) + " of rank " +
              std::to_string(View->Rank) + ", limit " + std::to_string(MaxPending) + " calls, or " +
              std::to_string(MaxWords) + " values from streams";
      return false;
    }
    Pending.push_back(Current);
    if (View->Signatures[Current.Terminal].Depth == 0)
      break;
  }
  orderPending();
  return next(C);
}

/// Calls stand in order of completion, inner ones first; a call is entered
/// before those inside it. A call's family, itself last, starts behind the last
/// call before it that is not deeper; it is entered after what stands before
/// its family and the calls around it.
void CallCursor::orderPending() {
  auto Depth = [&](size_t I) { return View->Signatures[Pending[I].Terminal].Depth; };
  std::vector<size_t> Start(Pending.size()), Open;
  for (size_t I = 0; I < Pending.size(); ++I) {
    while (!Open.empty() && Depth(Open.back()) > Depth(I))
      Open.pop_back();
    Start[I] = Open.empty() ? 0 : Open.back() + 1;
    Open.push_back(I);
  }
  Ready.resize(Pending.size());
  Open.clear();
  for (size_t I = Pending.size(); I-- > 0;) {
    while (!Open.empty() && Start[Open.back()] > I)
      Open.pop_back();
    Ready[Start[I] + Open.size()] = I;
    Open.push_back(I);
  }
}

} // namespace pilgrim
