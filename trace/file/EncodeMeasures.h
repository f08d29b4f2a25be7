//===- EncodeMeasures.h - what was measured, as bytes -----------*- C++ -*-===//
//
// The measures of each event, in the order in which its items refer to them. How many calls a measure is of follows
// from the structure, and so does mostly which variants have the same one: those of an item with the same function,
// site and depth. Items that share another one's measure, which is rare, are listed in front (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_ENCODEMEASURES_H
#define PILGRIM_TRACE_FILE_ENCODEMEASURES_H

#include "trace/base/UnionFind.h"
#include "trace/file/Encoder.h"

namespace pilgrim {

/// The section of measures. Calls are those of the section calls, in its order.
class MeasureEncoder {
public:
  /// Exact: sums are written, since more ranks may be added to them; else means, which are shorter.
  MeasureEncoder(TableEncoder &Tables, bool Exact) : Tables(Tables), Exact(Exact) {}
  /// Begins an event; its measures stay where they are until the next one begins.
  void begin(const std::vector<Measure> &Of) {
    finish();
    Own = &Of;
    Same = UnionFind(Of.size());
  }
  /// An item of the event, a call: the entries of signatures that are written as one. They stay where they are.
  void item(const std::vector<const Entry *> &Entries);
  /// After all events.
  std::vector<uint8_t> bytes();

private:
  using Key = std::tuple<uint32_t, uint32_t, uint32_t>; ///< function, site in the file, depth
  Key key(const Variant &V);
  void finish();

  TableEncoder &Tables;
  const bool Exact;
  // Of the event.
  const std::vector<Measure> *Own = nullptr;
  UnionFind Same;
  std::vector<uint32_t> References; ///< in order, but those that follow from others of the item
  // Of the section.
  uint64_t Shared = 0;      ///< references to a measure that an earlier item refers to
  uint64_t SinceShared = 0; ///< references since the last such one
  ByteWriter Sharing, Numbers;
};

} // namespace pilgrim

#endif
