//===- Settle.cpp - What only the linker knows ----------------------------===//
#include "pass/Settle.h"
#include "pass/Marking.h"
#include "pass/Reach.h"
#include "pass/Records.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace pilgrim {

namespace {

/// A flag that nothing will set: the functions behind it have no MPI call to reach.
void switchOff(GlobalVariable &Flag) {
  SmallVector<LoadInst *> Loads;
  for (User *User : Flag.users())
    if (auto *Load = dyn_cast<LoadInst>(User))
      Loads.push_back(Load);
  for (LoadInst *Load : Loads) {
    Load->replaceAllUsesWith(Constant::getNullValue(Load->getType()));
    Load->eraseFromParent();
  }
}

bool isMarker(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return false;
  StringRef Name = Callee->getName();
  return Name == "__pilgrim_enter" || Name == "__pilgrim_enter_loop" || Name == "__pilgrim_next" ||
         Name == "__pilgrim_exit" || Name == "__pilgrim_fork" || Name == "__pilgrim_join_team" ||
         Name == "__pilgrim_leave_team";
}

/// The frames stay, with zeros that nobody reads: the optimiser takes them away.
void removeMarkers(Function &Function, const GlobalVariable *Top) {
  SmallVector<Instruction *> Dead;
  SmallSetVector<AllocaInst *, 2> Frames;
  for (Instruction &I : instructions(Function)) {
    auto *Call = dyn_cast<CallBase>(&I);
    auto *Store = dyn_cast<StoreInst>(&I);
    if (Call && isMarker(*Call)) {
      if (auto *Frame = dyn_cast<AllocaInst>(getUnderlyingObject(Call->getArgOperand(0))))
        Frames.insert(Frame);
      Dead.push_back(Call);
    } else if (Store && Top && Store->getPointerOperand()->stripPointerCasts() == Top) {
      Dead.push_back(Store);
    }
  }
  for (Instruction *I : Dead) {
    if (auto *Invoke = dyn_cast<InvokeInst>(I)) {
      BranchInst::Create(Invoke->getNormalDest(), Invoke);
      Invoke->getUnwindDest()->removePredecessor(Invoke->getParent());
    }
    I->eraseFromParent();
  }
  for (AllocaInst *Frame : Frames)
    new StoreInst(Constant::getNullValue(Frame->getAllocatedType()), Frame, Frame->getNextNode());
}

} // namespace

PreservedAnalyses SettlePass::run(Module &Module, ModuleAnalysisManager &) {
  TargetLibraryInfoImpl Library((Triple(Module.getTargetTriple())));
  TargetLibraryInfo LibraryInfo(Library);
  Calls Names(LibraryInfo);
  Reach Reach(Module, Names);
  for (GlobalVariable &Variable : Module.globals())
    if (const Function *Clone = Records::behindFlag(Variable); Clone && Reach.state(*Clone) == Reach::Nothing)
      switchOff(Variable);
  const GlobalVariable *Top = Module.getNamedGlobal("__pilgrim_top");
  for (Function &Function : Module)
    if (!Function.isDeclaration() && Reach.state(Function) == Reach::Nothing)
      removeMarkers(Function, Top);
  return PreservedAnalyses::none();
}

} // namespace pilgrim
