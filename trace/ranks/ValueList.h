//===- ValueList.h - a value for each rank of a set --------------*- C++ -*-===//
//
// Where nothing says how values follow from the rank, they are listed. Ranks
// that are merged have them one by one; what was read from a file stays a
// compressed stream, and is looked into (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_VALUELIST_H
#define PILGRIM_TRACE_RANKS_VALUELIST_H

#include "trace/ranks/RankSet.h"
#include "trace/sequences/StreamIndex.h"

#include <optional>

namespace pilgrim {

class ValueList {
public:
  /// One value for each rank of a set, ascending.
  explicit ValueList(std::vector<int64_t> Values) : Plain(std::move(Values)) {}
  /// The same as a stream. IsRelative: its values are how far away from the world rank they are.
  ValueList(IntStreamData Values, bool IsRelative)
      : Stream(std::move(Values)), Index(StreamIndex(Stream)), IsRelative(IsRelative) {}

  bool isPlain() const { return !Index; }
  /// Whether both are the same stream.
  bool isSame(const ValueList &Other) const {
    return Index && Other.Index && IsRelative == Other.IsRelative && Stream == Other.Stream;
  }
  /// Of the rank that is at Place, from 0, of the set.
  int64_t at(uint64_t Place, uint32_t Rank) const {
    if (!Index)
      return Plain[Place];
    const int64_t V = Index->at(Stream, Place);
    return IsRelative ? static_cast<int64_t>(static_cast<uint64_t>(V) + Rank) : V;
  }
  /// The same as a stream, in the shorter of the two ways.
  ValueList compressed(const RankSet &Ranks) const;

  // Of streams alone.
  /// The greatest common divisor of how far values are from each other; 0: they are equal, relative, or further from
  /// each other than a number can say.
  uint64_t unit() const;
  /// With the first value From, and other values so many times Unit away from it: the same with To and NewUnit.
  ValueList rescaled(int64_t From, uint64_t Unit, int64_t To, uint64_t NewUnit) const;

  /// The smallest and the largest; nothing if they are relative.
  std::optional<std::pair<int64_t, int64_t>> range() const;
  uint64_t memory() const;

  enum Head : uint8_t { ListHead = 9, RelativeHead = 14 };
  /// A head, then the stream.
  void write(ByteWriter &W, const RankSet &Ranks) const;
  static bool isHead(uint8_t B) { return B == ListHead || B == RelativeHead; }
  /// Behind the head, for so many ranks. On damaged input R.ok() is false afterwards.
  static ValueList read(ByteReader &R, uint8_t Head, uint64_t Ranks);

private:
  std::vector<int64_t> Plain;
  IntStreamData Stream;
  std::optional<StreamIndex> Index; ///< of Stream, if that is what there is
  bool IsRelative = false;
};

} // namespace pilgrim

#endif
