//===- MeasureCode.h - spreads and paths as binary decisions ----*- C++ -*-===//
//
// The numbers of the section measures, described once: with a RangeWriter they are written, with a RangeReader they are
// read. Every function takes what is to be written and returns what a reader gets; a reader ignores what it is given.
//
// A trace of all ranks is not added to any more, so its numbers are rounded: sums to 14 bits, what else there is to a
// few (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_MEASURECODE_H
#define PILGRIM_TRACE_FILE_MEASURECODE_H

#include "trace/base/Bytes.h"
#include "trace/model/Measure.h"
#include "trace/ranks/RankSet.h"
#include "trace/sequences/RangeCoder.h"
#include "trace/times/TimeBins.h"

#include <map>
#include <set>
#include <utility>

namespace pilgrim {

/// What a number is. Numbers of one kind share models.
enum class MeasureNumber : uint8_t {
  Back,      ///< how many measures lie between a measure and the one that is meant
  Paths,     ///< how many
  PathCount, ///< how often it was taken
  PathEvent, ///< how many events lie before the own one, or behind it
  PathCall,  ///< the same with measures
  Ranks,     ///< that were at a place
  Bins,      ///< of a histogram
  FirstBin,
  Duration, ///< these and the next ones: of calls
  Gap,
  RankDuration, ///< of ranks: at places, and of nodes in MPI
  RankGap,      ///< the same, and of nodes outside
  Kinds
};

/// Numbers of one kind that belong to a spread.
enum class SpreadNumber : uint8_t { Sum, Deviation, Min, Max, Squares, Kinds };

/// The things in each node of a group that have times: nodes, and places of its events. A node with one mostly has the
/// same times, which are written once then.
class TimedParts {
public:
  explicit TimedParts(size_t Nodes) : Of(Nodes) {}
  void add(uint32_t Node, const std::map<MeasuredPlace, PlaceTimes> &Places) {
    for (const auto &[Place, P] : Places)
      if (!Place.Depth)
        add(Node, NodeTimes{P.Durations, P.Gaps});
  }
  /// Nodes in a node are added after what is in them.
  void add(uint32_t Node, const NodeTimes &Part) {
    if (Part.InMpi.Count && !Of[Node].Number++)
      Of[Node].First = Part;
  }
  /// The times of the only one in a node; null if there is none, or more.
  const NodeTimes *only(uint32_t Node) const { return Of[Node].Number == 1 ? &Of[Node].First : nullptr; }

private:
  struct Parts {
    uint32_t Number = 0;
    NodeTimes First;
  };
  std::vector<Parts> Of;
};

template <typename Coder> class MeasureCode {
public:
  MeasureCode(Coder &C, uint32_t World, const RankSet &Ranks) : C(C) {
    OnlyRank = Ranks.size() == 1 ? Ranks.first() : NoRank;
    RankBits = static_cast<unsigned>(std::bit_width(World ? World - 1 : 0));
  }
  /// Whether the trace has all digits, as ranks may be added to it. To be called first.
  bool exact(bool V) { return IsExact = C.raw(1, V); }
  /// The error of histograms; 0: there are none. IsByPath: gaps have one for each path. To be called second.
  void histograms(uint32_t &Error, bool &IsByPath) {
    BitModel Seldom;
    Seldom.Zero = 65536 - 256;
    HasBins = C.bit(Seldom, Error != 0);
    if (HasBins) {
      IsByPath = IsBinnedByPath = C.raw(1, IsByPath);
      BinError = Error = static_cast<uint32_t>(C.raw(20, Error));
      damaged(Error < TimeHistogram::LeastError || Error > TimeHistogram::MostError);
    }
  }

  /// Whether what was read cannot be.
  bool isDamaged() const { return IsDamaged; }

  /// A reference to a measure of the event, where there are Known so far: one of these, or Known for a new one.
  uint32_t reference(uint32_t Known, uint32_t V) {
    if (!flag(IsKnown, V < Known))
      return Known;
    const uint64_t Back = number(MeasureNumber::Back, uint64_t(Known) - 1 - V);
    return damaged(Back >= Known) ? 0 : static_cast<uint32_t>(Known - 1 - Back);
  }

  /// M: the measure with that index at that event of the group, on a node of so many ranks; both know its number of
  /// calls. Paths to events refer to the events of the group by their place in the file. Once: whether it is the
  /// only one of its place, each rank made one call there, and all came the same way: its times are the ranks' sums.
  void measure(Measure &M, uint32_t Index, uint32_t Event, uint64_t Ranks, bool Once) {
    const uint64_t Calls = M.calls();
    CallDigits = OtherDigits;
    if (!flag(HasTimes, M.hasTimes())) {
      M.Duration = {Calls, 0, 0, 0, 0, 0, 0, {}};
      M.Gaps.clear();
      Often.insert(M.Place);
      return;
    }
    Once = Ranks > 1 && Calls <= Ranks && flag(IsOnce, Once);
    if (Once)
      CallDigits = RankDigits;
    else
      Often.insert(M.Place);
    M.Duration = spread(MeasureNumber::Duration, Calls, M.Duration);
    const uint64_t Paths = Once ? 1 : number(MeasureNumber::Paths, M.Gaps.size());
    if (damaged(Paths > Measure::MaxPaths + 1))
      return;
    M.Gaps.resize(Paths);
    uint64_t First = Calls; // the first path has the calls that others do not have
    for (PathGap &G : M.Gaps) {
      path(G.Path, Index, Event);
      if (&G == M.Gaps.data())
        continue;
      G.Gap.Count = roundedDown(MeasureNumber::PathCount, G.Gap.Count);
      if (damaged(G.Gap.Count >= First || !G.Gap.Count))
        return;
      First -= G.Gap.Count;
    }
    for (PathGap &G : M.Gaps)
      G.Gap = spread(MeasureNumber::Gap, &G == M.Gaps.data() ? First : G.Gap.Count, G.Gap);
    if (HasBins && !IsBinnedByPath && !M.Gaps.empty())
      M.GapBins = bins(MeasureNumber::Gap, M.GapBins);
  }

  /// The places of an event with these measures, the last ones that were written or read, on a node of so many ranks.
  /// They stand in the order of their first measures.
  void places(const std::vector<Measure> &Measures, uint64_t Ranks, std::map<MeasuredPlace, PlaceTimes> &Places) {
    std::map<MeasuredPlace, TwoSums> Sums;
    for (const Measure &M : Measures) {
      addProduct(Sums[M.Place].first, M.Duration.Sum, 1);
      addProduct(Sums[M.Place].second, M.sum(Metric::Gap), 1);
    }
    std::map<MeasuredPlace, PlaceTimes> Out;
    for (const Measure &M : Measures)
      if (M.hasTimes() && !Out.contains(M.Place)) {
        const auto Had = Places.find(M.Place);
        PlaceTimes &P = Out[M.Place];
        if (Had != Places.end())
          P = Had->second;
        if (Often.contains(M.Place))
          two(Ranks, Sums[M.Place], P.Durations, P.Gaps);
        else
          P = {M.Duration.withoutBins(), M.Gaps[0].Gap.withoutBins()};
      }
    Often.clear();
    std::erase_if(Out, [](const auto &P) { return !P.second.Durations.Count; });
    Places = std::move(Out);
  }
  /// Of a node of so many ranks, which have these sums. Part: the times of the only thing in the node that has some;
  /// null if there are more.
  void nodeTimes(uint64_t Ranks, uint64_t InMpi, uint64_t Outside, const NodeTimes *Part, NodeTimes &N) {
    if (Part && Ranks > 1 && !damaged(Part->InMpi.Count > Ranks) && flag(IsPart, N == *Part))
      N = *Part;
    else
      two(Ranks, {InMpi, Outside}, N.InMpi, N.Outside);
  }

  /// A spread of Count numbers.
  Spread spread(MeasureNumber K, uint64_t Count, const Spread &S) {
    Spread Out;
    Out.Count = Count;
    if (!Count)
      return Out;
    if (IsExact)
      Out.Sum = part(K, SpreadNumber::Sum, S.Sum);
    else
      Out.Sum = relative(K, SpreadNumber::Sum, roundedOff(S.Sum, SumDigits), Count, SumDigits);
    rest(K, Out, S);
    if (HasBins && (K == MeasureNumber::Duration || IsBinnedByPath))
      Out.Bins = bins(K, S.Bins);
    return Out;
  }

private:
  using TwoSums = std::pair<uint64_t, uint64_t>;

  enum Flag : uint8_t { IsKnown, HasTimes, IsAllRanks, IsSameRank, IsOnce, IsPart, Flags };
  bool flag(Flag F, bool V) { return C.bit(FlagModels[F], V); }
  bool damaged(bool Is) {
    IsDamaged |= Is;
    return Is;
  }

  /// Two spreads of the same ranks, whose sums both know.
  void two(uint64_t All, const TwoSums &Sums, Spread &A, Spread &B) {
    const uint64_t Ranks = flag(IsAllRanks, A.Count == All) ? All : number(MeasureNumber::Ranks, A.Count);
    if (damaged(Ranks > All))
      return;
    rest(MeasureNumber::RankDuration, Ranks, Sums.first, A);
    rest(MeasureNumber::RankGap, Ranks, Sums.second, B);
  }
  void rest(MeasureNumber K, uint64_t Count, uint64_t Sum, Spread &S) {
    Spread Out;
    Out.Count = Count;
    Out.Sum = Count ? Sum : 0;
    if (Count)
      rest(K, Out, S);
    S = Out;
  }

  void path(GapPath &P, uint32_t Index, uint32_t Event) {
    P.K = kind(P.K);
    if (P.K == GapPath::Event)
      P.Which = distance(MeasureNumber::PathEvent, Event, P.Which);
    if (P.K == GapPath::Call)
      P.Which = distance(MeasureNumber::PathCall, Index, P.Which);
  }
  /// A number below 2^32, as how far it lies before the own one.
  uint32_t distance(MeasureNumber K, uint32_t Own, uint32_t V) {
    const auto Back = static_cast<uint64_t>(unzigzag(number(K, zigzag(int64_t(Own) - int64_t(V)))));
    const uint64_t Other = Own - Back;
    return damaged(Other > UINT32_MAX) ? 0 : static_cast<uint32_t>(Other);
  }
  GapPath::Kind kind(GapPath::Kind K) {
    const unsigned High = C.bit(PathModels[0], K >> 1);
    return static_cast<GapPath::Kind>(High << 1 | C.bit(PathModels[1 + High], K & 1));
  }

  /// Any number below 2^64.
  uint64_t number(MeasureNumber K, uint64_t V) { return digits(magnitude(Numbers[index(K)], width(V)), V, 64); }
  /// One of which only the first digits are written, unless the trace is exact. Not more than V.
  uint64_t roundedDown(MeasureNumber K, uint64_t V) {
    return digits(magnitude(Numbers[index(K)], width(V)), V, IsExact ? 64 : SumDigits);
  }

  /// Durations' or gaps'. The number of times before helps to foresee the next one.
  TimeHistogram bins(MeasureNumber K, const TimeHistogram &H) {
    TimeHistogram Out;
    const uint64_t Bins = number(MeasureNumber::Bins, H.Counts.size());
    if (!Bins || damaged(Bins > TimeBins::MaxSymbols))
      return Out;
    Out.Error = BinError;
    const uint64_t First = number(MeasureNumber::FirstBin, H.First);
    if (damaged(First > TimeBins::MaxSymbols))
      return {};
    Out.First = static_cast<uint32_t>(First);
    Out.Counts.resize(Bins);
    unsigned Before = 0;
    for (size_t I = 0; I < Bins; ++I) {
      const uint64_t V = I < H.Counts.size() ? H.Counts[I] : 0, Rounded = IsExact ? V : roundedOff(V, BinDigits);
      Models &M = BinModels[K == MeasureNumber::Gap][std::min(Before / 2, MostBefore)];
      Before = magnitude(M, width(Rounded));
      Out.Counts[I] = digits(Before, Rounded, IsExact ? 64 : BinDigits);
    }
    return Out;
  }

  /// A spread whose count, which is not 0, and sum are known to both; Out has them.
  void rest(MeasureNumber K, Spread &Out, const Spread &S) {
    if (Out.Count == 1) {
      Out = Spread::of(Out.Sum, 0);
      Out.MinRank = Out.MaxRank = rank(K, 0, S.MinRank);
      return;
    }
    if (IsExact) {
      Out.Squares = UInt128(part(K, SpreadNumber::Squares, static_cast<uint64_t>(S.Squares >> 64))) << 64;
      Out.Squares |= part(K, SpreadNumber::Squares, static_cast<uint64_t>(S.Squares));
      Out.Min = part(K, SpreadNumber::Min, S.Min);
      Out.Max = part(K, SpreadNumber::Max, S.Max);
    } else {
      const unsigned Digits = K >= MeasureNumber::RankDuration ? RankDigits : CallDigits;
      const uint64_t Mean = Out.Sum / Out.Count;
      const auto Deviation = roundedOff(static_cast<uint64_t>(S.deviation() * Units + 0.5), DeviationDigits);
      setDeviation(Out, relative(K, SpreadNumber::Deviation, Deviation, Mean, DeviationDigits));
      Out.Min = relative(K, SpreadNumber::Min, S.Min, Mean, Digits);
      Out.Max = relative(K, SpreadNumber::Max, roundedUp(S.Max, Digits), Mean, Digits);
    }
    Out.MinRank = rank(K, 0, S.MinRank);
    Out.MaxRank = rank(K, 1, S.MaxRank);
  }

  static constexpr unsigned SumDigits = 14, RankDigits = 7, OtherDigits = 5, DeviationDigits = 5,
                            BinDigits = 6; ///< binary ones
  static constexpr uint64_t Units = 16;    ///< of a nanosecond, in which deviations are written
  static constexpr uint32_t NoRank = UINT32_MAX;
  using Models = std::array<BitModel, 128>;

  static size_t index(MeasureNumber K) { return static_cast<size_t>(K); }
  Models &model(MeasureNumber K, SpreadNumber N) {
    return Spreads[index(K) - index(MeasureNumber::Duration)][static_cast<size_t>(N)];
  }
  static unsigned width(uint64_t V) { return static_cast<unsigned>(std::bit_width(V)); }

  /// A number below 128.
  unsigned magnitude(Models &M, unsigned V) {
    unsigned Node = 1;
    for (int I = 6; I >= 0; --I)
      Node = Node << 1 | C.bit(M[Node], V >> I & 1);
    return Node & 127;
  }
  /// A number of so many binary digits, of which the first Most are written; the others are 0.
  uint64_t digits(unsigned Width, uint64_t V, unsigned Most) {
    Width = std::min(Width, 64u);
    if (Width < 2)
      return Width;
    const unsigned Written = std::min(Width, Most) - 1, Left = Width - 1 - Written;
    const uint64_t Mask = (uint64_t(1) << Written) - 1;
    return ((uint64_t(1) << Written) | C.raw(Written, V >> Left & Mask)) << Left;
  }
  uint64_t part(MeasureNumber K, SpreadNumber N, uint64_t V) { return digits(magnitude(model(K, N), width(V)), V, 64); }
  /// A number that has about as many digits as Base.
  uint64_t relative(MeasureNumber K, SpreadNumber N, uint64_t V, uint64_t Base, unsigned Most) {
    const unsigned Offset = 64 - width(Base);
    return digits((magnitude(model(K, N), (width(V) + Offset) & 127) - Offset) & 127, V, Most);
  }
  uint32_t rank(MeasureNumber K, unsigned Which, uint32_t Rank) {
    if (OnlyRank != NoRank)
      return OnlyRank;
    uint32_t &Last = LastRanks[index(K)][Which];
    if (!flag(IsSameRank, Rank == Last))
      Last = static_cast<uint32_t>(C.raw(RankBits, Rank));
    return Last;
  }

  static uint64_t roundedOff(uint64_t V, unsigned Digits) {
    const unsigned Left = width(V) > Digits ? width(V) - Digits : 0;
    const uint64_t Half = Left ? uint64_t(1) << (Left - 1) : 0;
    return V > UINT64_MAX - Half ? V : (V + Half) >> Left << Left;
  }
  static uint64_t roundedUp(uint64_t V, unsigned Digits) {
    const unsigned Left = width(V) > Digits ? width(V) - Digits : 0;
    const uint64_t Mask = (uint64_t(1) << Left) - 1;
    return V > UINT64_MAX - Mask ? V : (V + Mask) & ~Mask;
  }
  static void setDeviation(Spread &S, uint64_t Deviation) {
    UInt128 Around = UInt128(Deviation) * Deviation;
    if (__builtin_mul_overflow(Around, UInt128(S.Count), &Around))
      Around = ~UInt128(0);
    const UInt128 OfMean = UInt128(S.Sum) * S.Sum;
    constexpr uint64_t PerSquare = Units * Units;
    // What is left of both divisions, rounded to the nearest: squares of whole numbers add up to one.
    const UInt128 Left = Around % PerSquare * S.Count + OfMean % S.Count * PerSquare,
                  Whole = UInt128(PerSquare) * S.Count;
    S.Squares = Around / PerSquare + (Left + Whole / 2) / Whole;
    if (__builtin_add_overflow(S.Squares, OfMean / S.Count, &S.Squares))
      S.Squares = ~UInt128(0);
  }

  Coder &C;
  bool IsExact = false, IsDamaged = false, HasBins = false, IsBinnedByPath = false;
  unsigned CallDigits = OtherDigits; ///< of the least and the largest time of calls
  std::set<MeasuredPlace> Often;     ///< of the event at hand: where ranks may have made several calls
  uint32_t BinError = 0;
  uint32_t OnlyRank;
  unsigned RankBits;
  BitModel FlagModels[Flags], PathModels[3];
  std::array<Models, static_cast<size_t>(MeasureNumber::Duration)> Numbers;
  std::array<std::array<Models, static_cast<size_t>(SpreadNumber::Kinds)>,
             static_cast<size_t>(MeasureNumber::Kinds) - static_cast<size_t>(MeasureNumber::Duration)>
      Spreads;
  static constexpr unsigned MostBefore = 7;
  Models BinModels[2][MostBefore + 1]; ///< of durations and gaps, by the number of times in the bin before
  uint32_t LastRanks[static_cast<size_t>(MeasureNumber::Kinds)][2] = {};
};

} // namespace pilgrim

#endif
