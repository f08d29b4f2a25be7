//===- CompareTotals.cpp - totals of times, and true times ----------------===//
#include "verify/CompareTotals.h"
#include "trace/times/TimeBins.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pilgrim {

/// Ticks were made nanoseconds by a factor that is good to a percent while a program runs.
static constexpr double FactorError = 0.02;
/// How a file rounds (docs/timing.md): sums and counts of paths to 14 binary digits, deviations and extremes to 5,
/// counts in bins to 6.
static constexpr double SumError = 1.0 / (1 << 13), ExtremeError = 1.0 / (1 << 4), CountError = 1.0 / (1 << 5);

TrueTotals::TrueTotals(const Trace &T, double NanoPerTick) : T(T), NanoPerTick(NanoPerTick) {
  for (uint32_t G = 0; G < T.data().Groups.size(); ++G)
    for (uint32_t N = 0; N < T.data().Groups[G].Nodes.size(); ++N)
      for (const auto &[Id, E] : T.data().Groups[G].Nodes[N].Events)
        for (uint32_t I = 0; I < E.Measures.size(); ++I) {
          const Measure &M = E.Measures[I];
          Homes[&M] = {G, N, Id, I, Parts.size()};
          addPart("", M.Duration);
          addPart("gaps: ", M.gaps());
          Parts.back().IsOfPaths = M.Gaps.size() > 1;
          for (const PathGap &P : M.Gaps)
            addPart("gaps of a path: ", P.Gap);
        }
}

void TrueTotals::addPart(const char *What, Spread Is) {
  Part P{What, std::move(Is), false, Words.size(), {}, {}};
  const TimeHistogram &H = P.Is.Bins;
  const TimeBins B(TimeBound{H.Error, 0});
  const double Ratio = 1 + H.Error / 1e6;
  for (size_t I = 0; I < H.Counts.size(); ++I) {
    const auto V = static_cast<double>(B.value(H.First + static_cast<uint32_t>(I)));
    P.Surely.push_back(static_cast<uint64_t>(std::max(V * Ratio * (1 - FactorError) - 2, 0.0)));
    P.Perhaps.push_back(static_cast<uint64_t>(V * Ratio * (1 + FactorError) + 2));
  }
  Words.resize(Words.size() + Bins + 2 * H.Counts.size());
  Words[P.At + Least] = UINT64_MAX;
  Parts.push_back(std::move(P));
}

bool TrueTotals::hasOthers(const Measure &M) {
  return std::ranges::any_of(M.Gaps, [](const PathGap &P) { return P.Path.K == GapPath::Others; });
}

void TrueTotals::count(const Part &P, uint64_t Ticks) {
  uint64_t *W = &Words[P.At];
  const auto Nano = static_cast<uint64_t>(static_cast<double>(Ticks) * NanoPerTick);
  ++W[Count];
  W[Sum] += Nano;
  W[Squares] = std::bit_cast<uint64_t>(std::bit_cast<double>(W[Squares]) +
                                       static_cast<double>(Nano) * static_cast<double>(Nano));
  W[Least] = std::min(W[Least], Nano);
  W[Largest] = std::max(W[Largest], Nano);
  auto InBin = [&](const std::vector<uint64_t> &Ends, size_t Which) {
    const auto I = static_cast<size_t>(std::ranges::lower_bound(Ends, Nano) - Ends.begin());
    if (I < Ends.size())
      ++W[Bins + 2 * I + Which];
  };
  InBin(P.Surely, 0);
  InBin(P.Perhaps, 1);
}

void TrueTotals::add(const Measure *M, uint64_t Ticks) {
  const auto Found = Homes.find(M);
  if (Found == Homes.end())
    return;
  const Part &P = Parts[Found->second.Parts];
  Words[P.At + Unknown] += !Ticks;
  count(P, Ticks);
}

void TrueTotals::addGap(const Measure *M, const Measure *After, std::optional<uint64_t> Ticks) {
  const auto Found = Homes.find(M), Before = Homes.find(After);
  if (Found == Homes.end() || !M->hasTimes())
    return;
  const Home &Own = Found->second;
  auto AddTo = [&](const Part &P) {
    if (Ticks && Before != Homes.end())
      count(P, *Ticks);
    else
      ++Words[P.At + Unknown];
  };
  AddTo(Parts[Own.Parts + 1]);
  GapPath Path;
  if (Before != Homes.end()) {
    const Home &Last = Before->second;
    const bool IsHere = Last.Node == Own.Node && Last.Event == Own.Event;
    Path = IsHere ? GapPath{GapPath::Call, 0, Last.Which} : GapPath{GapPath::Event, Last.Node, Last.Event};
  }
  const auto At = std::ranges::find(M->Gaps, Path, &PathGap::Path);
  if (At != M->Gaps.end())
    AddTo(Parts[Own.Parts + 2 + static_cast<size_t>(At - M->Gaps.begin())]);
}

