//===- EncodeMeasures.h - what was measured, as bytes -----------*- C++ -*-===//
//
// The measures of each event, in the order in which its items refer to them. The number of calls of a measure follows
// from the structure. Variants of an item with the same function, site and depth share a measure, so this is not
// written (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_ENCODEMEASURES_H
#define PILGRIM_TRACE_FILE_ENCODEMEASURES_H

#include "trace/base/UnionFind.h"
#include "trace/file/Encoder.h"

namespace pilgrim {

/// Encodes the section measures. Nodes, events and items must be given in the order of the section calls; they stay
/// where they are until bytes() is called.
class MeasureEncoder {
public:
  explicit MeasureEncoder(const TraceData &T) : T(T) {}
  /// Begins a node. Number: that it gets in the file, where a group begins with node 0.
  void beginNode(const Group &G, const NodeData &N, uint32_t Number);
  void beginEvent(uint32_t Id, const EventData &E);
  /// Adds an item of the event that is a call. Entries: its entries of signatures, which are written as one.
  void item(const std::vector<const Entry *> &Entries);
  /// The section. Call after all events.
  std::vector<uint8_t> bytes();

  struct Event {
    uint32_t Node, Id; ///< of the group
    const EventData *Own;
    std::vector<uint32_t> References; ///< of items: indices of Measures
    std::vector<Measure> Measures;    ///< those that are written. Paths to calls refer to them
  };
  struct OneGroup {
    const Group *G;
    std::vector<uint32_t> Nodes; ///< of the group, by their number in the file
    uint32_t Node = 0;           ///< of the group: the one at hand
    std::vector<Event> Events;
  };
  /// What was encoded, in file order. Call after bytes().
  const std::vector<OneGroup> &groups() const { return Groups; }

private:
  /// Ends the event at hand.
  void finish();
  template <typename Code> void write(Code &C, OneGroup &Of);

  const TraceData &T;
  std::vector<OneGroup> Groups;
  // Of the event at hand.
  bool IsOpen = false;
  UnionFind Same;
  std::vector<uint32_t> References; ///< to its measures, in order, without those that follow from others of the item
};

} // namespace pilgrim

#endif
