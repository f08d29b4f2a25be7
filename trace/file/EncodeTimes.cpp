//===- EncodeTimes.cpp - when each call was, as bytes ----------------------===//
//
// The section is a directory: bounds, the contexts of times, and of each rank where its models and frames are among the
// chunks. A place is said by its event and, there, by the first measure that calls at it have.
//
//===----------------------------------------------------------------------===//
#include "trace/file/EncodeMeasures.h"
#include "trace/file/TimesCodec.h"

#include <bit>

namespace pilgrim {

namespace {
/// The places of calls in a group, as the file has them.
class PlaceNumbers {
public:
  explicit PlaceNumbers(const MeasureEncoder::OneGroup &G) {
    for (uint32_t E = 0; E < G.Events.size(); ++E) {
      EventAt[{G.Events[E].Node, G.Events[E].Id}] = E;
      uint32_t Next = 0;
      for (const Measure &M : G.Events[E].Measures)
        Next += PlaceAt.try_emplace({E, M.Place}, Next).second;
    }
  }
  void write(ByteWriter &W, const TimeContexts &C) const {
    W.varint(C.Places.size());
    int64_t Last = 0;
    for (const TimeContexts::Place &P : C.Places) {
      const uint32_t Event = EventAt.at({P.Node, P.Event});
      W.svarint(int64_t(Event) - Last);
      W.varint(PlaceAt.at({Event, P.Call}));
      Last = Event;
    }
    W.varint(C.Paths.size());
    for (const TimeContexts::Path &P : C.Paths) {
      W.svarint(int64_t(P.Place) - int64_t(P.Before));
      W.varint(P.Before);
    }
  }

private:
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> EventAt;
  std::map<std::pair<uint32_t, MeasuredPlace>, uint32_t> PlaceAt;
};
} // namespace

static void writeBound(ByteWriter &W, const TimeBound &B) {
  W.varint(B.Relative);
  W.varint(B.Absolute);
}

static void writeErrors(ByteWriter &W, const TimeErrors &E) {
  writeBound(W, E.Duration);
  writeBound(W, E.Gap);
  W.varint(E.OfFunction.size());
  for (const auto &[Function, Bound] : E.OfFunction) {
    W.varint(Function);
    writeBound(W, Bound);
  }
}

static void writeRank(ByteWriter &W, const CallTimes &T, uint64_t Clock) {
  W.varint(Clock);
  W.u64(std::bit_cast<uint64_t>(T.NanoPerTick));
  W.varint(T.Origin);
  W.varint(T.Models.size());
  for (const Chunk &M : T.Models)
    M.write(W);
  W.varint(T.Frames.size());
  uint64_t Last = T.Origin; // frames follow each other
  for (const TimesFrame &F : T.Frames) {
    F.Bytes.write(W);
    W.svarint(static_cast<int64_t>(F.Earliest - Last));
    W.varint(F.Latest - F.Earliest);
    W.varint(F.TotalDuration);
    Last = F.Latest;
  }
}

using ClockNumbers = std::map<uint64_t, uint64_t>;

static void writeClocks(ByteWriter &W, const ComparedClocks &Compared, const ClockNumbers &Numbers) {
  for (const auto &[Clock, Number] : Numbers) {
    const auto At = Compared.find(Clock);
    W.varint(At == Compared.end() ? 0 : At->second.Points.size());
    if (At == Compared.end())
      continue;
    W.varint(Numbers.at(At->second.Reference));
    ClockPoint Last;
    for (const ClockPoint &P : At->second.Points) {
      W.varint(P.Own - Last.Own);
      W.varint(P.Reference - Last.Reference);
      W.varint(P.Radius);
      Last = P;
    }
  }
}

/// What most traces do not have.
static void writeFurther(ByteWriter &W, const TraceData &T, const std::map<TimeErrors, uint64_t> &Errors,
                         const ClockNumbers &Clocks) {
  uint64_t What = 0;
  if (!T.Clocks.empty())
    What |= HasComparedClocks;
  for (const auto &[E, Number] : Errors)
    if (E.Coding != TimeCoding())
      What |= HasCodings;
  if (!What)
    return;
  W.varint(What);
  if (What & HasCodings)
    for (const auto &[E, Number] : Errors)
      W.varint(E.Coding.number());
  if (What & HasComparedClocks)
    writeClocks(W, T.Clocks, Clocks);
}

std::vector<uint8_t> encodeTimesSection(const TraceData &T, const MeasureEncoder &Measures) {
  bool Any = false;
  for (const Group &G : T.Groups)
    Any |= !G.Times.empty();
  if (!Any)
    return {};
  ByteWriter W;
  std::map<TimeErrors, uint64_t> Errors;
  for (const Group &G : T.Groups)
    for (const CallTimes &X : G.Times)
      Errors.try_emplace(*X.Errors);
  W.varint(Errors.size());
  for (uint64_t Next = 0; auto &[E, Number] : Errors) {
    Number = Next++;
    writeErrors(W, E);
  }
  ClockNumbers Clocks;
  for (const Group &G : T.Groups)
    for (const CallTimes &X : G.Times)
      Clocks.try_emplace(X.Clock);
  for (const auto &[Clock, C] : T.Clocks) {
    Clocks.try_emplace(Clock);
    Clocks.try_emplace(C.Reference);
  }
  W.varint(Clocks.size());
  for (uint64_t Next = 0; auto &[Clock, Number] : Clocks) {
    Number = Next++;
    W.u64(Clock);
  }
  for (const MeasureEncoder::OneGroup &G : Measures.groups()) {
    const PlaceNumbers Places(G);
    std::map<const TimeContexts *, uint64_t> Number;
    std::vector<const TimeContexts *> Lists;
    for (const CallTimes &X : G.G->Times)
      if (Number.try_emplace(X.Contexts.get(), Lists.size()).second)
        Lists.push_back(X.Contexts.get());
    W.varint(Lists.size());
    for (const TimeContexts *C : Lists)
      Places.write(W, *C);
    W.varint(G.G->Times.size());
    uint32_t Last = 0;
    for (const CallTimes &X : G.G->Times) {
      W.varint(X.Rank - Last);
      W.varint(Number.at(X.Contexts.get()));
      W.varint(Errors.at(*X.Errors));
      writeRank(W, X, Clocks.at(X.Clock));
      Last = X.Rank;
    }
  }
  writeFurther(W, T, Errors, Clocks);
  return std::move(W.Data);
}

} // namespace pilgrim