std::string TrueTotals::compare(std::span<const uint64_t> All, std::span<const uint32_t> Ranks) const {
  for (const auto &[M, Own] : Homes) {
    const auto Function = T.functions().find(M->Place.Function);
    // What the tracer puts between calls takes no time.
    if (Function == T.functions().end() || !isCall(Function->second) || !M->hasTimes())
      continue;
    // Which paths are not told apart depends on the rank.
    const bool HasPaths = !hasOthers(*M);
    std::string Why;
    for (size_t I = 0; I < (HasPaths ? M->Gaps.size() : 0) + 2 && Why.empty(); ++I)
      Why = compare(Parts[Own.Parts + I], All, Ranks);
    if (!Why.empty())
      return "totals of " + Function->second.Name + " " + Why;
  }
  return compareRankSums(All, Ranks);
}

std::string TrueTotals::compare(const Part &P, std::span<const uint64_t> All, std::span<const uint32_t> Ranks) const {
  auto Of = [&](size_t Rank) { return All.subspan(Rank * Words.size() + P.At, Bins + 2 * P.Surely.size()); };
  std::vector<uint64_t> Sums(Bins + 2 * P.Surely.size());
  Sums[Least] = UINT64_MAX;
  double Square = 0;
  for (size_t R = 0; R < Ranks.size(); ++R)
    for (size_t I = 0; I < Sums.size(); ++I) {
      const uint64_t V = Of(R)[I];
      if (I == Squares)
        Square += std::bit_cast<double>(V);
      Sums[I] = I == Least ? std::min(Sums[I], V) : I == Largest ? std::max(Sums[I], V) : Sums[I] + V;
    }
  if (Sums[Unknown])
    return "";
  const Spread &S = P.Is;
  auto Differs = [&](const char *What, uint64_t Is, uint64_t Was, double Error, double More,
                     const char *Unit = " ns") -> std::string {
    const auto A = static_cast<double>(Is), B = static_cast<double>(Was);
    return std::abs(A - B) <= std::max(A, B) * Error + More
               ? ""
               : std::string(P.What) + What + " " + std::to_string(Is) + Unit + " for " + std::to_string(Was);
  };
  const bool IsDuration = !*P.What;
  const auto N = static_cast<double>(Sums[Count]);
  std::string Why = Differs("calls", S.Count, Sums[Count], IsDuration ? 0 : SumError, 0, "");
  if (!Why.empty() || !Sums[Count])
    return Why;
  // Each time is cut to whole nanoseconds, in the trace once for all.
  Why = Differs("sum", S.Sum, Sums[Sum], SumError + 0.001, N + 2);
  const double Mean = static_cast<double>(Sums[Sum]) / N,
               Deviation = std::sqrt(std::max(Square / N - Mean * Mean, 0.0));
  // The sum that the squares are taken off is of whole nanoseconds, and may be rounded where it is of several paths.
  if (Why.empty())
    Why = Differs("deviation", static_cast<uint64_t>(S.deviation()), static_cast<uint64_t>(Deviation),
                  ExtremeError + 0.001, 3 + 2 * std::sqrt(Mean) + (P.IsOfPaths ? Mean / 50 : Mean / 1000));
  if (Why.empty())
    Why = Differs("least", S.Min, Sums[Least], ExtremeError + 0.001, 2);
  if (Why.empty())
    Why = Differs("largest", S.Max, Sums[Largest], ExtremeError + 0.001, 2);
  // Which of several paths had it, a reader tells by numbers that are rounded.
  const double OnRank = P.IsOfPaths ? ExtremeError + 0.001 : 0;
  for (size_t R = 0; R < Ranks.size() && Why.empty(); ++R) {
    if (Ranks[R] == S.MinRank)
      Why = Differs("least, on its rank,", Of(R)[Least], Sums[Least], OnRank, 2);
    if (Ranks[R] == S.MaxRank && Why.empty())
      Why = Differs("largest, on its rank,", Of(R)[Largest], Sums[Largest], OnRank, 2);
  }
  // What was not counted, as there was no room, makes a histogram that readers do not show.
  uint64_t Below = 0, Surely = 0, Perhaps = 0;
  for (size_t I = 0; I < P.Surely.size() && Why.empty() && S.hasHistogram(); ++I) {
    Below += S.Bins.Counts[I];
    Surely += Sums[Bins + 2 * I];
    Perhaps += Sums[Bins + 2 * I + 1];
    const double Rounded = static_cast<double>(S.Count) * CountError + 1, Is = static_cast<double>(Below);
    if (Is + Rounded < static_cast<double>(Surely) || Is - Rounded > static_cast<double>(Perhaps))
      Why = std::string(P.What) + "histogram: " + std::to_string(Below) + " calls up to bin " +
            std::to_string(S.Bins.First + I) + " for " + std::to_string(Surely) + " to " + std::to_string(Perhaps);
  }
  return Why;
}

} // namespace pilgrim
