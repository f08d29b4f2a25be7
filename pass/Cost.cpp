//===- Cost.cpp - What markers would cost a function ----------------------===//
#include "pass/Cost.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace pilgrim {

namespace {

// Instructions of a marker.
constexpr double EventCost = 2, VisitCost = 7, ActivationCost = 20;
constexpr double Share = 0.005;
constexpr ptrdiff_t LargestCopy = 15; // instructions that work

/// Of what comes before optimisation, what may remain after it.
bool isWork(const Instruction &I) {
  if (isa<AllocaInst, BranchInst, PHINode>(I) || I.isDebugOrPseudoInst() || I.isLifetimeStartOrEnd())
    return false;
  const Value *Pointer = getLoadStorePointerOperand(&I);
  return !Pointer || !isa<AllocaInst>(Pointer);
}

/// How often a block is run, if each loop has ten iterations.
double frequency(unsigned Depth) { return Depth == 0 ? 1 : 10 * frequency(std::min(Depth, 8U) - 1); }

} // namespace

bool areMarkersInPlace(Function &Function, const Reach &Reach) {
  if (count_if(instructions(Function), isWork) > LargestCopy)
    return true;
  DominatorTree Tree(Function);
  LoopInfo Loops(Tree);
  double Work = 0, Markers = ActivationCost;
  SmallPtrSet<const Loop *, 8> WithEvents;
  for (const BasicBlock &Block : Function) {
    double Often = frequency(Loops.getLoopDepth(&Block));
    for (const Instruction &I : Block) {
      Work += isWork(I) ? Often : 0;
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || Reach.kind(*Call) == CallKind::None)
        continue;
      Markers += EventCost * Often;
      for (const Loop *Loop = Loops.getLoopFor(&Block); Loop && WithEvents.insert(Loop).second;
           Loop = Loop->getParentLoop())
        Markers += VisitCost * frequency(Loop->getLoopDepth()) + ActivationCost * frequency(Loop->getLoopDepth() - 1);
    }
  }
  return Markers <= Share * Work;
}

} // namespace pilgrim
