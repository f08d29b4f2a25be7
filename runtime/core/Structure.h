//===- Structure.h - what the compiler said of a program's regions -*- C++ -*-===//
//
// Reads the tables that instrumented code carries (api/Markers.h): a region's events, and the graph that turns the
// number of a path back into the events on it.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_CORE_STRUCTURE_H
#define PILGRIM_CORE_STRUCTURE_H

#include "api/Markers.h"
#include "trace/model/TraceData.h"

#include <memory>
#include <optional>
#include <unordered_map>

namespace pilgrim {

class RegionInfo {
public:
  Region Described;

  /// Events of the path with this number, arms included, in their order; if Cut is not 0, up to that event. False if
  /// there is no such path.
  bool decode(uint64_t Number, uint32_t Cut, std::vector<uint32_t> &Events) const;
  /// The MPI site on this path after which neither the way nor what happens depends on anything; 0: there is none.
  uint32_t lastEvent(uint64_t Number) const;
  /// Of a loop: that of path 0, which ends a visit whose sum is 0 there; else 0.
  uint32_t Closing = 0;
  /// No other path leads to it.
  bool IsClosingCertain = false;

private:
  friend class StructureReader;
  void findClosing();
  struct Edge {
    uint32_t Target, Arm;
    uint64_t Value;
  };
  struct GraphNode {
    uint32_t Event;
    std::vector<Edge> Edges;
  };
  template <typename AtNode, typename OnEdge> std::optional<uint64_t> walk(uint64_t Number, AtNode At, OnEdge On) const;
  std::vector<GraphNode> Nodes;
  std::vector<std::pair<uint64_t, uint32_t>> Starts; // base, node
};

/// All regions of the function whose table this is; nothing if it is damaged.
std::optional<std::vector<RegionInfo>> readStructure(uint64_t Id, const uint8_t *Table);

/// The regions that one thread has met.
class Structure {
public:
  /// Null if the table cannot be read.
  RegionInfo *find(const PilgrimRegion *R);

private:
  std::unordered_map<const PilgrimFunction *, std::vector<RegionInfo>> Functions;
};

inline const PilgrimFunction *functionOf(const PilgrimRegion *R) {
  return reinterpret_cast<const PilgrimFunction *>(reinterpret_cast<const char *>(&R->Function) + R->Function);
}
inline const uint8_t *tableOf(const PilgrimFunction *F) {
  return reinterpret_cast<const uint8_t *>(&F->Table) + F->Table;
}

} // namespace pilgrim

#endif
