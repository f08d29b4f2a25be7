//===- Shape.h - Brings a function into a form for markers ------*- C++ -*-===//
//
// Gives loops with events a block before them and one back edge, so that there
// is a place for each marker, and tells which loops are to be regions. A loop
// in which there can be no such places, or into which setjmp may return, is
// none: its back edges are cuts.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_SHAPE_H
#define PILGRIM_PASS_SHAPE_H

#include "pass/Reach.h"
#include "pass/Sections.h"
#include "pass/TailCalls.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

namespace pilgrim {

/// Whether the function's variables may come to be on the heap: it is a coroutine that is not divided yet, or what
/// clang puts into one for await_suspend().
bool isInCoroutine(const llvm::Function &Function);

class Shape {
public:
  /// Named is the function that the call graph knows: Function itself, or what it is a copy of.
  Shape(llvm::Function &Function, const llvm::Function &Named, const Reach &Reach);

  /// False: this function is not to be touched.
  static bool isSupported(const llvm::Function &Function);

  CallKind kind(const llvm::CallBase &Call) const;
  /// Whether the call may lead to a function that is not known here.
  bool mayCallBack(const llvm::CallBase &Call) const { return Reach.mayCallBack(Call); }
  bool isTail(const llvm::CallBase &Call) const { return Tails.contains(&Call); }
  /// Loops that are regions.
  bool isRegion(const llvm::Loop *Loop) const { return Regions.contains(Loop); }
  /// The innermost loop around a block that is a region.
  llvm::Loop *region(const llvm::BasicBlock *Block) const;
  /// Where paths must begin anew.
  bool isCut(const llvm::BasicBlock *Block) const { return Cuts.contains(Block); }
  void cut(const llvm::BasicBlock *Block) { Cuts.insert(Block); }
  bool returnsTwice() const { return ReturnsTwice; }
  /// Begins where setjmp returns.
  bool isSecondReturn(const llvm::BasicBlock *Block) const { return SecondReturns.contains(Block); }

  /// Places in front of loops that are no regions and have calls of unknown functions: what those call is not to stand
  /// at an event before the loop.
  llvm::ArrayRef<llvm::Instruction *> forgetting() const { return Forgetting.getArrayRef(); }

  const class Sections &sections() const { return Sections; }
  /// Whether a call is a node of its region's graph: an event, or the begin of a section.
  bool isNode(const llvm::CallBase &Call) const { return kind(Call) != CallKind::None || Sections.begins(Call); }

  llvm::Function &function() const { return Function; }
  llvm::LoopInfo &loops() { return Loops; }
  /// Reachable blocks in reverse post-order.
  const std::vector<llvm::BasicBlock *> &blocks() const { return Order; }

private:
  void splitSecondReturns();
  void sortBlocks();
  void chooseRegions(Reach::State Reaches);
  bool makeRegion(llvm::Loop &Loop);
  void joinExits(llvm::Loop &Loop);
  bool isAwkward(const llvm::Loop &Loop) const;

  llvm::Function &Function;
  const class Reach &Reach;
  TailCalls Tails;
  bool ReturnsTwice = false;
  llvm::DominatorTree Tree;
  llvm::LoopInfo Loops;
  llvm::SmallPtrSet<const llvm::Loop *, 8> Regions;
  llvm::SmallPtrSet<const llvm::CallBase *, 8> Callbacks; ///< of unknown functions, that are events
  llvm::SmallSetVector<llvm::Instruction *, 4> Forgetting;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> Cuts, SecondReturns;
  std::vector<llvm::BasicBlock *> Order;
  class Sections Sections;
};

/// An edge on which no code can be put.
bool isFixedEdge(const llvm::BasicBlock *From, const llvm::BasicBlock *To);

} // namespace pilgrim

#endif
