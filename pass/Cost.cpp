//===- Cost.cpp - What markers would cost a function ----------------------===//
#include "pass/Cost.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace pilgrim {

namespace {

// Instructions that work. A small function is copied or goes without markers, one that is not much larger is copied if
// that is possible, a larger one for the sake of its loops.
constexpr ptrdiff_t Small = 15, AlwaysCopied = 40, LargestCopy = 60, LargestDense = 250;
// What markers may add to a loop: instructions of an event's marker, and of a visit's.
constexpr double EventCost = 1.5, VisitCost = 4;
// How much of a loop that may be. A large copy is worth it where it is more.
constexpr double LeastShare = 0.05, LeastLargeShare = 0.15;

/// Of what comes before optimisation, what may remain after it.
bool isWork(const Instruction &I) {
  if (isa<AllocaInst, BranchInst, PHINode>(I) || I.isDebugOrPseudoInst() || I.isLifetimeStartOrEnd())
    return false;
  const Value *Pointer = getLoadStorePointerOperand(&I);
  return !Pointer || !isa<AllocaInst>(Pointer);
}

/// Whether markers would be more than such a share of what an iteration executes. What is called counts as ten
/// instructions.
bool isDense(const Loop &Loop, const Reach &Reach, double Share) {
  double Work = 0, Markers = VisitCost;
  bool HasEvents = false;
  for (const BasicBlock *Block : Loop.blocks())
    for (const Instruction &I : *Block) {
      const auto *Call = dyn_cast<CallBase>(&I);
      Work += Call ? 10 : isWork(I);
      if (!Call || Reach.kind(*Call) == CallKind::None)
        continue;
      HasEvents = true;
      Markers += EventCost;
    }
  return HasEvents && Markers > Share * Work;
}

} // namespace

MarkersIn markersIn(Function &Function, const Reach &Reach) {
  ptrdiff_t Size = count_if(instructions(Function), isWork);
  if (Size <= Small)
    return MarkersIn::CopyAlone;
  if (Size <= AlwaysCopied || Size > LargestDense)
    return Size <= AlwaysCopied ? MarkersIn::Copy : MarkersIn::Place;
  DominatorTree Tree(Function);
  LoopInfo Loops(Tree);
  auto IsWorthIt = [&](const Loop *Loop) {
    return isDense(*Loop, Reach, Size > LargestCopy ? LeastLargeShare : LeastShare);
  };
  return any_of(Loops.getLoopsInPreorder(), IsWorthIt) ? MarkersIn::Copy : MarkersIn::Place;
}

} // namespace pilgrim
