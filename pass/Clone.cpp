//===- Clone.cpp - A second copy of a function, with markers --------------===//
#include "pass/Clone.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace pilgrim {

namespace {

/// What a call must say of an argument as the function does, or it is passed in another way.
AttributeSet abiAttributes(LLVMContext &Context, AttributeSet Given) {
  AttrBuilder Kept(Context);
  for (Attribute::AttrKind Kind :
       {Attribute::ByVal, Attribute::StructRet, Attribute::InReg, Attribute::ByRef, Attribute::Alignment,
        Attribute::ZExt, Attribute::SExt, Attribute::Nest, Attribute::StackAlignment, Attribute::NoUndef})
    if (Given.hasAttribute(Kind))
      Kept.addAttribute(Given.getAttribute(Kind));
  return AttributeSet::get(Context, Kept);
}

/// Allocas stay in the entry block, or the stack would grow where they are.
BasicBlock *splitEntry(Function &Function) {
  BasicBlock &Entry = Function.getEntryBlock();
  BasicBlock::iterator End = Entry.begin();
  for (BasicBlock::iterator It = Entry.begin(); It != Entry.end();) {
    Instruction &I = *It++;
    auto *Alloca = dyn_cast<AllocaInst>(&I);
    if (!Alloca || !Alloca->isStaticAlloca())
      continue;
    if (End == I.getIterator())
      ++End;
    else
      Alloca->moveBefore(Entry, End);
  }
  return Entry.splitBasicBlock(End, "plain");
}

} // namespace

bool isClonable(const Function &Function) {
  if (Function.isVarArg() || Function.hasFnAttribute(Attribute::AlwaysInline) ||
      Function.hasFnAttribute(Attribute::NoDuplicate))
    return false;
  for (const Argument &Argument : Function.args())
    if (Argument.hasInAllocaAttr() || Argument.hasPreallocatedAttr() || Argument.hasSwiftErrorAttr() ||
        Argument.hasSwiftSelfAttr() || Argument.hasByRefAttr())
      return false;
  for (const BasicBlock &Block : Function)
    if (Block.hasAddressTaken()) // tables of them lead into the original
      return false;
  return true;
}

Function *cloneFunction(Function &Function) {
  Module &Module = *Function.getParent();
  ValueToValueMapTy Map;
  llvm::Function *Clone = CloneFunction(&Function, Map);
  Clone->setName(Function.getName() + ".pilgrim");
  bool Shared = Function.hasLinkOnceODRLinkage() || Function.hasWeakODRLinkage();
  Clone->setComdat(nullptr);
  Clone->setLinkage(Shared ? GlobalValue::LinkOnceODRLinkage : GlobalValue::InternalLinkage);
  Clone->setVisibility(Shared ? GlobalValue::HiddenVisibility : GlobalValue::DefaultVisibility);
  Clone->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  Clone->setDSOLocal(true);
  if (Shared)
    Clone->setComdat(Module.getOrInsertComdat(Clone->getName()));
  return Clone;
}

void dispatch(Function &Function, llvm::Function &Clone, GlobalVariable &Flag) {
  LLVMContext &Context = Function.getContext();
  BasicBlock *Plain = splitEntry(Function);
  BasicBlock *Marked = BasicBlock::Create(Context, "marked", &Function);
  Instruction *Old = Function.getEntryBlock().getTerminator();
  IRBuilder<> Builder(Old);
  if (DISubprogram *Program = Function.getSubprogram())
    Builder.SetCurrentDebugLocation(DILocation::get(Context, Program->getLine(), 0, Program));
  Value *IsOn = Builder.CreateIsNotNull(Builder.CreateLoad(Builder.getInt8Ty(), &Flag));
  Builder.CreateCondBr(IsOn, Marked, Plain, MDBuilder(Context).createBranchWeights(1, 2000));
  Old->eraseFromParent();

  Builder.SetInsertPoint(Marked);
  SmallVector<Value *> Arguments;
  SmallVector<AttributeSet> ArgumentAttributes;
  for (Argument &Argument : Function.args()) {
    Arguments.push_back(&Argument);
    ArgumentAttributes.push_back(abiAttributes(Context, Function.getAttributes().getParamAttrs(Argument.getArgNo())));
  }
  CallInst *Call = Builder.CreateCall(&Clone, Arguments);
  Call->setCallingConv(Function.getCallingConv());
  Call->setAttributes(AttributeList::get(
      Context, AttributeSet(), abiAttributes(Context, Function.getAttributes().getRetAttrs()), ArgumentAttributes));
  // Inlined it would cost the plain body registers. Not musttail: backends end the compilation where they cannot, as in
  // functions with setjmp.
  Call->addFnAttr(Attribute::NoInline);
  if (none_of(Function.args(), [](Argument &Argument) { return Argument.hasPassPointeeByValueCopyAttr(); }))
    Call->setTailCall();
  if (Function.getReturnType()->isVoidTy())
    Builder.CreateRetVoid();
  else
    Builder.CreateRet(Call);
}

} // namespace pilgrim
