//===- Regions.h - A function's body and loops, and their paths -*- C++ -*-===//
//
// Finds the regions of a function, what happens in each, and numbers their
// paths, cutting them where that is needed. Changes nothing.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_REGIONS_H
#define PILGRIM_PASS_REGIONS_H

#include "api/Markers.h"
#include "pass/Arms.h"
#include "pass/PathGraph.h"
#include "pass/Shape.h"
#include <memory>

namespace pilgrim {

class Region;

/// What the table lists of a region (api/Markers.h), from 1.
struct Event {
  uint8_t Kind;
  unsigned Line = 0;
  unsigned Arm = 0;                     ///< number of the arm in which it stands
  const llvm::CallBase *Call = nullptr; ///< sites and calls; arms: the begin of a section, else null
  const class Region *Inner = nullptr;  ///< loops
  unsigned Name = 0;                    ///< arms: ArmName
};

class Region {
public:
  unsigned Index = 0; ///< in the function; 0: the body
  unsigned Depth = 0;
  unsigned Line = 0;
  llvm::Loop *Loop = nullptr;
  Region *Parent = nullptr;
  std::vector<llvm::BasicBlock *> Blocks; ///< without those of inner regions
  std::unique_ptr<PathGraph> Graph;
  std::vector<Event> Events;
  /// Per node of the graph, its event's number; and the arms of its ways.
  std::vector<unsigned> EventOf;
  std::vector<std::vector<unsigned>> ArmsOf;

  const llvm::BasicBlock *header() const { return Loop ? Loop->getHeader() : Blocks.front(); }
  bool hasSums() const { return Graph->hasSums(); }
  /// Every visit of the loop after which another one follows takes path 0, and a site ends it: no marker is needed.
  bool EndsAtSite = false;
  /// What the frame says then never changes.
  bool hasOneEvent() const {
    return EndsAtSite && llvm::count_if(Events, [](const Event &E) { return E.Kind != PilgrimArm; }) == 1;
  }

  /// Event number of a call or a loop.
  unsigned number(const void *CallOrRegion) const;
  /// What is added between two events of one block.
  uint64_t between(const void *First, const void *Second) const {
    return Graph->value(Items.lookup(First), Items.lookup(Second));
  }
  /// The sum with which a visit starts in a block, and what is added at once.
  uint64_t base(const llvm::BasicBlock *Block) const { return Graph->base(Starts.lookup(Block)); }
  uint64_t afterBase(const llvm::BasicBlock *Block) const {
    return Graph->value(Starts.lookup(Block), Ends.lookup(Block).first);
  }

private:
  friend class Regions;
  struct Source {
    const llvm::BasicBlock *From = nullptr;
    unsigned Successor = 0;
  };
  std::vector<const void *> Raw;                                                ///< what happens: item - 1
  std::vector<const llvm::BasicBlock *> BlockOf;                                ///< by node: where it can be cut
  std::vector<Source> Sources;                                                  ///< by edge
  llvm::DenseMap<const void *, unsigned> Items;                                 ///< node
  llvm::DenseMap<const llvm::BasicBlock *, std::pair<unsigned, unsigned>> Ends; ///< first and last node
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> Starts;                    ///< nodes where visits start
  llvm::DenseMap<unsigned, unsigned> Numbers;                                   ///< item to event number
};

class Regions {
public:
  /// Line: of the function; 0: not known.
  Regions(Shape &Shape, unsigned Line);

  /// False: the paths of this function cannot be numbered.
  bool build(uint64_t PathLimit);

  const std::vector<std::unique_ptr<Region>> &all() const { return List; }
  Region &of(const llvm::BasicBlock *Block) const { return *RegionOf.lookup(Block); }
  /// The value that an edge adds to the sum of a region that it starts in, is in, or leaves.
  uint64_t value(const Region &Region, const llvm::BasicBlock *From, const llvm::BasicBlock *To) const;
  bool hasEvents() const;

private:
  void find(unsigned Line);
  void cutPads();
  bool cutUnevenPads();
  std::optional<const llvm::BasicBlock *> number(Region &Region, uint64_t PathLimit);
  void addNodes(Region &Region);
  void addEdges(Region &Region);
  void addStart(Region &Region, const llvm::BasicBlock *Block, unsigned Node, unsigned First);
  void addEnd(Region &Region, unsigned Node, bool Free = false);
  void addEdge(Region &Region, unsigned Node, const llvm::BasicBlock *From, const llvm::BasicBlock *To);
  std::optional<unsigned> target(const Region &Region, const llvm::BasicBlock *From, const llvm::BasicBlock *To) const;
  unsigned nodeOf(const Region &Region, const llvm::BasicBlock *From) const;
  void list(Region &Region);
  bool endsAtSite(const Region &Region) const;
  Event describe(const void *Item) const;
  unsigned armAt(const Region &Region, unsigned Arm, const llvm::Instruction &Place) const;
  std::optional<Event> arm(const Region &Region, const PathGraph::Node &Node, const PathGraph::Way &Way,
                           unsigned Around) const;
  const llvm::BasicBlock *beginOf(const Region &Region, const PathGraph::Way &Way) const;
  unsigned armName(const Region &Region, const PathGraph::Node &Node, const PathGraph::Way &Way,
                   const llvm::Instruction &Branch, unsigned Successor) const;
  bool isUnwinding(const Region &Region, const PathGraph::Way &Way) const;

  Shape &TheShape;
  Arms TheArms;
  std::vector<std::unique_ptr<Region>> List;
  llvm::DenseMap<const llvm::BasicBlock *, Region *> RegionOf;
};

} // namespace pilgrim

#endif
