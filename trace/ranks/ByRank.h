//===- ByRank.h - numbers that differ by rank -------------------*- C++ -*-===//
//
// The places of a list where ranks differ, each with a function of the world rank. Ranks may so share a sequence or a
// stream that is not quite the same for all of them (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_BYRANK_H
#define PILGRIM_TRACE_RANKS_BYRANK_H

#include "trace/ranks/RankFn.h"
#include "trace/ranks/RankSet.h"
#include "trace/ranks/Shortener.h"

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace pilgrim {

using ByRank = std::map<uint32_t, RankFn>;

/// One side of a join. Number(place) gives the number at each place. Own has the places where the side's ranks differ;
/// Number means nothing there.
struct NumbersByRank {
  const RankSet &Ranks;
  const ByRank &Own;
  std::function<int64_t(uint32_t)> Number;
};

/// Extends To, which is A's functions or a copy of them, by B. False: too many of the N numbers differ, and To is
/// unchanged.
bool joinByRank(ByRank &To, const NumbersByRank &A, const NumbersByRank &B, uint32_t N, uint32_t World);
/// Calls F(ranks, numbers by place) once for each set of ranks with the same numbers, in the order of the sets' first
/// ranks. If there are many such sets, F is called once for each rank.
void forEachAlike(const ByRank &X, const RankSet &Ranks, uint32_t World,
                  const std::function<void(const RankSet &, const std::map<uint32_t, int64_t> &)> &F);
/// The same sets; nothing if there are many.
std::optional<std::vector<RankSet>> ranksAlike(const ByRank &X, const RankSet &Ranks, uint32_t World);
/// Divides sets of ranks by Ranks, and by the sets of these with the same numbers. False: there are many, and sets were
/// divided by Ranks only.
bool splitSets(std::vector<RankSet> &Sets, const ByRank &X, const RankSet &Ranks, uint32_t World);
/// Keeps one explanation of each function, and makes the function short. Known: for functions in the context of the
/// world.
void chooseByRank(ByRank &X, const RankSet &Ranks, uint32_t World, Shortener &Known);

// Below, Of is a struct with Ranks, and Functions of the places where they differ. Shared is its member that they
// share, with placeholders at these places. numbersOf(X.*Shared) gives access to the numbers: size(), get(place),
// set(place, number), placeholder(place), and, of numbers that are a length, their limits.

/// The shared value with the numbers of one of the ranks.
template <typename Of, typename T> T valueFor(uint32_t Rank, const Of &X, T Of::*Shared, uint32_t World) {
  T Out = X.*Shared;
  auto Numbers = numbersOf(Out);
  for (const auto &[Place, F] : X.Functions)
    Numbers.set(Place, F.eval(Rank, {Rank, World}));
  return Out;
}

/// Calls F for each set of ranks with the same numbers, with a struct like X that has these numbers and no functions.
/// The argument is valid during the call.
template <typename Of, typename T, typename Fn> void forEachPart(const Of &X, T Of::*Shared, uint32_t World, Fn &&F) {
  if (X.Functions.empty())
    return F(X);
  Of Part = X;
  Part.Functions.clear();
  auto Numbers = numbersOf(Part.*Shared);
  forEachAlike(X.Functions, X.Ranks, World, [&](const RankSet &Own, const std::map<uint32_t, int64_t> &At) {
    Part.Ranks = Own;
    for (const auto &[Place, N] : At)
      Numbers.set(Place, N);
    F(static_cast<const Of &>(Part));
  });
}

/// Takes in Other's ranks and numbers, where all but numbers is the same. False: too many differ, and nothing changes.
template <typename Of, typename T> bool joinNumbers(Of &To, const Of &Other, T Of::*Shared, uint32_t World) {
  auto Own = numbersOf(To.*Shared);
  const auto Its = numbersOf(Other.*Shared);
  if (!joinByRank(To.Functions, {To.Ranks, To.Functions, [&](uint32_t Place) { return Own.get(Place); }},
                  {Other.Ranks, Other.Functions, [&](uint32_t Place) { return Its.get(Place); }},
                  static_cast<uint32_t>(Own.size()), World))
    return false;
  for (const auto &[Place, F] : To.Functions)
    Own.set(Place, Own.placeholder(Place));
  To.Ranks.unite(Other.Ranks);
  return true;
}

/// For decoders: whether all ranks have lengths that are allowed.
template <typename Of, typename T> bool areLengthsSane(const Of &X, T Of::*Shared, uint32_t World) {
  T Longest = X.*Shared;
  auto Numbers = numbersOf(Longest);
  for (const auto &[Place, F] : X.Functions) {
    if (!Numbers.isLength(Place))
      continue;
    const auto [Least, Most] = F.range(X.Ranks, World);
    if (Least < Numbers.least(Place) || Most > Numbers.Most)
      return false;
    Numbers.set(Place, Most);
  }
  return Longest.isShort();
}

} // namespace pilgrim

#endif
