//===- ValueList.h - a value for each rank of a set --------------*- C++ -*-===//
//
// Values that do not follow from the rank are listed. During merging the list has plain values. A list that was read
// from a file stays a compressed stream, and is accessed through an index (internal to trace/).
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
  /// The same as a stream. IsRelative: the stream has value - world rank.
  ValueList(IntStreamData Values, bool IsRelative)
      : Stream(std::move(Values)), Index(StreamIndex(Stream)), IsRelative(IsRelative) {}

  bool isPlain() const { return !Index; }
  /// Whether both have the same form and the same values.
  bool isSame(const ValueList &Other) const {
    return isPlain() == Other.isPlain() && Plain == Other.Plain && IsRelative == Other.IsRelative &&
           Stream == Other.Stream;
  }
  uint64_t hash() const;
  /// The value of Rank, which is at Place (from 0) in the set.
  int64_t at(uint64_t Place, uint32_t Rank) const {
    if (!Index)
      return Plain[Place];
    const int64_t V = Index->at(Stream, Place);
    return IsRelative ? static_cast<int64_t>(static_cast<uint64_t>(V) + Rank) : V;
  }
  /// The same as a stream, of values or of distances from the rank, whichever is shorter.
  ValueList compressed(const RankSet &Ranks) const;

  // Only for streams.
  /// The greatest common divisor of the differences between values. 0: the values are equal or relative, or a
  /// difference does not fit a number.
  uint64_t unit() const;
  /// The list with first value To, whose other values are as many NewUnits from To as this list's values are Units from
  /// From.
  ValueList rescaled(int64_t From, uint64_t Unit, int64_t To, uint64_t NewUnit) const;

  /// The smallest and the largest value; nothing if values are relative.
  std::optional<std::pair<int64_t, int64_t>> range() const;
  uint64_t memory() const;

  enum Head : uint8_t { ListHead = 9, RelativeHead = 14 };
  /// Writes a head, then the stream.
  void write(ByteWriter &W, const RankSet &Ranks) const;
  static bool isHead(uint8_t B) { return B == ListHead || B == RelativeHead; }
  /// Reads the stream after the head. Ranks: the number of ranks. On damaged input R.ok() is false afterwards.
  static ValueList read(ByteReader &R, uint8_t Head, uint64_t Ranks);

private:
  std::vector<int64_t> Plain;
  IntStreamData Stream;
  std::optional<StreamIndex> Index; ///< of Stream; nothing if the list is plain
  bool IsRelative = false;
};

} // namespace pilgrim

#endif
