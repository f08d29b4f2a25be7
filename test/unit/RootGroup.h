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

/// Adds a value of a slot to a signature, and to the slot's streams if it is streamed. Refer gives the index of a text,
/// or of an object, in its table.
template <typename Value, typename Fn>
void appendSlot(const Value &V, SlotStreamKey Slot, std::vector<uint32_t> &Tokens, std::vector<int64_t> &Words,
                SlotColumns &Streams, Fn &&Refer) {
  if (V.Streamed)
    Tokens.push_back(static_cast<uint32_t>(Tag::Stream));
  Tokens.push_back(static_cast<uint32_t>(V.T));
  const bool IsText = V.T == Tag::String && V.Streamed;
  if (V.T == Tag::Name || (V.T == Tag::String && !IsText) || V.T == Tag::Data)
    Tokens.push_back(Refer(V.Text));
  if (V.T == Tag::Objects)
    Tokens.push_back(static_cast<uint32_t>(V.Objects.size()));
  for (const auto &O : V.Objects)
    Tokens.push_back(Refer(O));
  const size_t Each = V.Streamed ? std::max(wordsOf(V.T), 1u) : wordsOf(V.T); // of types, their sizes
  const bool IsVector = hasLength(V.T) && (IsText || V.T != Tag::String);
  if (!V.Streamed) {
    if (IsVector && V.T != Tag::Objects)
      Tokens.push_back(static_cast<uint32_t>(V.Words.size() / Each));
    Words.insert(Words.end(), V.Words.begin(), V.Words.end());
    return;
  }
  // The columns exist also where no vector had an element.
  for (; Slot.Column < streamColumns(V.T); ++Slot.Column)
    Streams[Slot];
  Slot.Column = 0;
  appendColumns(Streams, Slot, IsText ? bytesOf(V.Text) : V.Words, Each, IsVector);
}

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
