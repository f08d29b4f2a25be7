//===- CompareRankSums.cpp - what each rank needed at a place --------------===//
//
// The distribution over ranks of each rank's own sums: of a function, site and depth at an event, and of the calls in a
// node and all below it.
//
//===----------------------------------------------------------------------===//
#include "verify/CompareTotals.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace pilgrim {

namespace {
/// The sums of the ranks that have one, as they are added up. Each time in a sum is cut to whole nanoseconds.
struct RankSums {
  explicit RankSums(size_t Ranks) : Sums(Ranks), Calls(Ranks), Has(Ranks) {}
  std::vector<uint64_t> Sums, Calls;
  std::vector<bool> Has;
  bool IsKnown = true;

  std::string compare(const Spread &Is, std::span<const uint32_t> Ranks) const;
};
} // namespace

/// How a file rounds (docs/timing.md): sums to 14 binary digits, deviations to 5, extremes to 7.
std::string RankSums::compare(const Spread &Is, std::span<const uint32_t> Ranks) const {
  if (!IsKnown)
    return "";
  Spread Was;
  uint64_t Cut = 2; // by which a rank's sum may be too small
  for (size_t R = 0; R < Ranks.size(); ++R)
    if (Has[R]) {
      Was.add(Spread::of(Sums[R], Ranks[R]));
      Cut = std::max(Cut, Calls[R] + 2);
    }
  const auto More = static_cast<double>(Cut), Mean = Was.mean();
  auto Differs = [&](const char *What, double A, double B, double Error, double Most) {
    return std::abs(A - B) <= std::max(A, B) * Error + Most
               ? ""
               : std::string(What) + " " + std::to_string(A) + " for " + std::to_string(B);
  };
  auto Number = [](uint64_t V) { return static_cast<double>(V); };
  std::string Why = Differs("ranks", Number(Is.Count), Number(Was.Count), 0, 0);
  if (!Why.empty() || !Was.Count)
    return Why;
  Why = Differs("sum of ranks", Number(Is.Sum), Number(Was.Sum), 1.0 / (1 << 13) + 0.001, More * Number(Was.Count));
  if (Why.empty())
    Why = Differs("deviation of ranks", Is.deviation(), Was.deviation(), 1.0 / (1 << 4) + 0.001,
                  2 * More + 2 * std::sqrt(Mean) + Mean / 1000);
  if (Why.empty())
    Why = Differs("least of ranks", Number(Is.Min), Number(Was.Min), 1.0 / (1 << 6) + 0.001, More);
  if (Why.empty())
    Why = Differs("largest of ranks", Number(Is.Max), Number(Was.Max), 1.0 / (1 << 6) + 0.001, More);
  for (size_t R = 0; R < Ranks.size() && Why.empty(); ++R) {
    if (Ranks[R] == Is.MinRank)
      Why = Differs("least, on its rank,", Number(Sums[R]), Number(Was.Min), 0.001, More);
    if (Ranks[R] == Is.MaxRank && Why.empty())
      Why = Differs("largest, on its rank,", Number(Sums[R]), Number(Was.Max), 0.001, More);
  }
  return Why;
}

std::string TrueTotals::compareRankSums(std::span<const uint64_t> All, std::span<const uint32_t> Ranks) const {
  auto Add = [&](RankSums &To, const Part &P) {
    for (size_t R = 0; R < Ranks.size(); ++R) {
      const uint64_t *W = &All[R * Words.size() + P.At];
      To.IsKnown &= !W[Unknown];
      To.Has[R] = To.Has[R] || W[Count];
      addProduct(To.Sums[R], W[Sum], 1);
      To.Calls[R] += W[Count];
    }
  };
  std::map<std::pair<uint32_t, uint32_t>, RankSums> InMpi; // by group and node
  using Place = std::tuple<uint32_t, uint32_t, uint32_t, MeasuredPlace>;
  std::map<Place, std::pair<RankSums, RankSums>> Places;
  for (const auto &[M, Own] : Homes) {
    if (!M->hasTimes())
      continue;
    auto &[Durations, Gaps] =
        Places.try_emplace({Own.Group, Own.Node, Own.Event, M->Place}, RankSums(Ranks.size()), RankSums(Ranks.size()))
            .first->second;
    Add(Durations, Parts[Own.Parts]);
    Add(Gaps, Parts[Own.Parts + 1]);
    if (M->Place.Depth || !T.data().isCall(M->Place.Function))
      continue;
    for (uint32_t N = Own.Node;; N = T.data().Groups[Own.Group].Nodes[N].Parent) {
      Add(InMpi.try_emplace({Own.Group, N}, RankSums(Ranks.size())).first->second, Parts[Own.Parts]);
      if (!N)
        break;
    }
  }
  for (const auto &[At, Sums] : Places) {
    const auto &[G, N, E, Of] = At;
    const auto &In = T.data().Groups[G].Nodes[N].Events.at(E).Places;
    const auto Found = In.find(Of);
    const auto Function = T.functions().find(Of.Function);
    if (Function == T.functions().end() || !isCall(Function->second))
      continue;
    std::string Why =
        Found == In.end() ? "ranks' sums are not there" : Sums.first.compare(Found->second.Durations, Ranks);
    if (Why.empty())
      Why = Sums.second.compare(Found->second.Gaps, Ranks);
    if (!Why.empty())
      return "totals of " + Function->second.Name + " " + Why;
  }
  for (auto &[At, Sums] : InMpi) {
    const NodeData &N = T.data().Groups[At.first].Nodes[At.second];
    for (size_t R = 0; R < Ranks.size(); ++R)
      Sums.Has[R] = N.Ranks.contains(Ranks[R]);
    if (std::string Why = Sums.compare(N.Times.InMpi, Ranks); !Why.empty())
      return "totals in MPI of node " + std::to_string(At.second) + " " + Why;
  }
  return "";
}

} // namespace pilgrim
