//===- Regions.cpp - A function's body and loops, and their paths ---------===//
#include "pass/Regions.h"
#include "api/Markers.h"
#include "pass/OpenMp.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace pilgrim {

unsigned Region::number(const void *CallOrRegion) const { return Numbers.lookup(Items.lookup(CallOrRegion)); }

Regions::Regions(Shape &Shape, unsigned Line) : TheShape(Shape), TheArms(*Shape.blocks().front()->getParent()) {
  find(Line);
}

void Regions::find(unsigned Line) {
  DenseMap<const Loop *, Region *> Known;
  auto Add = [&](Loop *Loop, Region *Parent) {
    auto New = std::make_unique<Region>();
    New->Index = List.size();
    New->Loop = Loop;
    New->Parent = Parent;
    New->Depth = Parent ? Parent->Depth + 1 : 0;
    New->Line = Loop ? openmp::lineOf(*Loop) : Line;
    Known[Loop] = New.get();
    List.push_back(std::move(New));
  };
  Add(nullptr, nullptr);
  for (Loop *Loop : TheShape.loops().getLoopsInPreorder()) {
    if (!TheShape.isRegion(Loop))
      continue;
    const llvm::Loop *Outer = Loop->getParentLoop();
    while (Outer && !TheShape.isRegion(Outer))
      Outer = Outer->getParentLoop();
    Add(Loop, Known[Outer]);
  }
  for (BasicBlock *Block : TheShape.blocks()) {
    Region *Region = Known[TheShape.region(Block)];
    RegionOf[Block] = Region;
    Region->Blocks.push_back(Block);
  }
}

bool Regions::hasEvents() const {
  return any_of(List, [](auto &Region) { return !Region->Raw.empty(); });
}

bool Regions::build(uint64_t PathLimit) {
  cutPads();
  do {
    for (auto &Region : List)
      while (auto Cut = number(*Region, PathLimit)) {
        // In a place that is one already: no progress.
        if (!*Cut || TheShape.isCut(*Cut) || *Cut == Region->header())
          return false;
        TheShape.cut(*Cut);
      }
  } while (cutUnevenPads());
  for (auto &Region : List)
    list(*Region);
  return true;
}

/// An exception that leaves a loop ends the loop's frame wherever it was; nothing can be added to sums on its way.
void Regions::cutPads() {
  for (const BasicBlock *Block : TheShape.blocks())
    if (Block->isEHPad())
      for (const BasicBlock *From : predecessors(Block))
        if (RegionOf.lookup(From) != RegionOf.lookup(Block))
          TheShape.cut(Block);
}

/// What is added on the way to a landing pad is added in it: the same for all its ways.
bool Regions::cutUnevenPads() {
  bool Changed = false;
  for (const BasicBlock *Block : TheShape.blocks()) {
    if (!Block->isEHPad() || TheShape.isCut(Block))
      continue;
    const Region &Region = of(Block);
    std::optional<uint64_t> First;
    for (const BasicBlock *From : predecessors(Block)) {
      uint64_t Value = value(Region, From, Block);
      if (First && *First != Value && !TheShape.isCut(Block)) {
        TheShape.cut(Block);
        Changed = true;
      }
      First = Value;
    }
  }
  return Changed;
}

std::optional<const BasicBlock *> Regions::number(Region &Region, uint64_t PathLimit) {
  Region.Graph = std::make_unique<PathGraph>();
  Region.Raw.clear();
  Region.Items.clear();
  Region.Ends.clear();
  Region.Starts.clear();
  Region.Sources.clear();
  Region.BlockOf.assign(2, nullptr);
  addNodes(Region);
  addEdges(Region);
  if (std::optional<unsigned> Cut = Region.Graph->number(PathLimit))
    return Region.BlockOf[*Cut];
  return std::nullopt;
}

