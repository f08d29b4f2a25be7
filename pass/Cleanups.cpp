//===- Cleanups.cpp - Ways through shared cleanup code --------------------===//
#include "pass/Cleanups.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace pilgrim {

namespace {

/// The variable on which a block of nothing but ends of lifetimes switches.
AllocaInst *switchVariable(BasicBlock &Block) {
  auto *Switch = dyn_cast<SwitchInst>(Block.getTerminator());
  auto *Load = Switch ? dyn_cast<LoadInst>(Switch->getCondition()) : nullptr;
  if (!Load || !Load->isSimple() || Load->getParent() != &Block || !Load->hasOneUse())
    return nullptr;
  for (Instruction &I : Block)
    if (&I != Switch && &I != Load && !I.isLifetimeStartOrEnd() && !I.isDebugOrPseudoInst())
      return nullptr;
  return dyn_cast<AllocaInst>(Load->getPointerOperand());
}

/// What a block that only goes on stores into the variable last.
ConstantInt *lastStored(BasicBlock &Block, AllocaInst &Variable) {
  auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
  if (!Branch || Branch->isConditional())
    return nullptr;
  for (Instruction &I : reverse(Block)) {
    auto *Store = dyn_cast<StoreInst>(&I);
    if (Store && Store->getPointerOperand() == &Variable)
      return dyn_cast<ConstantInt>(Store->getValueOperand());
    if (!Store && I.mayWriteToMemory() && !I.isLifetimeStartOrEnd() && !I.isDebugOrPseudoInst())
      return nullptr;
  }
  return nullptr;
}

bool makeDirect(BasicBlock &Cleanup, AllocaInst &Variable) {
  auto *Switch = cast<SwitchInst>(Cleanup.getTerminator());
  bool Changed = false;
  for (BasicBlock *From : SmallVector<BasicBlock *>(predecessors(&Cleanup))) {
    ConstantInt *Value = lastStored(*From, Variable);
    if (!Value)
      continue;
    BasicBlock *To = Switch->findCaseValue(Value)->getCaseSuccessor();
    if (To == &Cleanup || isa<UnreachableInst>(To->getTerminator()))
      continue;
    Instruction *Branch = From->getTerminator();
    for (Instruction &I : Cleanup)
      if (I.isLifetimeStartOrEnd())
        I.clone()->insertBefore(Branch);
    // Nothing in the block has a value that is used behind it.
    for (PHINode &Phi : To->phis())
      Phi.addIncoming(Phi.getIncomingValueForBlock(&Cleanup), From);
    Cleanup.removePredecessor(From, /*KeepOneInputPHIs=*/true);
    Branch->setSuccessor(0, To);
    Changed = true;
  }
  return Changed;
}

} // namespace

void makeCleanupsDirect(Function &Function) {
  // Scopes in scopes.
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (BasicBlock &Block : Function)
      if (AllocaInst *Variable = switchVariable(Block))
        Changed |= makeDirect(Block, *Variable);
  }
}

} // namespace pilgrim
