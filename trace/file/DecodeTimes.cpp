//===- DecodeTimes.cpp - when each call was, from bytes --------------------===//
#include "trace/file/TimesCodec.h"

#include <bit>
#include <cmath>
#include <set>

namespace pilgrim {

namespace {
class TimesDecoder {
public:
  TimesDecoder(ByteReader &R, TraceData &T) : R(R), T(T) {}

  bool run(const std::vector<EventPlace> &Events) {
    for (size_t N = R.count(5); N-- && R.ok();)
      Errors.push_back(readErrors());
    for (size_t N = R.count(8); N-- && R.ok();) {
      Clocks.push_back(R.u64());
      R.spend(sizeof(uint64_t));
    }
    size_t Next = 0;
    for (uint32_t I = 0; I < T.Groups.size() && R.ok(); ++I) {
      const size_t First = Next;
      while (Next < Events.size() && Events[Next].Group == I)
        ++Next;
      readGroup(T.Groups[I], std::span(Events).subspan(First, Next - First));
    }
    if (R.ok() && !R.atEnd())
      readFurther();
    return R.ok() && R.atEnd();
  }

private:
  void readFurther() {
    const uint64_t What = R.varint();
    if (!What || What & ~uint64_t(HasCodings | HasComparedClocks))
      return R.fail("more about times than this reader knows");
    if (What & HasCodings)
      for (const auto &E : Errors)
        if (!TimeCoding::of(R.varint(), E->Coding))
          R.fail("a coding of times that this reader does not know");
    if (What & HasComparedClocks)
      readClocks();
  }

  void readClocks() {
    for (const uint64_t Clock : Clocks) {
      ComparedClock C;
      size_t N = R.count(3);
      if (!N)
        continue;
      if (const uint64_t Number = R.varint(); Number < Clocks.size())
        C.Reference = Clocks[Number];
      else
        R.fail("a clock that is not there");
      for (ClockPoint P; N-- && R.ok();) {
        P = {P.Own + R.varint(), P.Reference + R.varint(), R.varint()};
        C.Points.push_back(P);
        R.spend(sizeof P);
      }
      R.spend(sizeof C + 64);
      T.Clocks[Clock] = std::move(C);
    }
    if (R.ok() && (T.Clocks.empty() || !areSound(T.Clocks)))
      R.fail("clocks that were compared in a circle, or stand still");
  }

  void readBound(TimeBound &B) {
    B.Relative = static_cast<uint32_t>(R.varintMax(TimeBound::MaxRelative));
    B.Absolute = R.varintMax(TimeBound::MaxAbsolute);
    if (B.Relative && B.Absolute)
      R.fail("a bound in two ways");
  }

  std::shared_ptr<TimeErrors> readErrors() {
    auto Out = std::make_shared<TimeErrors>();
    readBound(Out->Duration);
    readBound(Out->Gap);
    for (size_t N = R.count(3); N-- && R.ok();)
      readBound(Out->OfFunction[static_cast<uint32_t>(R.varintMax(UINT32_MAX))]);
    R.spend(sizeof(TimeErrors) + Out->OfFunction.size() * 64);
    return Out;
  }

  void readGroup(Group &G, std::span<const EventPlace> Events) {
    std::vector<std::shared_ptr<const TimeContexts>> Lists;
    for (size_t N = R.count(2); N-- && R.ok();)
      Lists.push_back(readContexts(G, Events));
    uint64_t Rank = 0;
    for (size_t N = R.count(13); N-- && R.ok();) {
      const uint64_t Step = R.varint();
      if (!G.Times.empty() && !Step)
        R.fail("a rank's times stand twice");
      Rank += Step;
      const uint64_t List = R.varint(), Bound = R.varint();
      if (Rank >= T.World || Step >= T.World || !G.ranks().contains(static_cast<uint32_t>(Rank)) ||
          List >= Lists.size() || Bound >= Errors.size())
        R.fail("times of a rank that is not there");
      if (!R.ok())
        return;
      CallTimes &X = G.Times.emplace_back();
      X.Rank = static_cast<uint32_t>(Rank);
      X.Contexts = Lists[List];
      X.Errors = Errors[Bound];
      readRank(X);
    }
  }

  std::shared_ptr<const TimeContexts> readContexts(const Group &G, std::span<const EventPlace> Events) {
    auto Out = std::make_shared<TimeContexts>();
    uint64_t Event = 0;
    for (size_t N = R.count(2); N-- && R.ok();) {
      Event += static_cast<uint64_t>(R.svarint());
      const uint64_t Which = R.varint();
      if (Event >= Events.size()) {
        R.fail("times at an event that is not there");
        break;
      }
      const EventPlace &At = Events[Event];
      const std::vector<MeasuredPlace> &Calls = placesAt(G.Nodes[At.Node].Events.at(At.Event));
      if (Which >= Calls.size()) {
        R.fail("times of a call that is not there");
        break;
      }
      R.spend(sizeof(TimeContexts::Place));
      Out->Places.push_back({At.Node, At.Event, Calls[Which]});
    }
    for (size_t N = R.count(2); N-- && R.ok();) {
      const auto Step = static_cast<uint64_t>(R.svarint());
      const uint64_t Before = R.varintMax(Out->Places.size());
      if (Before + Step >= Out->Places.size())
        R.fail("a path to a place that is not there");
      Out->Paths.push_back({static_cast<uint32_t>(Before), static_cast<uint32_t>(Before + Step)});
      R.spend(sizeof(TimeContexts::Path));
    }
    return Out;
  }

  /// Places of an event, in the order of their first measures.
  const std::vector<MeasuredPlace> &placesAt(const EventData &E) {
    std::vector<MeasuredPlace> &Out = PlacesOf[&E];
    if (Out.empty()) {
      std::set<MeasuredPlace> Known;
      for (const Measure &M : E.Measures)
        if (Known.insert(M.Place).second)
          Out.push_back(M.Place);
    }
    return Out;
  }

  void readRank(CallTimes &X) {
    const uint64_t Clock = R.varint();
    if (Clock >= Clocks.size())
      return (void)R.fail("a clock that is not there");
    X.Clock = Clocks[Clock];
    X.NanoPerTick = std::bit_cast<double>(R.u64());
    if (!std::isfinite(X.NanoPerTick) || X.NanoPerTick <= 0)
      R.fail("a tick of no length");
    X.Origin = R.varint();
    for (size_t N = R.count(3); N-- && R.ok();)
      X.Models.push_back(readChunk());
    uint64_t Last = X.Origin;
    for (size_t N = R.count(6); N-- && R.ok();) {
      TimesFrame F{readChunk(), 0, 0, 0};
      F.Earliest = Last + static_cast<uint64_t>(R.svarint());
      F.Latest = Last = F.Earliest + R.varint();
      F.TotalDuration = R.varint();
      X.Frames.push_back(std::move(F));
    }
  }
  Chunk readChunk() {
    R.spend(sizeof(TimesFrame) + 128);
    return Chunk::read(R, false);
  }

  ByteReader &R;
  TraceData &T;
  std::vector<std::shared_ptr<TimeErrors>> Errors;
  std::vector<uint64_t> Clocks;
  std::map<const EventData *, std::vector<MeasuredPlace>> PlacesOf;
};
} // namespace

bool decodeTimesSection(ByteReader &R, TraceData &T, const std::vector<EventPlace> &Events) {
  return TimesDecoder(R, T).run(Events);
}

} // namespace pilgrim
