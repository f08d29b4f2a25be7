//===- RankTimes.h - what the calls of each rank took ------------*- C++ -*-===//
//
// A trace has what calls of all ranks took together, and at each place of the program how the ranks' own sums are
// distributed: which ranks had the least and the largest, and what these were. So the time of a rank is known where it
// made its calls alone, and where it is one of these two. Other ranks have a share, by the number of their calls, of
// what is left of the sum: a mean.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_RANKTIMES_H
#define PILGRIM_DRIVER_RANKTIMES_H

#include "driver/RankSums.h"
#include "trace/model/Measure.h"
#include "trace/read/Walk.h"

#include <map>
#include <optional>

namespace pilgrim {

/// The largest of the ranks' sums. It was rounded up, and all together are not less.
inline uint64_t largest(const Spread &Sums) { return std::min(Sums.Max, Sums.Sum); }

/// What a rank has of the ranks' sums, if this is known.
inline std::optional<uint64_t> ownSum(const Spread &Sums, uint32_t Rank) {
  if (Sums.Count > 1 && Sums.MinRank == Sums.MaxRank)
    return Sums.Sum / Sums.Count; // all had the same
  if (Sums.Count && Rank == Sums.MinRank)
    return std::min(Sums.Min, Sums.Sum);
  if (Sums.Count && Rank == Sums.MaxRank)
    return Sums.Count == 2 ? Sums.Sum - std::min(Sums.Min, Sums.Sum) : largest(Sums);
  return std::nullopt;
}

/// What each of some neighbours needed.
struct RankPart {
  uint32_t First, Last;
  MeasuredPart Of;
};
/// Nanoseconds of each rank, and whether some of them are a mean: then the other number is not 0.
using RankParts = RankSums<2>;

/// Calls F(first rank, last rank, part of each of them) for what is known of parts of all ranks, ascending. Shares: by
/// the number of calls, in the order of ranks. Sums: how the ranks' sums are distributed; without a number where nobody
/// knows.
template <typename Fn> void forEachPart(std::vector<RankPart> Shares, const Spread &Sums, Fn &&F) {
  const bool AreAlike = Sums.Count > 1 && Sums.MinRank == Sums.MaxRank;
  std::vector<RankPart> All;
  UInt128 Known = 0, Shared = 0;
  auto Add = [&](uint64_t First, uint64_t End, MeasuredPart Of) {
    if (First == End)
      return;
    (Of.IsMean ? Shared : Known) += UInt128(Of.Sum) * (End - First);
    All.push_back({static_cast<uint32_t>(First), static_cast<uint32_t>(End - 1), Of});
  };
  for (const RankPart &P : Shares) {
    uint64_t Next = P.First;
    if (P.Of.IsMean && Sums.Count)
      for (const uint32_t Rank : {std::min(Sums.MinRank, Sums.MaxRank), std::max(Sums.MinRank, Sums.MaxRank)})
        if (Rank >= Next && Rank <= P.Last) {
          Add(Next, Rank, P.Of);
          Add(Rank, uint64_t(Rank) + 1, {*ownSum(Sums, Rank), false});
          Next = uint64_t(Rank) + 1;
        }
    Add(Next, uint64_t(P.Last) + 1, P.Of);
  }
  const UInt128 Left = Sums.Sum - std::min<UInt128>(Known, Sums.Sum);
  const double Scale = Shared ? static_cast<double>(Left) / static_cast<double>(Shared) : 0;
  for (RankPart &P : All) {
    if (P.Of.IsMean && AreAlike)
      P.Of = {*ownSum(Sums, P.First), false};
    else if (P.Of.IsMean && Sums.Count) {
      const double Share = static_cast<double>(P.Of.Sum) * Scale;
      P.Of.Sum = std::clamp(Share < 0x1p63 ? static_cast<uint64_t>(Share) : UINT64_MAX,
                            std::min(Sums.Min, largest(Sums)), largest(Sums));
    }
    F(P.First, P.Last, P.Of);
  }
}
template <typename Fn> void forEachPart(const RankParts &Shares, const RankSet &Ranks, const Spread &Sums, Fn &&F) {
  std::vector<RankPart> Of;
  Shares.forEach(Ranks, [&](uint32_t First, uint32_t Last, const RankParts::Numbers &N) {
    Of.push_back({First, Last, {N[0], N[1] != 0}});
  });
  forEachPart(std::move(Of), Sums, F);
}

/// The calls of all ranks at one place of an event.
class PlaceCalls {
public:
  /// Adds N calls of M on each of Ranks. M must stay where it is.
  void add(const Measure &M, const RankSet &Ranks, uint64_t N) {
    Own &O = Of[&M];
    O.Ranks.unite(Ranks);
    O.Calls.push_back({Ranks, N});
  }

  /// Calls F(first rank, last rank, what each of them needed). Sums: of the place.
  template <typename Fn> void forEach(const Spread &Sums, Fn &&F) const {
    std::vector<RankPart> One;
    RankParts Parts;
    RankSet Ranks;
    for (const auto &[M, O] : Of) {
      uint64_t N = 0;
      for (const RankedCount &X : O.Calls)
        N += X.Ranks.size();
      if (Of.size() == 1 && N == O.Ranks.size()) { // the most frequent case takes no search
        for (const RankedCount &X : O.Calls)
          for (const RankSet::Interval &I : X.Ranks.intervals())
            One.push_back({I.First, I.Last, M->part(Metric::Duration, X.N)});
        std::ranges::sort(One, {}, &RankPart::First);
        return forEachPart(std::move(One), Sums, F);
      }
      Ranks.unite(O.Ranks);
      RankSums<1> Calls;
      for (const RankedCount &X : O.Calls)
        Calls.add(X.Ranks, {X.N});
      Calls.forEach(O.Ranks, [&, M = M](uint32_t First, uint32_t Last, const RankSums<1>::Numbers &Each) {
        const MeasuredPart P = M->part(Metric::Duration, Each[0]);
        Parts.add(RankSet::between(First, Last), {P.Sum, P.IsMean});
      });
    }
    forEachPart(Parts, Ranks, Sums, F);
  }

  /// What some ranks needed together. Of all that made the calls that is exact.
  MeasuredPart total(const Spread &Sums, const RankSet &Wanted) const {
    MeasuredPart All;
    if (std::ranges::all_of(Of, [&](const auto &X) { return X.second.Ranks.without(Wanted).empty(); })) {
      for (const auto &[M, O] : Of)
        All.add({M->sum(Metric::Duration), false});
      return All;
    }
    forEach(Sums, [&](uint32_t First, uint32_t Last, const MeasuredPart &P) { add(All, First, Last, P, Wanted); });
    return All;
  }

  /// Adds the parts of those of these ranks that are wanted.
  static void add(MeasuredPart &All, uint32_t First, uint32_t Last, const MeasuredPart &P, const RankSet &Wanted) {
    if (const uint64_t Ranks = commonSize(RankSet::between(First, Last), Wanted)) {
      addProduct(All.Sum, P.Sum, Ranks);
      All.IsMean |= P.IsMean;
    }
  }

private:
  struct Own {
    RankSet Ranks;
    std::vector<RankedCount> Calls;
  };
  std::map<const Measure *, Own> Of;
};

} // namespace pilgrim

#endif
