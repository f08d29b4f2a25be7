//===- Arms.cpp - What the ways on from a branch are called ---------------===//
#include "pass/Arms.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace pilgrim {

/// What flang calls every module.
static constexpr const char *FlangModule = "FIRModule";

bool Arms::isFortran(const Module &Module) { return Module.getSourceFileName() == FlangModule; }

static bool isHandler(const BasicBlock &Block) {
  for (const Instruction &I : Block)
    if (const auto *Call = dyn_cast<CallBase>(&I))
      if (const Function *Callee = Call->getCalledFunction(); Callee && Callee->getName() == "__cxa_begin_catch")
        return true;
  return false;
}

/// Whether a block does nothing but leave a scope: it ends lifetimes, or notes where to go on behind the scope's end.
static bool isCleanup(const BasicBlock &Block) {
  const auto *End = dyn_cast<BranchInst>(Block.getTerminator());
  if (!End || End->isConditional() || Block.sizeWithoutDebug() < 2)
    return false;
  return all_of(Block, [](const Instruction &I) {
    const auto *Store = dyn_cast<StoreInst>(&I);
    return isa<IntrinsicInst>(I) || I.isTerminator() || (Store && isa<Constant>(Store->getValueOperand()));
  });
}

Arms::Arms(const Function &Function) : IsFortran(isFortran(*Function.getParent())) {
  SmallVector<const BasicBlock *, 32> Todo{&Function.getEntryBlock()};
  DenseSet<const BasicBlock *> Usual{&Function.getEntryBlock()};
  SmallVector<const BasicBlock *, 8> Pads;
  unsigned Next = 0;
  for (const BasicBlock &Block : Function) {
    Position[&Block] = Next++;
    if (Block.isEHPad())
      Pads.push_back(&Block);
  }
  if (Pads.empty())
    return;
  while (!Todo.empty())
    for (const BasicBlock *To : successors(Todo.pop_back_val()))
      if (!To->isEHPad() && Usual.insert(To).second)
        Todo.push_back(To);
  for (const BasicBlock *Pad : Pads)
    if (!isHandler(*Pad) && Unwinding.insert(Pad).second)
      Todo.push_back(Pad);
  while (!Todo.empty())
    for (const BasicBlock *To : successors(Todo.pop_back_val()))
      if (!Usual.contains(To) && !isHandler(*To) && Unwinding.insert(To).second)
        Todo.push_back(To);
}

/// Of "if (!C)" the compiler tests C, and has exchanged the ways on. What is done if the condition of the source holds
/// stands first. Not so with "A || B", where B stands first, and leads to the same block.
bool Arms::isNegated(const Instruction &Branch) const {
  if (IsFortran)
    return false; // flang negates the condition itself
  const BasicBlock *First = Branch.getSuccessor(0), *Second = Branch.getSuccessor(1);
  if (Position.lookup(Second) > Position.lookup(First))
    return false;
  // What ends a loop's variables stands before the loop's body. The condition may have several parts.
  constexpr unsigned MostParts = 8;
  SmallVector<const BasicBlock *, MostParts> Parts{Branch.getParent()};
  for (unsigned Part = 0; Part < Parts.size() && isCleanup(*Second); ++Part)
    for (const BasicBlock *Before : predecessors(Parts[Part])) {
      if (Position.lookup(Before) > Position.lookup(Branch.getParent()))
        return false;
      if (Parts.size() < MostParts && !is_contained(Parts, Before))
        Parts.push_back(Before);
    }
  const auto *Next = dyn_cast<BranchInst>(Second->getTerminator());
  if (!Next || !Next->isConditional())
    return true;
  const BasicBlock *Earlier = Next->getSuccessor(0), *Later = Next->getSuccessor(1);
  if (Position.lookup(Later) < Position.lookup(Earlier))
    std::swap(Earlier, Later);
  return Earlier != First;
}

static unsigned numberOf(ArmName Name) { return static_cast<unsigned>(Name); }

/// What is done if it holds stands first, however its parts are joined or negated.
unsigned Arms::nameOfWhole(const BasicBlock *To, const BasicBlock *Other) const {
  return numberOf(Position.lookup(To) < Position.lookup(Other) ? ArmName::True : ArmName::False);
}

unsigned Arms::name(const Instruction &Branch, unsigned Successor) const {
  if (const auto *Switch = dyn_cast<SwitchInst>(&Branch)) {
    const BasicBlock *To = Switch->getSuccessor(Successor);
    if (To == Switch->getDefaultDest())
      return numberOf(ArmName::Default);
    // Several values may lead to one block: the first one names it.
    for (const auto &Case : Switch->cases())
      if (Case.getCaseSuccessor() == To) {
        const APInt &Value = Case.getCaseValue()->getValue();
        if (Value.getSignificantBits() > 28)
          return numberOf(ArmName::Other);
        const int64_t V = Value.getSExtValue();
        return numberOf(ArmName::Case) + static_cast<unsigned>(V < 0 ? -V * 2 - 1 : V * 2);
      }
    return numberOf(ArmName::Other);
  }
  const auto *Two = dyn_cast<BranchInst>(&Branch);
  if (!Two || !Two->isConditional())
    return numberOf(ArmName::Other);
  // Constructs of OpenMP begin with "if (__kmpc_master(...))".
  if (const auto *Compare = dyn_cast<CmpInst>(Two->getCondition()))
    if (const auto *Call = dyn_cast<CallBase>(Compare->getOperand(0)))
      if (const Function *Callee = Call->getCalledFunction()) {
        if (Callee->getName() == "__kmpc_master")
          return numberOf(ArmName::Master);
        if (Callee->getName() == "__kmpc_masked")
          return numberOf(ArmName::Masked);
        if (Callee->getName() == "__kmpc_single")
          return numberOf(ArmName::Single);
      }
  return numberOf((Successor != 0) != isNegated(Branch) ? ArmName::False : ArmName::True);
}

} // namespace pilgrim
