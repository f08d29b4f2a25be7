//===- RootGroup.h - a group without structure, from its parts --*- C++ -*-===//
#ifndef PILGRIM_TEST_ROOTGROUP_H
#define PILGRIM_TEST_ROOTGROUP_H

#include "trace/TraceData.h"

namespace pilgrim::test {

/// Makes all calls items of the thread itself: terminal N is signature N. Each takes so many nanoseconds, if any.
inline void setCalls(Group &G, const RankSet &Ranks, GrammarData Calls, std::map<SlotStreamKey, IntStream> &Streams,
                     uint64_t Duration, uint64_t Gap) {
  NodeData &Root = G.Nodes[0];
  Root.Ranks = Ranks;
  auto Counts = Calls.terminalCounts();
  EventData &E = Root.Events[0];
  RankedItems &X = E.Items.emplace_back();
  X.Ranks = Ranks;
  X.Order = std::move(Calls);
  G.Timed = Duration != 0;
  for (uint32_t I = 0; I < Counts.size(); ++I) {
    X.Items.push_back({false, I});
    if (G.Timed)
      G.table(TableId::Signatures)[I][0].Time = {Counts[I] * Duration, Counts[I] * Gap};
  }
  for (auto &[Key, S] : Streams)
    E.Streams[Key].push_back({Ranks, S.data()});
}

/// The calls of a group that has no structure, or one variant of them.
inline EventData &calls(Group &G) { return G.Nodes[0].Events[0]; }

} // namespace pilgrim::test

#endif
