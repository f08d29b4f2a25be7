//===- Marking.cpp - The code of markers ----------------------------------===//
#include "pass/Marking.h"
#include "api/Markers.h"
#include "pass/OpenMp.h"
#include "pass/Teams.h"
#include "pass/Unwinding.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace pilgrim {

namespace {

/// One of the functions of api/Markers.h that keep the registers they are called with: not by way of a linker's stub,
/// which keeps fewer.
CallInst *callRuntime(IRBuilder<> &Builder, Module &Module, StringRef Name, ArrayRef<Value *> Arguments) {
  SmallVector<Type *> Types;
  for (Value *Argument : Arguments)
    Types.push_back(Argument->getType());
  FunctionCallee Callee = Module.getOrInsertFunction(Name, FunctionType::get(Builder.getVoidTy(), Types, false));
  bool KeepsRegisters = Triple(Module.getTargetTriple()).getArch() == Triple::x86_64;
  CallingConv::ID Convention = KeepsRegisters ? CallingConv::PreserveMost : CallingConv::C;
  if (auto *Function = dyn_cast<llvm::Function>(Callee.getCallee())) {
    for (Attribute::AttrKind Kind : {Attribute::NoUnwind, Attribute::NoCallback, Attribute::NonLazyBind})
      Function->addFnAttr(Kind);
    Function->setCallingConv(Convention);
  }
  CallInst *Call = Builder.CreateCall(Callee, Arguments);
  Call->setCallingConv(Convention);
  Call->setDoesNotThrow();
  return Call;
}

} // namespace

StructType *frameType(LLVMContext &Context) {
  Type *Pointer = PointerType::getUnqual(Context), *I64 = Type::getInt64Ty(Context), *I32 = Type::getInt32Ty(Context);
  return StructType::get(Pointer, Pointer, Pointer, I64, I32, I32);
}

GlobalVariable *topVariable(Module &Module) {
  if (GlobalVariable *Known = Module.getNamedGlobal("__pilgrim_top"))
    return Known;
  return new GlobalVariable(Module, PointerType::getUnqual(Module.getContext()), false, GlobalValue::ExternalLinkage,
                            nullptr, "__pilgrim_top", nullptr, GlobalValue::InitialExecTLSModel);
}

Marking::Marking(Shape &Shape, const Regions &Regions, GlobalVariable &Descriptors)
    : TheShape(Shape), TheRegions(Regions), Descriptors(Descriptors), Module(*Shape.function().getParent()),
      Builder(Module.getContext()), FrameType(frameType(Module.getContext())), Top(topVariable(Module)) {}

void Marking::write(const std::vector<Place> &Places) {
  // What markers split is looked at before.
  BasicBlock &Entry = TheShape.function().getEntryBlock();
  BasicBlock::iterator First = Entry.getFirstInsertionPt();
  while (isa<AllocaInst>(*First) || First->isDebugOrPseudoInst())
    ++First;
  findCalls();
  SmallVector<std::pair<Instruction *, const Region *>, 4> Forgetting;
  for (Instruction *Place : TheShape.forgetting())
    Forgetting.emplace_back(Place, &TheRegions.of(Place->getParent()));
  makeVariables();
  begin(&*First);
  Value *Body = frame(*TheRegions.all().front());
  enter(*TheRegions.all().front());
  for (const Place &Place : Places)
    for (const Action &Action : Place.Todo)
      write(Action, Place.Before);
  // After what is done on the way to their block.
  for (const CallEvent &Event : Calls)
    write(Event);
  for (const auto &[Place, In] : Forgetting) {
    begin(Place);
    storeNumber(*In, 0);
  }
  for (Instruction *End : Ends) {
    begin(End);
    leave(*TheRegions.all().front());
  }
  popWhenUnwound(TheShape.function(), *Body, [&](const CallBase &Call) { return TheShape.isTail(Call); });
}

