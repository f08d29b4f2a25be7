//===- Teams.cpp - Teams of threads know where they start -----------------===//
#include "pass/Teams.h"
#include "pass/Marking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace pilgrim {

namespace {

// The arguments of __kmpc_fork_call and its kin: how many are for the function, the function, the first one for it. Of
// __kmpc_fork_call_if that is one pointer, with a condition before it.
constexpr unsigned Number = 1, Called = 2, FirstPassed = 3, OnlyPassed = 4;
// What the library itself passes to the function.
constexpr unsigned OwnArguments = 2;

void callRuntime(IRBuilder<> &Builder, StringRef Name, ArrayRef<Value *> Arguments) {
  Module &Module = *Builder.GetInsertBlock()->getModule();
  SmallVector<Type *> Types(Arguments.size(), Builder.getPtrTy());
  FunctionCallee Callee = Module.getOrInsertFunction(Name, FunctionType::get(Builder.getVoidTy(), Types, false));
  if (auto *Function = dyn_cast<llvm::Function>(Callee.getCallee()))
    for (Attribute::AttrKind Kind : {Attribute::NoUnwind, Attribute::NoCallback, Attribute::NonLazyBind})
      Function->addFnAttr(Kind);
  Builder.CreateCall(Callee, Arguments)->setDoesNotThrow();
}

/// What is passed where one pointer has to do: the function's own argument, and the PilgrimFork.
StructType *pairType(LLVMContext &Context) {
  Type *Pointer = PointerType::getUnqual(Context);
  return StructType::get(Pointer, Pointer);
}

/// Calls Body between what markers need. Body is not inlined, so it is compiled as it would be without. IsPair: see
/// pairType().
Function *makeMember(Function &Body, bool IsPair) {
  Module &Module = *Body.getParent();
  std::string Name = (Body.getName() + ".team").str();
  if (Function *Known = Module.getFunction(Name))
    return Known;
  LLVMContext &Context = Module.getContext();
  SmallVector<Type *> Types(Body.getFunctionType()->params());
  if (IsPair)
    Types.truncate(OwnArguments);
  Types.push_back(PointerType::getUnqual(Context));
  auto *Member = Function::Create(FunctionType::get(Type::getVoidTy(Context), Types, false),
                                  GlobalValue::InternalLinkage, Name, Module);
  Member->setCallingConv(Body.getCallingConv());
  for (StringRef Kind : {"frame-pointer", "target-cpu", "target-features"})
    if (Body.hasFnAttribute(Kind))
      Member->addFnAttr(Body.getFnAttribute(Kind));
  for (Attribute::AttrKind Kind : {Attribute::NoUnwind, Attribute::UWTable})
    if (Body.hasFnAttribute(Kind))
      Member->addFnAttr(Body.getFnAttribute(Kind));
  IRBuilder<> Builder(BasicBlock::Create(Context, "", Member));
  Value *Link = Builder.CreateAlloca(frameType(Context), nullptr, "pilgrim.link");
  SmallVector<Value *> Passed;
  for (Argument &Argument : Member->args())
    Passed.push_back(&Argument);
  Value *Fork = Passed.pop_back_val();
  if (IsPair) {
    if (Body.arg_size() > OwnArguments)
      Passed.push_back(Builder.CreateLoad(Builder.getPtrTy(), Fork));
    Value *Second = Builder.CreateStructGEP(pairType(Context), Fork, 1);
    Fork = Builder.CreateLoad(Builder.getPtrTy(), Second);
  }
  callRuntime(Builder, "__pilgrim_join_team", {Link, Fork});
  CallInst *Call = Builder.CreateCall(&Body, Passed);
  Call->setCallingConv(Body.getCallingConv());
  Call->addFnAttr(Attribute::NoInline);
  callRuntime(Builder, "__pilgrim_leave_team", {Link});
  Builder.CreateRetVoid();
  return Member;
}

AllocaInst *addVariable(Function &Function, Type *Type, const Twine &Name) {
  BasicBlock &Entry = Function.getEntryBlock();
  return IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(Type, nullptr, Name);
}

/// The call with one argument more. All others are where they were.
void addArgument(CallInst &Fork, Value *Last) {
  SmallVector<Value *> Arguments(Fork.args());
  auto *Count = cast<ConstantInt>(Arguments[Number]);
  Arguments[Number] = ConstantInt::get(Count->getType(), Count->getZExtValue() + 1);
  Arguments.push_back(Last);
  CallInst *New = CallInst::Create(Fork.getFunctionType(), Fork.getCalledOperand(), Arguments, "", &Fork);
  New->setCallingConv(Fork.getCallingConv());
  New->setAttributes(Fork.getAttributes());
  New->setTailCallKind(Fork.getTailCallKind());
  New->copyMetadata(Fork);
  Fork.eraseFromParent();
}

} // namespace

void tellTeam(CallInst &Fork, Value &Frame) {
  LLVMContext &Context = Fork.getContext();
  Type *Pointer = PointerType::getUnqual(Context), *I64 = Type::getInt64Ty(Context);
  auto *Body = dyn_cast<Function>(Fork.getArgOperand(Called)->stripPointerCasts());
  bool IsPair = Fork.getCalledFunction()->getName().ends_with("_if");
  unsigned Passed = Fork.arg_size() - (IsPair ? OnlyPassed : FirstPassed);
  if (!Body || Body->isDeclaration() || !Body->getReturnType()->isVoidTy() ||
      !isa<ConstantInt>(Fork.getArgOperand(Number)))
    return;
  if (IsPair ? Body->arg_size() > OwnArguments + 1 : Body->arg_size() != OwnArguments + Passed)
    return;
  Function &Around = *Fork.getFunction();
  Value *Place = addVariable(Around, StructType::get(Pointer, I64, I64), "pilgrim.fork");
  Function *Member = makeMember(*Body, IsPair);
  IRBuilder<> Builder(&Fork);
  callRuntime(Builder, "__pilgrim_fork", {Place, &Frame});
  Fork.setArgOperand(Called, Member);
  if (!IsPair)
    return addArgument(Fork, Place);
  Value *Pair = addVariable(Around, pairType(Context), "pilgrim.pair");
  Builder.CreateStore(Fork.getArgOperand(OnlyPassed), Pair);
  Builder.CreateStore(Place, Builder.CreateStructGEP(pairType(Context), Pair, 1));
  Fork.setArgOperand(Number, ConstantInt::get(Fork.getArgOperand(Number)->getType(), 1));
  Fork.setArgOperand(OnlyPassed, Pair);
}

} // namespace pilgrim
