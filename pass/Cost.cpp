//===- Cost.cpp - What markers would cost a function ----------------------===//
#include "pass/Cost.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace pilgrim {

namespace {

// Instructions that work. A small function is copied anyway, a larger one for the sake of its loops.
constexpr ptrdiff_t AlwaysCopied = 40, LargestCopy = 60, LargestDense = 250;
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

bool isCopied(Function &Function, const Reach &Reach) {
  ptrdiff_t Size = count_if(instructions(Function), isWork);
  if (Size <= AlwaysCopied || Size > LargestDense)
    return Size <= AlwaysCopied;
  DominatorTree Tree(Function);
  LoopInfo Loops(Tree);
  return any_of(Loops.getLoopsInPreorder(), [&](const Loop *Loop) {
    return isDense(*Loop, Reach, Size > LargestCopy ? LeastLargeShare : LeastShare);
  });
}

} // namespace pilgrim