/// Events that are calls, and where the function ends.
void Marking::findCalls() {
  for (BasicBlock *Block : TheShape.blocks()) {
    const Region &Region = TheRegions.of(Block);
    const CallBase *Last = nullptr;
    for (Instruction &I : *Block) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      if (TheShape.isNode(*Call)) {
        Calls.push_back({Call, &Region, Last ? Region.between(Last, Call) : 0, false});
        Last = Call;
      } else if (isa<CallInst>(Call) && TheShape.isSecondReturn(Block->getSingleSuccessor()) &&
                 Call->getNextNode() == Block->getTerminator()) {
        Calls.push_back({Call, &Region, 0, true});
      }
    }
    Instruction *End = Block->getTerminator();
    if (!isa<ReturnInst, ResumeInst>(End))
      continue;
    // The frame is gone when a tail call is made.
    for (Instruction &I : *Block)
      if (auto *Call = dyn_cast<CallBase>(&I); Call && TheShape.isTail(*Call))
        End = Call;
    Ends.push_back(End);
  }
}

void Marking::makeVariables() {
  BasicBlock &Entry = TheShape.function().getEntryBlock();
  IRBuilder<> AtStart(&Entry, Entry.begin());
  unsigned Depths = 0;
  for (auto &Region : TheRegions.all())
    Depths = std::max(Depths, Region->Depth + 1);
  Sums.assign(Depths, nullptr);
  FramesType = ArrayType::get(FrameType, Depths);
  Frames = AtStart.CreateAlloca(FramesType, nullptr, "pilgrim.frame");
  if (!TheShape.returnsTwice())
    return;
  for (auto &Region : TheRegions.all())
    if (AllocaInst *&Sum = Sums[Region->Depth]; Region->hasSums() && !Sum)
      Sum = AtStart.CreateAlloca(AtStart.getInt64Ty(), nullptr, "pilgrim.sum");
}

void Marking::begin(Instruction *Before) {
  Builder.SetInsertPoint(Before);
  const DISubprogram *Program = TheShape.function().getSubprogram();
  if (!Builder.getCurrentDebugLocation() && Program)
    Builder.SetCurrentDebugLocation(DILocation::get(Module.getContext(), 0, 0, const_cast<DISubprogram *>(Program)));
}

void Marking::write(const Action &Action, Instruction *Before) {
  const Region &Region = *Action.Where;
  begin(Before);
  switch (Action.What) {
  case Action::Add:
    return add(Region, Action.Value);
  case Action::Enter:
    return enter(Region);
  case Action::Visit:
  case Action::Cut:
    return endVisit(Region, true, *Action.Start);
  case Action::CutLate:
    return endVisit(Region, false, *Action.Start);
  case Action::Leave:
    return leave(Region);
  case Action::Restore:
    Builder.CreateStore(frame(Region), Top);
  }
}

void Marking::write(const CallEvent &Event) {
  const Region &Region = *Event.Where;
  begin(Event.Call);
  if (Event.Between)
    add(Region, Event.Between);
  if (TheShape.sections().begins(*Event.Call))
    return;
  if (!Event.IsSecondReturn) {
    if (!Region.hasOneEvent())
      storeEvent(Region, Event.Call);
    if (auto *Fork = dyn_cast<CallInst>(Event.Call); Fork && openmp::isFork(*Fork))
      tellTeam(*Fork, *frame(Region));
    return;
  }
  // The only way from here is the end of the path.
  storeSum(Region);
}

/// The frame is cleared with all of a number, so that a byte of it is enough for small ones.
void Marking::storeEvent(const Region &Region, const void *CallOrRegion) {
  storeSum(Region);
  storeNumber(Region, Region.number(CallOrRegion));
}

void Marking::storeNumber(const Region &Region, unsigned Number) {
  bool IsByte = Region.Events.size() <= UINT8_MAX && Module.getDataLayout().isLittleEndian();
  Builder.CreateStore(IsByte ? Builder.getInt8(Number) : Builder.getInt32(Number), field(Region, Event));
}

