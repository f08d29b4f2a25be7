//===- CallIndexCursors.cpp - cursors that begin at a place ---------------===//
//
// A place that CallIndex found says how far everything is there: paths, visits, items, streams of slots, times. A
// cursor is put together from that.
//
//===----------------------------------------------------------------------===//
#include "trace/read/CallIndex.h"
#include "trace/read/TimesCursor.h"

#include <algorithm>

namespace pilgrim {

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
      To.PassesToChange = std::move(S.PassesToChange);
      To.UsualItems = std::move(S.UsualItems);
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

uint64_t CallIndex::over(double Time) const {
  if (!Times)
    return 0;
  uint64_t Before = 0, Timed = 0; // items, of the frames up to the last one with a call before Time
  for (const TimesFrame &F : Times->Frames) {
    Timed += F.Bytes.length();
    if (Times->seconds(F.Earliest) < Time)
      Before = Timed;
  }
  return Before == Timed || Events.empty() || IsMixed
             ? UINT64_MAX
             : find([&](const Amount &A) { return A.Timed <= Before; }).Before.Calls;
}

} // namespace pilgrim