void Regions::addNodes(Region &Region) {
  auto Add = [&](const BasicBlock *CutAt, const void *Item, bool IsStart, bool IsFirst) {
    if (Item)
      Region.Raw.push_back(Item);
    bool CanCut = IsFirst && !TheShape.isCut(CutAt) && CutAt != Region.header();
    unsigned Node = Region.Graph->addNode(Item ? Region.Raw.size() : 0, IsStart, CanCut);
    if (Item)
      Region.Items[Item] = Node;
    Region.BlockOf.push_back(CutAt);
    return Node;
  };
  // Inner regions stand where their header is.
  for (const BasicBlock *Block : TheShape.blocks()) {
    class Region *Owner = RegionOf.lookup(Block);
    if (Owner->Parent == &Region && Block == Owner->header()) {
      Add(Owner->Loop->getLoopPreheader(), Owner, false, true);
      continue;
    }
    if (Owner != &Region)
      continue;
    // A visit starts in the block's first node, or before it where it may end again before anything happens.
    bool IsStart = TheShape.isCut(Block), MayEnd = TheShape.returnsTwice() && !Region.Loop;
    unsigned First = 0, Last = 0, Start = 0;
    if (IsStart && MayEnd)
      Start = Add(Block, nullptr, true, false);
    for (const Instruction &I : *Block) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || !TheShape.isNode(*Call))
        continue;
      unsigned Node = Add(Block, Call, !First && IsStart && !MayEnd, !First);
      if (First)
        Region.Graph->addEdge(Last, Node), Region.Sources.push_back({});
      else
        First = Node;
      Last = Node;
    }
    if (!First)
      First = Last = Add(Block, nullptr, IsStart && !MayEnd, true);
    Region.Ends[Block] = {First, Last};
    if (Block == Region.header())
      addStart(Region, Block, PathGraph::Start, First);
    else if (IsStart)
      addStart(Region, Block, Start ? Start : First, First);
  }
}

/// Where an edge leads in the region's graph; nothing for an exception that leaves it.
std::optional<unsigned> Regions::target(const Region &Region, const BasicBlock *From, const BasicBlock *To) const {
  const class Region *Owner = RegionOf.lookup(To);
  if (Owner == &Region && To != Region.header())
    return TheShape.isCut(To) ? PathGraph::End : Region.Ends.lookup(To).first;
  if (Owner->Parent == &Region && To == Owner->header() && RegionOf.lookup(From) == &Region)
    return Region.Items.lookup(Owner);
  if (Owner != &Region && To->isEHPad())
    return std::nullopt;
  return PathGraph::End;
}

void Regions::addEdge(Region &Region, unsigned Node, const BasicBlock *From, const BasicBlock *To) {
  std::optional<unsigned> Target = target(Region, From, To);
  if (!Target)
    return;
  Region.Graph->addEdge(Node, *Target, isFixedEdge(From, To));
  unsigned Successor = 0;
  while (From->getTerminator()->getSuccessor(Successor) != To)
    ++Successor;
  Region.Sources.push_back({From, Successor});
}

void Regions::addEnd(Region &Region, unsigned Node, bool Free) {
  Region.Graph->addEdge(Node, PathGraph::End, Free);
  Region.Sources.push_back({});
}

/// setjmp may return a second time after any event and before the first: the sum that was stored last is the whole
/// path's then, so the first way from there is to the end.
void Regions::addStart(Region &Region, const BasicBlock *Block, unsigned Node, unsigned First) {
  Region.Starts[Block] = Node;
  if (Node == First)
    return;
  if (TheShape.returnsTwice() && !Region.Loop)
    addEnd(Region, Node, true);
  Region.Graph->addEdge(Node, First);
  Region.Sources.push_back({});
}

void Regions::addEdges(Region &Region) {
  if (TheShape.returnsTwice() && !Region.Loop)
    for (const void *Item : Region.Raw)
      addEnd(Region, Region.Items[Item], true);
  SmallPtrSet<const BasicBlock *, 16> Seen;
  for (const BasicBlock *Block : TheShape.blocks()) {
    const class Region *Owner = RegionOf.lookup(Block);
    size_t Before = Region.Sources.size();
    unsigned Node;
    Seen.clear();
    if (Owner == &Region) {
      Node = Region.Ends[Block].second;
      for (const BasicBlock *To : successors(Block))
        if (Seen.insert(To).second)
          addEdge(Region, Node, Block, To);
    } else if (Owner->Parent == &Region && Block == Owner->header()) {
      Node = Region.Items[Owner];
      for (const BasicBlock *From : Owner->Loop->blocks())
        for (const BasicBlock *To : successors(From))
          if (!Owner->Loop->contains(To) && Seen.insert(To).second)
            addEdge(Region, Node, From, To);
    } else {
      continue;
    }
    if (Region.Sources.size() == Before)
      addEnd(Region, Node);
  }
}

unsigned Regions::nodeOf(const Region &Region, const BasicBlock *From) const {
  const class Region *Inner = RegionOf.lookup(From);
  if (Inner == &Region)
    return Region.Ends.lookup(From).second;
  while (Inner->Parent != &Region)
    Inner = Inner->Parent;
  return Region.Items.lookup(Inner);
}