void Marking::enter(const Region &Region) {
  unsigned Number = Region.Parent ? Region.Parent->number(&Region) : 0;
  if (Region.Parent)
    storeSum(*Region.Parent);
  if (Region.Parent && Number <= UINT16_MAX && Region.Index - Region.Parent->Index <= UINT16_MAX) {
    uint32_t Both = (Region.Index - Region.Parent->Index) << 16 | Number;
    callRuntime(Builder, Module, "__pilgrim_enter_loop", {frame(Region), Builder.getInt32(Both)});
  } else {
    if (Region.Parent)
      storeEvent(*Region.Parent, &Region);
    Value *Own = Builder.CreateConstInBoundsGEP2_32(Descriptors.getValueType(), &Descriptors, 0, Region.Index);
    callRuntime(Builder, Module, "__pilgrim_enter", {frame(Region), Own});
  }
  beginVisit(Region, 0, Region.afterBase(Region.header()));
  if (Region.hasOneEvent())
    storeEvent(Region, find_if(Region.Events, [](const pilgrim::Event &E) { return E.Kind != PilgrimArm; })->Call);
}

void Marking::leave(const Region &Region) {
  storeSum(Region);
  callRuntime(Builder, Module, "__pilgrim_exit", {frame(Region)});
}

void Marking::endVisit(const Region &Region, bool SumIsKnown, const BasicBlock &Start) {
  if (SumIsKnown)
    storeSum(Region);
  if (any_of(Region.Events, [](const pilgrim::Event &E) { return E.Kind == PilgrimSite; })) {
    callRuntime(Builder, Module, "__pilgrim_next", {frame(Region)});
    return beginVisit(Region, Region.base(&Start), Region.afterBase(&Start));
  }
  // Loops of calls alone may be those of a program's work: a look at the frame costs less than a call.
  Value *Touched = Builder.CreateLoad(Builder.getInt32Ty(), field(Region, Field::Touched));
  Instruction *Before = &*Builder.GetInsertPoint();
  MDNode *Weights = MDBuilder(Module.getContext()).createBranchWeights(1, 2000);
  Instruction *Then = SplitBlockAndInsertIfThen(Builder.CreateIsNotNull(Touched), Before, false, Weights);
  Builder.SetInsertPoint(Then);
  callRuntime(Builder, Module, "__pilgrim_next", {frame(Region)});
  Builder.SetInsertPoint(Before);
  if (Region.hasSums())
    Builder.CreateStore(Builder.getInt64(0), field(Region, Field::Sum));
  Builder.CreateStore(Builder.getInt32(0), field(Region, Field::Event));
  beginVisit(Region, Region.base(&Start), Region.afterBase(&Start));
}

/// The frame's sum is 0 here.
void Marking::beginVisit(const Region &Region, uint64_t Base, uint64_t Added) {
  if (AllocaInst *Sum = Sums[Region.Depth])
    Builder.CreateStore(Builder.getInt64(Base + Added), Sum);
  else
    Base += Added;
  if (Base)
    Builder.CreateStore(Builder.getInt64(Base), field(Region, Sum));
}

/// Half of the number is enough where there are few paths.
void Marking::add(const Region &Region, uint64_t Value) {
  llvm::Value *Sum = Sums[Region.Depth] ? Sums[Region.Depth] : field(Region, Field::Sum);
  bool IsHalf = Region.Graph->paths() <= INT32_MAX && Module.getDataLayout().isLittleEndian();
  Type *Type = Builder.getIntNTy(IsHalf ? 32 : 64);
  llvm::Value *Old = Builder.CreateLoad(Type, Sum);
  Builder.CreateStore(Builder.CreateAdd(Old, ConstantInt::get(Type, Value)), Sum);
}

/// Where setjmp may return, the sum that the frame keeps is that of the last event.
void Marking::storeSum(const Region &Region) {
  if (AllocaInst *Sum = Sums[Region.Depth]; Sum && Region.hasSums())
    Builder.CreateStore(Builder.CreateLoad(Builder.getInt64Ty(), Sum), field(Region, Field::Sum));
}

/// Side by side, and as in calls the inner ones below the outer ones.
Value *Marking::frame(const Region &Region) {
  unsigned Place = Sums.size() - 1 - Region.Depth;
  return Place ? Builder.CreateConstInBoundsGEP2_32(FramesType, Frames, 0, Place) : Frames;
}

Value *Marking::field(const Region &Region, Field Field) {
  return Builder.CreateStructGEP(FrameType, frame(Region), Field);
}

} // namespace pilgrim
