//===- Clocks.cpp - clocks of several machines -----------------------------===//
#include "trace/model/Clocks.h"
#include "trace/model/TraceData.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace pilgrim {

static bool ascend(const ComparedClock &C) {
  for (size_t I = 1; I < C.Points.size(); ++I)
    if (C.Points[I].Own <= C.Points[I - 1].Own || C.Points[I].Reference <= C.Points[I - 1].Reference)
      return false;
  return !C.Points.empty();
}

bool areSound(const ComparedClocks &Clocks) {
  std::set<uint64_t> Sound; // those that lead to a clock that was compared with none
  for (const auto &[Clock, C] : Clocks) {
    if (!ascend(C))
      return false;
    std::vector<uint64_t> Way;
    for (auto At = Clocks.find(Clock); At != Clocks.end() && !Sound.contains(At->first);
         At = Clocks.find(At->second.Reference)) {
      Way.push_back(At->first);
      if (Way.size() > Clocks.size())
        return false;
    }
    Sound.insert(Way.begin(), Way.end());
  }
  return true;
}

namespace {
/// The bases of all clocks in a trace.
class TimeBases {
public:
  explicit TimeBases(const TraceData &T) {
    for (const Group &G : T.Groups)
      for (const CallTimes &X : G.Times)
        if (const auto [At, New] = Own.try_emplace(keyOf(X), base(X)); !New && X.Origin < At->second.Origin)
          At->second = base(X);
    compare(T.Clocks);
    for (const Group &G : T.Groups)
      for (const CallTimes &X : G.Times)
        if (const TimeBase &B = Own.at(keyOf(X)); B.Root) {
          const auto [At, New] = Earliest.try_emplace(B.Root, B.seconds(X.Origin));
          At->second = std::min(At->second, B.seconds(X.Origin));
        }
  }

  TimeBase of(const CallTimes &X) const {
    TimeBase B = Own.at(keyOf(X));
    if (B.Root)
      B.Begin -= Earliest.at(B.Root);
    return B;
  }

private:
  /// Of a rank whose clock is not known, the rank's own.
  using Key = std::pair<uint64_t, uint32_t>;
  static Key keyOf(const CallTimes &X) { return {X.Clock, X.Clock ? 0 : X.Rank}; }
  static TimeBase base(const CallTimes &X) { return {X.Origin, X.NanoPerTick, 0, 0, X.Clock}; }

  /// From each clock that was compared with none to those that were compared with it, and so on.
  void compare(const ComparedClocks &Clocks) {
    std::multimap<uint64_t, uint64_t> By; // reference
    std::vector<uint64_t> Next;
    for (const auto &[Clock, C] : Clocks) {
      By.emplace(C.Reference, Clock);
      if (!Clocks.contains(C.Reference))
        Next.push_back(C.Reference);
    }
    while (!Next.empty()) {
      const uint64_t Reference = Next.back();
      Next.pop_back();
      for (auto [At, End] = By.equal_range(Reference); At != End; ++At) {
        compare(At->second, Clocks.at(At->second));
        Next.push_back(At->second);
      }
    }
  }

  /// Says nothing if no rank has that clock, or its reference.
  void compare(uint64_t Clock, const ComparedClock &C) {
    const auto To = Own.find({Clock, 0}), From = Own.find({C.Reference, 0});
    if (To == Own.end() || From == Own.end())
      return;
    const TimeBase &Reference = From->second;
    const ClockPoint &First = C.Points.front(), &Last = C.Points.back();
    double Tick = To->second.NanoPerTick;
    if (C.Points.size() > 1)
      Tick = Reference.NanoPerTick * static_cast<double>(Last.Reference - First.Reference) /
             static_cast<double>(Last.Own - First.Own);
    const uint64_t Radius = std::ranges::max(C.Points, {}, &ClockPoint::Radius).Radius;
    To->second = {First.Own, Tick, Reference.seconds(First.Reference),
                  Reference.Radius + static_cast<double>(Radius) * Tick / 1e9, Reference.Root};
  }

  std::map<Key, TimeBase> Own;
  std::map<uint64_t, double> Earliest; ///< of the ranks of a root
};
} // namespace

void findTimeBases(TraceData &T) {
  const TimeBases All(T);
  for (Group &G : T.Groups)
    for (CallTimes &X : G.Times)
      X.Base = All.of(X);
}

} // namespace pilgrim
