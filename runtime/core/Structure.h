//===- Structure.h - what the compiler says of regions -----------*- C++ -*-===//
//
// Reads the tables that instrumented code carries (api/Markers.h). A table lists the events of each region, and has a
// graph that turns the number of a path into the events on it.
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

  /// Fills Events with the events on a path, arms included, in their order. Cut: the path ends with this event; 0: it
  /// is not cut short. False if there is no such path.
  bool decode(uint64_t Number, uint32_t Cut, std::vector<uint32_t> &Events) const;
  /// The last MPI site of the path, with no branch or event after it; 0: there is none.
  uint32_t lastEvent(uint64_t Number) const;
  /// The lastEvent() of path 0 of a loop. A call there ends the visit if the sum is 0. Other regions: 0.
  uint32_t Closing = 0;
  /// No path but path 0 leads to Closing.
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

/// Reads all regions of a function from its table; nothing if the table is damaged.
std::optional<std::vector<RegionInfo>> readStructure(uint64_t Id, const uint8_t *Table);

/// The regions that one thread has met.
class Structure {
public:
  /// Null if the table cannot be read. Equal tables have one answer.
  RegionInfo *find(const PilgrimRegion *R);
  /// Other functions may be where functions were.
  void forgetAddresses() { At.clear(); }

private:
  std::unordered_map<uint64_t, std::vector<RegionInfo>> Functions; ///< by id
  std::unordered_map<const PilgrimFunction *, std::vector<RegionInfo> *> At;
};

inline const PilgrimFunction *functionOf(const PilgrimRegion *R) {
  return reinterpret_cast<const PilgrimFunction *>(reinterpret_cast<const char *>(&R->Function) + R->Function);
}
inline const uint8_t *tableOf(const PilgrimFunction *F) {
  return reinterpret_cast<const uint8_t *>(&F->Table) + F->Table;
}

} // namespace pilgrim

#endif
