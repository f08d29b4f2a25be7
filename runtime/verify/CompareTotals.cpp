//===- CompareTotals.cpp - totals of times, and true times ----------------===//
#include "verify/CompareTotals.h"
#include "trace/times/TimeBins.h"

#include <algorithm>
#include <cmath>

namespace pilgrim {

/// Ticks were made nanoseconds by a factor that is good to a percent while a program runs.
static constexpr double FactorError = 0.02;
/// How a file rounds (docs/timing.md): sums to 14 binary digits, extremes to 5, counts in bins to 6.
static constexpr double SumError = 1.0 / (1 << 13), ExtremeError = 1.0 / (1 << 4), CountError = 1.0 / (1 << 5);

TrueTotals::TrueTotals(const Trace &T, double NanoPerTick) : T(T), NanoPerTick(NanoPerTick) {
  for (const Group &G : T.data().Groups)
    for (const NodeData &N : G.Nodes)
      for (const auto &[Id, E] : N.Events)
        for (const Measure &M : E.Measures) {
          Place P{&M, Words.size(), {}, {}};
          const TimeHistogram &H = M.Duration.Bins;
          const TimeBins B(TimeBound{H.Error, 0});
          const double Ratio = 1 + H.Error / 1e6;
          for (size_t I = 0; I < H.Counts.size(); ++I) {
            const auto V = static_cast<double>(B.value(H.First + static_cast<uint32_t>(I)));
            P.Surely.push_back(static_cast<uint64_t>(std::max(V * Ratio * (1 - FactorError) - 2, 0.0)));
            P.Perhaps.push_back(static_cast<uint64_t>(V * Ratio * (1 + FactorError) + 2));
          }
          Words.resize(Words.size() + Bins + 2 * H.Counts.size());
          Words[P.At + Least] = UINT64_MAX;
          PlaceOf[&M] = Places.size();
          Places.push_back(std::move(P));
        }
}

void TrueTotals::add(const Measure *M, uint64_t Ticks) {
  const auto Found = PlaceOf.find(M);
  if (Found == PlaceOf.end())
    return;
  const Place &P = Places[Found->second];
  uint64_t *W = &Words[P.At];
  const auto Nano = static_cast<uint64_t>(static_cast<double>(Ticks) * NanoPerTick);
  W[Untimed] += !Ticks;
  ++W[Calls];
  W[Sum] += Nano;
  W[Least] = std::min(W[Least], Nano);
  W[Largest] = std::max(W[Largest], Nano);
  auto Count = [&](const std::vector<uint64_t> &Ends, size_t Which) {
    const auto I = static_cast<size_t>(std::ranges::lower_bound(Ends, Nano) - Ends.begin());
    if (I < Ends.size())
      ++W[Bins + 2 * I + Which];
  };
  Count(P.Surely, 0);
  Count(P.Perhaps, 1);
}

std::string TrueTotals::compare(std::span<const uint64_t> All, std::span<const uint32_t> Ranks) const {
  for (const Place &P : Places) {
    const auto Function = T.functions().find(P.M->Place.Function);
    // What the tracer puts between calls takes no time.
    if (Function == T.functions().end() || !isCall(Function->second) || !P.M->hasTimes())
      continue;
    if (std::string Why = compare(P, All, Ranks); !Why.empty())
      return "totals of " + Function->second.Name + " " + Why;
  }
  return "";
}

std::string TrueTotals::compare(const Place &P, std::span<const uint64_t> All, std::span<const uint32_t> Ranks) const {
  auto Of = [&](size_t Rank) { return All.subspan(Rank * Words.size() + P.At, Bins + 2 * P.Surely.size()); };
  std::vector<uint64_t> Sums(Bins + 2 * P.Surely.size());
  Sums[Least] = UINT64_MAX;
  for (size_t R = 0; R < Ranks.size(); ++R)
    for (size_t I = 0; I < Sums.size(); ++I) {
      const uint64_t V = Of(R)[I];
      Sums[I] = I == Least ? std::min(Sums[I], V) : I == Largest ? std::max(Sums[I], V) : Sums[I] + V;
    }
  if (Sums[Untimed])
    return "";
  const Spread &S = P.M->Duration;
  if (S.Count != Sums[Calls])
    return "calls " + std::to_string(S.Count) + " for " + std::to_string(Sums[Calls]);
  auto Differs = [](const char *What, uint64_t Is, uint64_t Was, double Error, double More) -> std::string {
    const auto A = static_cast<double>(Is), B = static_cast<double>(Was);
    return std::abs(A - B) <= std::max(A, B) * Error + More
               ? ""
               : std::string(What) + " " + std::to_string(Is) + " ns for " + std::to_string(Was);
  };
  // Each duration is cut to whole nanoseconds, in the trace once for all.
  std::string Why = Differs("sum", S.Sum, Sums[Sum], SumError + 0.001, static_cast<double>(S.Count) + 2);
  if (Why.empty())
    Why = Differs("least", S.Min, Sums[Least], ExtremeError + 0.001, 2);
  if (Why.empty())
    Why = Differs("largest", S.Max, Sums[Largest], ExtremeError + 0.001, 2);
  for (size_t R = 0; R < Ranks.size() && Why.empty(); ++R) {
    if (Ranks[R] == S.MinRank)
      Why = Differs("least, on its rank,", Of(R)[Least], Sums[Least], 0, 2);
    if (Ranks[R] == S.MaxRank && Why.empty())
      Why = Differs("largest, on its rank,", Of(R)[Largest], Sums[Largest], 0, 2);
  }
  // What was not counted, as there was no room, makes a histogram that readers do not show.
  uint64_t Below = 0, Surely = 0, Perhaps = 0;
  for (size_t I = 0; I < P.Surely.size() && Why.empty() && S.hasHistogram(); ++I) {
    Below += S.Bins.Counts[I];
    Surely += Sums[Bins + 2 * I];
    Perhaps += Sums[Bins + 2 * I + 1];
    const double Rounded = static_cast<double>(S.Count) * CountError + 1, Is = static_cast<double>(Below);
    if (Is + Rounded < static_cast<double>(Surely) || Is - Rounded > static_cast<double>(Perhaps))
      Why = "histogram: " + std::to_string(Below) + " calls up to bin " + std::to_string(S.Bins.First + I) + " for " +
            std::to_string(Surely) + " to " + std::to_string(Perhaps);
  }
  return Why;
}

} // namespace pilgrim
