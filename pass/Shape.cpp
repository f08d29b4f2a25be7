//===- Shape.cpp - Brings a function into a form for markers --------------===//
#include "pass/Shape.h"
#include "pass/Cleanups.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace pilgrim {

bool isFixedEdge(const BasicBlock *From, const BasicBlock *To) {
  return To->isEHPad() || isa<IndirectBrInst>(From->getTerminator());
}

bool isInCoroutine(const llvm::Function &Function) {
  return Function.isPresplitCoroutine() || Function.getName().contains(".__await_suspend_wrapper__");
}

bool Shape::isSupported(const llvm::Function &Function) {
  if (Function.hasFnAttribute(Attribute::Naked) || isInCoroutine(Function) || Function.hasAvailableExternallyLinkage())
    return false;
  for (const BasicBlock &Block : Function) {
    const Instruction *End = Block.getTerminator();
    if (isa<CallBrInst, CatchSwitchInst, CleanupReturnInst, CatchReturnInst>(End))
      return false;
    if (const auto *Invoke = dyn_cast<InvokeInst>(End))
      if (Invoke->hasFnAttr(Attribute::ReturnsTwice))
        return false;
  }
  return true;
}

/// Not removeUnreachableBlocks(), which makes a branch of a switch with one case: what its ways are called is lost
/// then.
static void removeDeadBlocks(Function &Function) {
  for (BasicBlock &Block : Function) {
    const auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
    const auto *Switch = dyn_cast<SwitchInst>(Block.getTerminator());
    if ((Branch && Branch->isConditional() && isa<Constant>(Branch->getCondition())) ||
        (Switch && isa<Constant>(Switch->getCondition())))
      ConstantFoldTerminator(&Block, true);
  }
  EliminateUnreachableBlocks(Function);
}

Shape::Shape(llvm::Function &Function, const llvm::Function &Named, const class Reach &Reach)
    : Function(Function), Reach(Reach) {
  Tails = isolateTailCalls(Function, [&](const CallInst &Call) {
    const llvm::Function *Callee = Calls::callee(Call);
    return Callee && Reach.kind(Call) == CallKind::Call && Reach.inOneCycle(Named, *Callee);
  });
  makeCleanupsDirect(Function);
  removeDeadBlocks(Function);
  splitSecondReturns();
  Tree.recalculate(Function);
  Loops.analyze(Tree);
  chooseRegions(Reach.state(Named));
  sortBlocks();
  Sections.find(Order, [this](const CallBase &Call) { return kind(Call) != CallKind::None; });
}

/// The first successors first, as in the source.
void Shape::sortBlocks() {
  SmallPtrSet<BasicBlock *, 16> Seen;
  SmallVector<std::pair<BasicBlock *, unsigned>> Path;
  auto Enter = [&](BasicBlock *Block) {
    if (Seen.insert(Block).second)
      Path.push_back({Block, Block->getTerminator()->getNumSuccessors()});
  };
  for (Enter(&Function.getEntryBlock()); !Path.empty();) {
    auto &[Block, Left] = Path.back();
    if (Left > 0) {
      Enter(Block->getTerminator()->getSuccessor(--Left));
      continue;
    }
    Order.push_back(Block);
    Path.pop_back();
  }
  std::reverse(Order.begin(), Order.end());
}

CallKind Shape::kind(const CallBase &Call) const {
  if (isTail(Call))
    return CallKind::None;
  CallKind Kind = Reach.kind(Call);
  return Kind == CallKind::None && Callbacks.contains(&Call) ? CallKind::Call : Kind;
}

Loop *Shape::region(const BasicBlock *Block) const {
  Loop *Found = Loops.getLoopFor(Block);
  while (Found && !isRegion(Found))
    Found = Found->getParentLoop();
  return Found;
}

void Shape::splitSecondReturns() {
  SmallVector<Instruction *> Found;
  for (Instruction &I : instructions(Function))
    if (auto *Call = dyn_cast<CallInst>(&I))
      if (Call->hasFnAttr(Attribute::ReturnsTwice) && !Call->isMustTailCall())
        Found.push_back(Call);
  ReturnsTwice = !Found.empty();
  for (Instruction *Call : Found) {
    BasicBlock *Block = SplitBlock(Call->getParent(), Call->getNextNode());
    SecondReturns.insert(Block);
    cut(Block);
  }
}

