//===- RootGroup.h - a group without structure, from its parts --*- C++ -*-===//
#ifndef PILGRIM_TEST_ROOTGROUP_H
#define PILGRIM_TEST_ROOTGROUP_H

#include "trace/model/TraceData.h"
#include "trace/sequences/SlotStream.h"

namespace pilgrim::test {

using SlotColumns = std::map<SlotStreamKey, SlotStream>;

std::vector<int64_t> bytesOf(const std::string &Text);

/// The words of a slot at one call; Each: of an element.
void appendColumns(SlotColumns &To, SlotStreamKey Slot, const std::vector<int64_t> &Words, size_t Each, bool IsVector);

/// Count numbers that differ by no more than their sum asks for.
Spread alike(uint64_t Count, uint64_t Sum, uint32_t Rank);
/// A measure of so many calls with these sums.
Measure measureOf(const MeasuredPlace &Place, uint64_t Calls, uint64_t Duration, uint64_t Gap, uint32_t Rank = 0);
inline MeasuredPlace placeOf(const Variant &V) { return {V.Tokens[0], V.Tokens[1], V.Tokens[2]}; }

/// Gives each call of each event of one rank's group a measure of its own, as the runtime does: so many nanoseconds for
/// each call. The times of places and nodes are left alone.
void measureCalls(Group &G, uint64_t Duration, uint64_t Gap);

/// Makes all calls items of the thread itself: terminal N is signature N. Each takes so many nanoseconds, if any.
void setCalls(Group &G, const RankSet &Ranks, GrammarData Calls, SlotColumns &Streams, uint64_t Duration, uint64_t Gap);

/// The calls of a group that has no structure, or one variant of them.
inline EventData &calls(Group &G) { return G.Nodes[0].Events[0]; }

} // namespace pilgrim::test

#endif
