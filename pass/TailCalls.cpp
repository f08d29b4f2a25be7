//===- TailCalls.cpp - Recursion that must not grow the stack -------------===//
#include "pass/TailCalls.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace pilgrim {

namespace {

/// Follows what happens after a call as far as it is fixed: stores to variables that die with the function (the return
/// value's, the one that says where a cleanup goes on), and branches that they decide.
class AfterCall {
public:
  explicit AfterCall(CallInst &Call) : Call(Call) {}

  bool isReturn() {
    Block = Call.getParent();
    Instruction *Next = Call.getNextNode();
    for (unsigned Steps = 0; Next && Steps < 200; ++Steps) {
      if (auto *Return = dyn_cast<ReturnInst>(Next))
        return !Return->getReturnValue() || known(Return->getReturnValue()) == &Call;
      Next = step(*Next);
    }
    return false;
  }

private:
  Value *known(Value *V) const {
    auto Found = Values.find(V);
    return Found == Values.end() ? V : Found->second;
  }

  /// The instruction that follows, null where it is not known, or where this one matters.
  Instruction *step(Instruction &I) {
    if (isa<DbgInfoIntrinsic>(I) || I.isLifetimeStartOrEnd())
      return I.getNextNode();
    if (auto *Store = dyn_cast<StoreInst>(&I)) {
      if (!Store->isSimple() || !isa<AllocaInst>(Store->getPointerOperand()))
        return nullptr;
      Memory[Store->getPointerOperand()] = known(Store->getValueOperand());
      return I.getNextNode();
    }
    if (auto *Load = dyn_cast<LoadInst>(&I)) {
      auto Found = Memory.find(Load->getPointerOperand());
      if (!Load->isSimple() || Found == Memory.end() || Found->second->getType() != Load->getType())
        return nullptr;
      Values[Load] = Found->second;
      return I.getNextNode();
    }
    if (auto *Branch = dyn_cast<BranchInst>(&I)) {
      if (Branch->isUnconditional())
        return enter(Branch->getSuccessor(0));
      auto *Condition = dyn_cast<ConstantInt>(known(Branch->getCondition()));
      return Condition ? enter(Branch->getSuccessor(Condition->isZero())) : nullptr;
    }
    if (auto *Switch = dyn_cast<SwitchInst>(&I))
      if (auto *Condition = dyn_cast<ConstantInt>(known(Switch->getCondition())))
        return enter(Switch->findCaseValue(Condition)->getCaseSuccessor());
    return nullptr;
  }

  Instruction *enter(BasicBlock *Successor) {
    SmallVector<std::pair<Value *, Value *>> Incoming;
    for (PHINode &Phi : Successor->phis())
      Incoming.push_back({&Phi, known(Phi.getIncomingValueForBlock(Block))});
    for (auto [Phi, Value] : Incoming)
      Values[Phi] = Value;
    Block = Successor;
    return Successor->getFirstNonPHI();
  }

  CallInst &Call;
  BasicBlock *Block = nullptr;
  DenseMap<Value *, Value *> Memory, Values;
};

/// Whether the callee can have no pointer to the caller's stack.
bool leavesStackAlone(const CallInst &Call) {
  const Function &Function = *Call.getFunction();
  for (const Value *Argument : Call.args()) {
    SmallVector<const Value *, 4> Objects;
    if (Argument->getType()->isPointerTy())
      getUnderlyingObjects(Argument, Objects);
    for (const Value *Object : Objects)
      if (!isa<LoadInst, GlobalValue, llvm::Argument, ConstantPointerNull, CallBase>(Object))
        return false;
  }
  for (unsigned I = 0; I < Call.arg_size(); ++I)
    if (Call.isPassPointeeByValueArgument(I))
      return false;
  for (const llvm::Argument &Argument : Function.args())
    if (Argument.hasPassPointeeByValueCopyAttr())
      return false;
  for (const Instruction &I : instructions(Function))
    if (isa<AllocaInst>(I) && PointerMayBeCaptured(&I, /*ReturnCaptures=*/false, /*StoreCaptures=*/true))
      return false;
  return true;
}

void cutAfter(CallInst &Call) {
  BasicBlock *Block = Call.getParent();
  SmallPtrSet<BasicBlock *, 4> Seen;
  for (BasicBlock *Successor : successors(Block))
    if (Seen.insert(Successor).second)
      for (unsigned N = std::count(succ_begin(Block), succ_end(Block), Successor); N; --N)
        Successor->removePredecessor(Block, /*KeepOneInputPHIs=*/true);
  while (&Block->back() != &Call) {
    Instruction &Last = Block->back();
    if (!Last.use_empty())
      Last.replaceAllUsesWith(PoisonValue::get(Last.getType()));
    Last.eraseFromParent();
  }
  bool IsVoid = Call.getFunction()->getReturnType()->isVoidTy();
  ReturnInst *Return = ReturnInst::Create(Call.getContext(), IsVoid ? nullptr : &Call, Block);
  Return->setDebugLoc(Call.getDebugLoc());
}

} // namespace

/// Whether the compiler makes calls in tail position tail calls. If not, a debugger shows the frame, and so does the
/// tree.
static bool hasTailCalls(const Function &Function) {
  return !Function.hasOptNone() && !Function.getFnAttribute("disable-tail-calls").getValueAsBool();
}

TailCalls isolateTailCalls(Function &Function, function_ref<bool(const CallInst &)> IsRecursive) {
  const bool HasTailCalls = hasTailCalls(Function);
  TailCalls Result;
  SmallVector<CallInst *> Found;
  for (Instruction &I : instructions(Function)) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call)
      continue;
    if (Call->isMustTailCall())
      Result.insert(Call);
    else if (HasTailCalls && !Call->isNoTailCall() && IsRecursive(*Call) && AfterCall(*Call).isReturn())
      Found.push_back(Call);
  }
  for (CallInst *Call : Found) {
    cutAfter(*Call);
    Result.insert(Call);
  }
  for (CallInst *Call : Found)
    if (leavesStackAlone(*Call))
      Call->setTailCall();
  return Result;
}

} // namespace pilgrim
