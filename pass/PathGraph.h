//===- PathGraph.h - Numbers the paths of an acyclic graph ------*- C++ -*-===//
//
// From the control flow of one region to what can be told of its events: nodes
// that no choice between events separates become one node, and the paths that
// remain are numbered (Ball & Larus, MICRO 1996). Knows nothing of LLVM's IR.
//
// Nodes are added in an order in which all edges but those of cycles go
// forward. Node 0 is the end of a visit, node 1 its start.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_PATHGRAPH_H
#define PILGRIM_PASS_PATHGRAPH_H

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace pilgrim {

class PathGraph {
public:
  static constexpr unsigned End = 0;
  static constexpr unsigned Start = 1;

  struct Edge {
    unsigned From, To;
    bool Free; ///< no code can be put on it: its value should be 0
  };
  /// A node of the result. Targets are indices of nodes, or their number: the end.
  struct Way {
    unsigned Target;
    uint64_t Value;
    std::vector<unsigned> Edges; ///< those that were added and became this one
  };
  struct Node {
    unsigned Event;
    std::vector<Way> Ways;
  };
  struct Entry {
    uint64_t Base;
    unsigned Node;
  };

  PathGraph();
  /// Event: 0, or what happens there. IsStart: visits may begin there, too; no edge leads to it. CanCut: it could
  /// become such a node.
  unsigned addNode(unsigned Event, bool IsStart = false, bool CanCut = false);
  unsigned addEdge(unsigned From, unsigned To, bool Free = false);

  /// Numbers the paths. Returns a node at which paths must be cut before that is possible: one in a cycle with
  /// events, or one behind which there are too many paths. End: it is not possible.
  std::optional<unsigned> number(uint64_t Limit);

  // After that:
  const std::vector<Node> &nodes() const { return Nodes; }
  uint64_t value(unsigned From, unsigned To) const;
  uint64_t base(unsigned StartNode) const;
  /// Ascending; the first is base 0, node 0.
  const std::vector<Entry> &entries() const { return Entries; }
  /// Whether there is anything to add up.
  bool hasSums() const { return Paths > 1; }
  uint64_t paths() const { return Paths; }

private:
  struct Raw {
    unsigned Event;
    bool IsStart, CanCut;
    unsigned Class;
    std::vector<unsigned> Out, In; ///< edges; of the whole class where Class is the node itself
  };
  unsigned find(unsigned Node) const;
  void join(unsigned Node, unsigned Into);
  std::optional<unsigned> only(unsigned Class, bool Target) const;
  bool mayUnwind(unsigned Class) const;
  std::vector<unsigned> places(unsigned Class) const;
  bool isOnWay(unsigned Node, unsigned Choice) const;
  std::optional<unsigned> joinCycles();
  void joinChoices();
  std::vector<unsigned> sorted();
  std::vector<unsigned> targets(unsigned Class) const;
  void build(const std::vector<unsigned> &Order, const std::vector<uint64_t> &Count);

  mutable std::vector<Raw> Raws;
  std::vector<Edge> Edges;
  std::vector<unsigned> First;   ///< of classes: the first node in the program
  std::vector<unsigned> IndexOf; ///< of classes: node of the result
  std::vector<Node> Nodes;
  std::vector<Entry> Entries;
  std::vector<std::pair<unsigned, uint64_t>> Bases; ///< of starts
  uint64_t Paths = 1;
};

} // namespace pilgrim

#endif
