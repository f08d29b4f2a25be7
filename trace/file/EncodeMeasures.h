//===- EncodeMeasures.h - what was measured, as bytes -----------*- C++ -*-===//
//
// The measures of each event, in the order in which its items refer to them. The number of calls of a measure follows
// from the structure. Variants of an item with the same function, site and depth share a measure, so this is not
// written. Items that share the measure of another item are rare; they are listed first (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_ENCODEMEASURES_H
#define PILGRIM_TRACE_FILE_ENCODEMEASURES_H

#include "trace/base/UnionFind.h"
#include "trace/file/Encoder.h"

namespace pilgrim {

/// Encodes the section measures. Items must be given in the order of the section calls.
class MeasureEncoder {
public:
  /// Exact: writes sums, since other ranks may still be merged in; else writes means, which are shorter.
  MeasureEncoder(TableEncoder &Tables, bool Exact) : Tables(Tables), Exact(Exact) {}
  /// Begins an event. Of must stay valid until the next event begins, or bytes() is called.
  void begin(const std::vector<Measure> &Of) {
    finish();
    Own = &Of;
    Same = UnionFind(Of.size());
  }
  /// Adds an item of the event that is a call. Entries: its entries of signatures, which are written as one. They stay
  /// where they are.
  void item(const std::vector<const Entry *> &Entries);
  /// The section. Call after all events.
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
  std::vector<uint32_t> References; ///< in order, without those that follow from others of the item
  // Of the section.
  uint64_t Shared = 0;      ///< references to a measure that an earlier item refers to
  uint64_t SinceShared = 0; ///< references since the last such one
  ByteWriter Sharing, Numbers;
};

} // namespace pilgrim

#endif
