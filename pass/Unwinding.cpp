//===- Unwinding.cpp - Frames that an exception or longjmp skipped --------===//
#include "pass/Unwinding.h"
#include "pass/Marking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/EscapeEnumerator.h"

using namespace llvm;

namespace pilgrim {

namespace {

/// Not by way of a linker's stub, which would overwrite the frames that are gone.
FunctionCallee dropper(Module &Module) {
  FunctionCallee Callee =
      Module.getOrInsertFunction("__pilgrim_drop", FunctionType::get(Type::getVoidTy(Module.getContext()), false));
  if (auto *Function = dyn_cast<llvm::Function>(Callee.getCallee()))
    for (Attribute::AttrKind Kind :
         {Attribute::NoUnwind, Attribute::NoCallback, Attribute::NonLazyBind, Attribute::Cold})
      Function->addFnAttr(Kind);
  return Callee;
}

bool mayReachMarkers(const CallBase &Call, const Reach &Reach) {
  return !Call.isInlineAsm() && !Call.doesNotThrow() && (!Calls::callee(Call) || Reach.kind(Call) != CallKind::None);
}

} // namespace

/// Whether exceptions of C++ may come by: others are not caught.
static bool mayUnwind(const Function &Function) {
  return !Function.doesNotThrow() && (Function.hasPersonalityFn() || Function.getName().starts_with("_Z") ||
                                      Function.getParent()->getFunction("__gxx_personality_v0"));
}

void popWhenUnwound(Function &Function, Value &Frame, function_ref<bool(const CallBase &)> IsPopped) {
  if (!mayUnwind(Function))
    return;
  Module &Module = *Function.getParent();
  if (!Function.hasPersonalityFn()) {
    auto *Type = FunctionType::get(llvm::Type::getInt32Ty(Module.getContext()), true);
    Function.setPersonalityFn(cast<Constant>(Module.getOrInsertFunction("__gxx_personality_v0", Type).getCallee()));
  }
  // Calls that are made after the frame was popped stay tail calls.
  SmallVector<CallInst *> Tails;
  SmallPtrSet<Instruction *, 4> Known; // ways out that have their markers
  for (Instruction &I : instructions(Function)) {
    if (I.isTerminator())
      Known.insert(&I);
    if (auto *Call = dyn_cast<CallInst>(&I); Call && IsPopped(*Call) && !Call->doesNotThrow()) {
      Call->setDoesNotThrow();
      Tails.push_back(Call);
    }
  }
  EscapeEnumerator Ends(Function, "pilgrim.unwound");
  while (IRBuilder<> *Builder = Ends.Next())
    if (!Known.contains(&*Builder->GetInsertPoint()))
      Builder->CreateStore(Builder->CreateLoad(Builder->getPtrTy(), &Frame), topVariable(Module));
  for (CallInst *Call : Tails)
    Call->removeFnAttr(Attribute::NoUnwind);
}

void dropSkippedFrames(Function &Function, const Reach &Reach) {
  SmallSetVector<Instruction *, 4> Places;
  for (Instruction &I : instructions(Function)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    auto *Invoke = dyn_cast<InvokeInst>(Call);
    if (Invoke && mayReachMarkers(*Invoke, Reach) && Invoke->getUnwindDest()->isLandingPad())
      Places.insert(&*Invoke->getUnwindDest()->getFirstInsertionPt());
    else if (isa<CallInst>(Call) && Call->hasFnAttr(Attribute::ReturnsTwice) && !Call->isMustTailCall())
      Places.insert(Call->getNextNode());
  }
  for (Instruction *Place : Places) {
    CallInst *Call = CallInst::Create(dropper(*Function.getParent()), {}, "", Place);
    if (DISubprogram *Program = Function.getSubprogram())
      Call->setDebugLoc(DILocation::get(Function.getContext(), 0, 0, Program));
  }
}

} // namespace pilgrim
