//===- Soundness.cpp - whether a trace can be read to its end -------------===//
#include "trace/read/Soundness.h"

#include <algorithm>

namespace pilgrim {

bool areAtLeast(const IntStreamData &S, int64_t Least) {
  if (S.AreSteps)
    return false;
  bool Are = true;
  S.forEachRun([&](const LinearRun &R, uint64_t Times) {
    const __int128 Last = R.First + static_cast<__int128>(R.Stride) * (static_cast<__int128>(R.Count) - 1);
    Are &= !Times || !R.Count || (R.First >= Least && Last >= Least && Last <= INT64_MAX);
  });
  return Are;
}

uint64_t sumOfCounts(const IntStreamData &S) {
  uint64_t Sum = 0;
  S.forEachRun([&](const LinearRun &R, uint64_t Times) {
    // Pairs from both ends of a run have the same sum.
    const __int128 Last = R.First + static_cast<__int128>(R.Stride) * (static_cast<__int128>(R.Count) - 1);
    const __int128 Ends = R.First + Last;
    const uint64_t Twice =
        Ends < 0 || Ends >= Tally::Unknown ? Tally::Unknown : tallyProduct(static_cast<uint64_t>(Ends), R.Count);
    Sum = tallySum(Sum, tallyProduct(Twice == Tally::Unknown ? Twice : Twice / 2, Times));
  });
  return Sum;
}

void addItems(Tally &To, const Group &G, const EventData &E, uint32_t World, bool Nodes, ByteReader *Payer) {
  for (const RankedItems &X : E.Items) {
    const std::vector<Tally> Calls = X.calls(World);
    uint64_t OfAll = 0; // what all ranks have equally often is added once
    for (size_t I = 0; I < X.Items.size() && I < Calls.size(); ++I) {
      auto Add = [&](const RankSet &Own) {
        if (X.Functions.empty() && Own == X.Ranks)
          OfAll = tallySum(OfAll, Calls[I].of(Own.first()));
        else if (!Own.empty())
          To.add(Calls[I], Own, Payer);
      };
      if (X.Items[I].IsNode) {
        if (Nodes)
          Add(X.Ranks);
        continue;
      }
      // Ranks that a signature lacks do not have its calls.
      for (const Variant &V : G.table(TableId::Signatures)[X.Items[I].Index])
        Add(X.Ranks.isIn(V.Ranks) ? X.Ranks : V.Ranks.common(X.Ranks));
    }
    if (OfAll)
      To.add(X.Ranks, OfAll, Payer);
  }
}

/// A rank is in one sequence of an event, and in no other ranks' group.
static std::string findRanksTwice(const TraceData &D) {
  std::string Problem;
  for (const Group &G : D.Groups)
    G.forEachEvent([&](const NodeData &, uint32_t, const EventData &E) {
      RankSet Seen;
      uint64_t Members = 0;
      for (const RankedItems &X : E.Items) {
        Seen.unite(X.Ranks);
        Members += X.Ranks.size();
      }
      if (Seen.size() != Members || !Seen.without(G.ranks()).empty())
        Problem = "damaged: a rank has two sequences of calls at one place";
    });
  return Problem;
}

std::string findInconsistency(const Trace &T) {
  const TraceData &D = T.data();
  std::string Problem = findRanksTwice(D);
  if (Problem.empty())
    Problem = findBadStructure(D);
  if (Problem.empty())
    Problem = findBadStreams(T);
  if (Problem.empty())
    Problem = findBadTurns(D);
  for (const auto &[Id, F] : D.Functions)
    if (Problem.empty() && F.Slots.empty())
      Problem = "damaged: a function without a return code";
  return Problem;
}

/// Rank and size in a communicator, window or file must fit each other, on each rank that uses it.
static std::string badObject(const Variant &V, uint32_t World) {
  const auto K = static_cast<Kind>(V.Tokens[0]);
  if (V.Ranks.empty() || (K != Kind::Comm && K != Kind::Win && K != Kind::File))
    return "";
  const RankFn &Own = V.Words[1], &Size = V.Words[2];
  // Mostly all are below the smallest size; else each rank is looked at.
  if (Own.range(V.Ranks, World).second < Size.range(V.Ranks, World).first)
    return "";
  std::string Problem;
  V.Ranks.forEach([&](uint32_t Rank) {
    const int64_t Number = Own.eval(Rank, {Rank, World}), Of = Size.eval(Rank, {Rank, World});
    if (Problem.empty() && Of > 0 && Number >= Of)
      Problem = "damaged: rank " + std::to_string(Rank) + " is number " + std::to_string(Number) + " of " +
                std::to_string(Of) + " in an object";
  });
  return Problem;
}

std::string findBadObject(const Trace &T) {
  for (const Group &G : T.data().Groups)
    for (const Entry &E : G.table(TableId::Objects))
      for (const Variant &V : E)
        if (std::string Problem = badObject(V, T.world()); !Problem.empty())
          return Problem;
  return "";
}

} // namespace pilgrim
