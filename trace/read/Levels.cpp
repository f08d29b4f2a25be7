//===- Levels.cpp - what values a function of the rank has ----------------===//
#include "trace/read/Levels.h"
#include "trace/base/Wrap.h"

#include <map>
#include <unordered_map>

namespace pilgrim {

RankSet setOf(std::span<const RankSet::Interval> Intervals) {
  if (Intervals.empty())
    return {};
  if (Intervals.size() == 1)
    return RankSet::between(Intervals[0].First, Intervals[0].Last);
  // Halves, since uniting takes the time of both sides.
  RankSet S = setOf(Intervals.first(Intervals.size() / 2));
  S.unite(setOf(Intervals.subspan(Intervals.size() / 2)));
  return S;
}

namespace {
/// Ranks by value. Ranks come in ascending order.
class Collector {
public:
  void add(int64_t Value, uint32_t Rank) {
    auto &I = Of[Value];
    if (!I.empty() && I.back().Last + 1 == Rank)
      I.back().Last = Rank;
    else {
      I.push_back({Rank, Rank});
      ++Intervals;
    }
  }
  size_t size() const { return Of.size(); }
  size_t intervals() const { return Intervals; }
  template <typename Fn> void forEach(Fn &&F) const {
    for (const auto &[Value, I] : std::map(Of.begin(), Of.end()))
      F(Value, setOf(I));
  }

private:
  std::unordered_map<int64_t, std::vector<RankSet::Interval>> Of;
  size_t Intervals = 0;
};

} // namespace

std::vector<RankFn::Level> levelsBy(const RankSet &Ranks, const std::function<int64_t(uint32_t)> &Of) {
  Collector Found;
  Ranks.forEach([&](uint32_t Rank) { Found.add(Of(Rank), Rank); });
  std::vector<RankFn::Level> Out;
  Found.forEach([&](int64_t Value, RankSet S) { Out.push_back({Value, std::move(S)}); });
  return Out;
}

std::optional<std::vector<Piece>> pieces(std::span<const uint32_t> Values, const RankSet &Ranks) {
  // Sets in which nearly every rank is an interval of its own are no shorter than the values.
  const size_t MaxPieces = 64, MaxIntervals = 1024 + Values.size() / 16;
  auto IsShort = [&](const Collector &X) { return X.size() <= MaxPieces && X.intervals() <= MaxIntervals; };
  Collector ByValue, ByDistance;
  auto Next = Values.begin();
  for (const RankSet::Interval &I : Ranks.intervals())
    for (uint64_t Rank = I.First; Rank <= I.Last; ++Rank) {
      const int64_t V = *Next++;
      if (IsShort(ByValue))
        ByValue.add(V, static_cast<uint32_t>(Rank));
      if (IsShort(ByDistance))
        ByDistance.add(wrappedDifference(V, static_cast<int64_t>(Rank)), static_cast<uint32_t>(Rank));
      if (!IsShort(ByValue) && !IsShort(ByDistance))
        return std::nullopt;
    }
  std::vector<Piece> Out;
  const bool IsRelative = IsShort(ByDistance) && (!IsShort(ByValue) || ByDistance.size() < ByValue.size());
  (IsRelative ? ByDistance : ByValue).forEach([&](int64_t Value, RankSet S) {
    Out.push_back({IsRelative, Value, std::move(S)});
  });
  return Out;
}

/// One explanation, where it says more than the values one by one; false: it does not.
static bool explained(const Candidates &C, const RankSet &Ranks, const RankFn::ContextFn &Ctx, bool IsWorld,
                      std::vector<Piece> &Out) {
  if (C.Mask & Candidates::Const) {
    Out.push_back({false, C.C, Ranks});
    return true;
  }
  if (!IsWorld)
    return false;
  if (C.Mask & Candidates::Offset) {
    Out.push_back({true, C.Off, Ranks});
    return true;
  }
  const int64_t Size = Ctx(Ranks.first()).Size;
  if (!(C.Mask & Candidates::Modulo) || Size <= 0 || Size > UINT32_MAX || C.Mod <= -Size || C.Mod >= Size)
    return false;
  // Those that do not wrap round and those that do.
  const int64_t Up = C.Mod < 0 ? C.Mod + Size : C.Mod;
  RankSet Low = Ranks.common(RankSet::below(static_cast<uint32_t>(Size - Up))), High = Ranks.without(Low);
  if (!Low.empty())
    Out.push_back({true, Up, std::move(Low)});
  if (!High.empty())
    Out.push_back({true, Up - Size, std::move(High)});
  return true;
}

std::vector<Piece> pieces(const RankFn &F, const RankSet &Ranks, const RankFn::ContextFn &Ctx, bool IsWorld,
                          RankSet &Rest) {
  std::vector<Piece> Out;
  Rest = Ranks;
  if (Ranks.empty() || (F.isSingle() && explained(F.single(), Ranks, Ctx, IsWorld, Out))) {
    Rest = {};
    return Out;
  }
  for (const RankFn::Piece &P : F.pieces())
    if (RankSet Own = P.isExplained() ? P.Ranks.common(Rest) : RankSet(); !Own.empty())
      if (explained(P.Cand, Own, Ctx, IsWorld, Out))
        Rest = Rest.without(Own);
  return Out;
}

/// Whether no rank can have the value, as far as the form of the function tells.
static bool isNever(int64_t Value, const RankFn::Piece &P) {
  if (P.isConst())
    return P.Cand.C != Value;
  const auto R = P.List                            ? P.List->range()
                 : P.In && P.In->Of == Grid::Place ? P.In->range(P.Ranks.size())
                                                   : std::nullopt;
  if (R)
    return Value < R->first || Value > R->second;
  if (P.In)
    return P.In->Of == Grid::Own && P.In->First >= 0 && Value < 0; // a rank again
  // Ranks and what is made of them modulo the size or by flipping bits are not below 0.
  if (P.Cand.Mask & Candidates::Offset)
    return Value < P.Cand.Off;
  return Value < 0 && ((P.Cand.Mask & Candidates::Modulo) || P.Cand.Flip >= 0);
}

RankSet ranksWith(int64_t Value, const RankFn &F, const RankSet &Ranks, const RankFn::ContextFn &Ctx, bool IsWorld) {
  RankSet Out;
  auto Look = [&](const RankFn::Piece &P) {
    const RankSet Own = P.Ranks.common(Ranks);
    if (Own.empty() || isNever(Value, P))
      return;
    if (P.isConst()) {
      Out.unite(Own);
      return;
    }
    if (IsWorld && P.isExplained() && (P.Cand.Mask & Candidates::Offset)) {
      const int64_t Rank = wrappedDifference(Value, P.Cand.Off);
      if (Rank >= 0 && Rank <= UINT32_MAX && Own.contains(static_cast<uint32_t>(Rank)))
        Out.unite(RankSet(static_cast<uint32_t>(Rank)));
      return;
    }
    std::vector<RankSet::Interval> Found;
    Own.forEach([&](uint32_t Rank) {
      if (P.eval(Rank, P.hasContext() ? Ctx(Rank) : RankContext()) != Value)
        return;
      if (!Found.empty() && Found.back().Last + 1 == Rank)
        ++Found.back().Last;
      else
        Found.push_back({Rank, Rank});
    });
    Out.unite(setOf(Found));
  };
  if (F.isSingle())
    Look({Ranks, F.single()});
  else
    for (const RankFn::Piece &P : F.pieces())
      Look(P);
  return Out;
}

} // namespace pilgrim