uint64_t Regions::value(const Region &Region, const BasicBlock *From, const BasicBlock *To) const {
  unsigned Node = nodeOf(Region, From);
  const class Region *Owner = RegionOf.lookup(To);
  // Leaving is seen from the region that is left, entering a loop from the one that it is in.
  if (Owner == &Region && To != Region.header() && !TheShape.isCut(To))
    return Region.Graph->value(Node, Region.Ends.lookup(To).first);
  if (Owner->Parent == &Region && To == Owner->header() && RegionOf.lookup(From) == &Region)
    return Region.Graph->value(Node, Region.Items.lookup(Owner));
  return Region.Graph->value(Node, PathGraph::End);
}

Event Regions::describe(const void *Item) const {
  for (auto &Inner : List)
    if (Inner.get() == Item)
      return {PilgrimLoop, Inner->Line, 0, nullptr, Inner.get(), 0};
  const auto *Call = static_cast<const CallBase *>(Item);
  if (TheShape.sections().begins(*Call))
    return {PilgrimArm, Sections::line(*Call), 0, Call, nullptr, Sections::armName(*Call)};
  uint8_t Kind = TheShape.kind(*Call) == CallKind::Site ? PilgrimSite : PilgrimCall;
  return {Kind, openmp::lineOf(*Call), 0, Call, nullptr, 0};
}

void Regions::list(Region &Region) {
  const std::vector<PathGraph::Node> &Nodes = Region.Graph->nodes();
  unsigned Size = Nodes.size();
  Region.Events.clear();
  Region.EventOf.assign(Size, 0);
  Region.ArmsOf.assign(Size, {});
  // A way begins an arm if it is the only one to what follows. Dominators say in which arm a node stands.
  std::vector<SmallVector<unsigned, 4>> Before(Size);
  std::vector<unsigned> Dominator(Size, Size), ArmOf(Size, 0);
  std::vector<bool> IsStart(Size);
  for (const PathGraph::Entry &Entry : Region.Graph->entries())
    IsStart[Entry.Node] = true;
  for (unsigned Node = 0; Node < Size; ++Node)
    for (const PathGraph::Way &Way : Nodes[Node].Ways)
      if (Way.Target < Size)
        Before[Way.Target].push_back(Node);
  for (unsigned Node = 0; Node < Size; ++Node) {
    if (!IsStart[Node] && !Before[Node].empty()) {
      unsigned Common = Before[Node].front();
      for (unsigned Other : Before[Node])
        while (Other != Common && Common < Size) {
          if (Other == Size || Common == Size)
            Common = Size;
          else if (Other > Common)
            Other = Dominator[Other];
          else
            Common = Dominator[Common];
        }
      Dominator[Node] = Common;
      if (ArmOf[Node] == 0 && Common < Size)
        ArmOf[Node] = ArmOf[Common];
    }
    if (unsigned Item = Nodes[Node].Event) {
      const void *What = Region.Raw[Item - 1];
      Event New = describe(What);
      const Instruction *Place = New.Call;
      if (New.Inner)
        Place = New.Inner->Loop->getLoopPreheader()->getTerminator();
      New.Arm = armAt(Region, ArmOf[Node], *Place);
      Region.Events.push_back(New);
      Region.EventOf[Node] = Region.Events.size();
      Region.Numbers[Region.Items.lookup(What)] = Region.Events.size();
      if (New.Kind == PilgrimArm) // a section
        ArmOf[Node] = Region.Events.size();
    }
    // That an exception may come is no choice.
    const auto Choices =
        count_if(Nodes[Node].Ways, [&](const PathGraph::Way &Way) { return !isUnwinding(Region, Way); });
    for (const PathGraph::Way &Way : Nodes[Node].Ways) {
      unsigned Number = 0;
      if (Way.Target < Size && Choices > 1 && Before[Way.Target].size() == 1 && !IsStart[Way.Target])
        if (std::optional<Event> Arm = arm(Region, Nodes[Node], Way, ArmOf[Node])) {
          Region.Events.push_back(*Arm);
          Number = ArmOf[Way.Target] = Region.Events.size();
        }
      Region.ArmsOf[Node].push_back(Number);
    }
  }
  Region.EndsAtSite = endsAtSite(Region);
}

} // namespace pilgrim