bool Shape::isAwkward(const Loop &Loop) const {
  if (Loop.getHeader()->isEHPad())
    return true;
  for (const BasicBlock *Block : Loop.blocks()) {
    if (SecondReturns.contains(Block))
      return true;
    // A computed goto that begins, goes on with or leaves the loop.
    if (isa<IndirectBrInst>(Block->getTerminator()))
      for (const BasicBlock *To : successors(Block))
        if (!Loop.contains(To) || To == Loop.getHeader())
          return true;
  }
  for (const BasicBlock *From : predecessors(Loop.getHeader()))
    if (isFixedEdge(From, Loop.getHeader()))
      return true;
  return false;
}

/// A call of an unknown function is an event. If this function is not sure to reach MPI, such a call alone does not
/// make a loop a region, since that may be much of what the loop does. Then what it calls stands at no event.
void Shape::chooseRegions(Reach::State Reaches) {
  SmallVector<CallBase *> Unknown;
  for (Instruction &I : instructions(Function))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && !Call->hasFnAttr(Attribute::ReturnsTwice) && !isa<CallBrInst>(Call) && Reach.mayCallBack(*Call))
      Unknown.push_back(Call);
  if (Reaches == Reach::Certain)
    Callbacks.insert(Unknown.begin(), Unknown.end());
  SmallPtrSet<const Loop *, 8> WithEvents;
  for (Instruction &I : instructions(Function)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || kind(*Call) == CallKind::None)
      continue;
    for (Loop *Loop = Loops.getLoopFor(I.getParent()); Loop && WithEvents.insert(Loop).second;)
      Loop = Loop->getParentLoop();
  }
  for (Loop *Loop : Loops.getLoopsInPreorder()) {
    if (!WithEvents.contains(Loop))
      continue;
    if (!isAwkward(*Loop) && makeRegion(*Loop))
      Regions.insert(Loop);
    else
      cut(Loop->getHeader());
  }
  for (Loop *Loop : Loops.getLoopsInPreorder())
    if (isRegion(Loop))
      joinExits(*Loop);
  for (CallBase *Call : Unknown) {
    Loop *Outermost = nullptr;
    for (Loop *Loop = Loops.getLoopFor(Call->getParent()); Loop && !WithEvents.contains(Loop);
         Loop = Loop->getParentLoop())
      Outermost = Loop;
    if (!Outermost) {
      Callbacks.insert(Call);
      continue;
    }
    BasicBlock *Before = Outermost->getLoopPreheader();
    if (!Before)
      Before = InsertPreheaderForLoop(Outermost, &Tree, &Loops, nullptr, false);
    if (Before)
      Forgetting.insert(Before->getTerminator());
  }
  // Where a computed goto may lead.
  for (BasicBlock &Block : Function)
    if (isa<IndirectBrInst>(Block.getTerminator()))
      for (BasicBlock *To : successors(&Block))
        cut(To);
}

/// A block before the loop that leads nowhere else, and one back edge that does nothing else.
bool Shape::makeRegion(Loop &Loop) {
  if (!Loop.getLoopPreheader() && !InsertPreheaderForLoop(&Loop, &Tree, &Loops, nullptr, false))
    return false;
  BasicBlock *Header = Loop.getHeader(), *Latch = Loop.getLoopLatch();
  if (Latch && Latch->getUniqueSuccessor() && Latch->getTerminator()->getNumSuccessors() == 1)
    return true;
  SmallVector<BasicBlock *> Latches;
  Loop.getLoopLatches(Latches);
  MDNode *Metadata = nullptr;
  for (BasicBlock *Each : Latches)
    if (MDNode *Found = Each->getTerminator()->getMetadata(LLVMContext::MD_loop))
      Metadata = Found;
  Latch = SplitBlockPredecessors(Header, Latches, ".latch", &Tree, &Loops);
  if (!Latch)
    return false;
  for (BasicBlock *Each : Latches)
    Each->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
  Latch->getTerminator()->setMetadata(LLVMContext::MD_loop, Metadata);
  return true;
}

/// Ways out of the loop to one block that others lead to, too, go through a block of their own: that is where the
/// loop's frame is popped, once for all of them.
void Shape::joinExits(Loop &Loop) {
  SmallVector<BasicBlock *> Exits;
  Loop.getUniqueExitBlocks(Exits);
  for (BasicBlock *Exit : Exits) {
    SmallVector<BasicBlock *> Ours;
    bool Others = false, Fixed = false;
    SmallPtrSet<BasicBlock *, 8> Seen;
    for (BasicBlock *From : predecessors(Exit)) {
      if (!Seen.insert(From).second)
        continue;
      Fixed |= isFixedEdge(From, Exit);
      if (region(From) == &Loop)
        Ours.push_back(From);
      else
        Others = true;
    }
    if (!Fixed && Others && Ours.size() > 1)
      SplitBlockPredecessors(Exit, Ours, ".exit", &Tree, &Loops);
  }
}

} // namespace pilgrim
