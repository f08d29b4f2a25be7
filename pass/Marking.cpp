//===- Marking.cpp - The code of markers ----------------------------------===//
#include "pass/Marking.h"
#include "pass/Unwinding.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace pilgrim {

namespace {

FunctionCallee runtimeFunction(Module &Module, StringRef Name) {
  LLVMContext &Context = Module.getContext();
  FunctionCallee Callee = Module.getOrInsertFunction(Name, Type::getVoidTy(Context), PointerType::getUnqual(Context));
  if (auto *Function = dyn_cast<llvm::Function>(Callee.getCallee())) {
    Function->addFnAttr(Attribute::NoUnwind);
    Function->addFnAttr(Attribute::Cold);
  }
  return Callee;
}

} // namespace

GlobalVariable *topVariable(Module &Module) {
  if (GlobalVariable *Known = Module.getNamedGlobal("__pilgrim_top"))
    return Known;
  return new GlobalVariable(Module, PointerType::getUnqual(Module.getContext()), false, GlobalValue::ExternalLinkage,
                            nullptr, "__pilgrim_top", nullptr, GlobalValue::InitialExecTLSModel);
}

Marking::Marking(Shape &Shape, const Regions &Regions, GlobalVariable &Descriptors)
    : TheShape(Shape), TheRegions(Regions), Descriptors(Descriptors), Module(*Shape.function().getParent()),
      Builder(Module.getContext()), Top(topVariable(Module)) {
  LLVMContext &Context = Module.getContext();
  Type *Pointer = PointerType::getUnqual(Context), *I64 = Type::getInt64Ty(Context), *I32 = Type::getInt32Ty(Context);
  FrameType = StructType::get(Pointer, Pointer, Pointer, I64, I32, I32);
}

void Marking::write(const std::vector<Place> &Places) {
  // What markers split is looked at before.
  BasicBlock &Entry = TheShape.function().getEntryBlock();
  BasicBlock::iterator First = Entry.getFirstInsertionPt();
  while (isa<AllocaInst>(*First) || First->isDebugOrPseudoInst())
    ++First;
  findCalls();
  makeVariables();
  begin(&*First);
  enter(*TheRegions.all().front());
  for (const Place &Place : Places)
    for (const Action &Action : Place.Todo)
      write(Action, Place.Before);
  // After what is done on the way to their block.
  for (const CallEvent &Event : Calls)
    write(Event);
  for (Instruction *End : Ends) {
    begin(End);
    leave(*TheRegions.all().front(), End);
  }
  popWhenUnwound(TheShape.function(), *frame(*TheRegions.all().front()),
                 [&](const CallBase &Call) { return TheShape.isTail(Call); });
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
      if (TheShape.kind(*Call) != CallKind::None) {
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
  for (auto &Region : TheRegions.all()) {
    if (Region->Depth == Frames.size()) {
      Frames.push_back(AtStart.CreateAlloca(FrameType, nullptr, "pilgrim.frame"));
      Sums.push_back(nullptr);
    }
    AllocaInst *&Sum = Sums[Region->Depth];
    if (Region->hasSums() && !Sum)
      Sum = AtStart.CreateAlloca(AtStart.getInt64Ty(), nullptr, "pilgrim.sum");
  }
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
    return endVisit(Region, Before, true, *Action.Start);
  case Action::CutLate:
    return endVisit(Region, Before, false, *Action.Start);
  case Action::Leave:
    return leave(Region, Before);
  case Action::Restore:
    Builder.CreateStore(frame(Region), Top);
  }
}

void Marking::write(const CallEvent &Event) {
  const Region &Region = *Event.Where;
  begin(Event.Call);
  if (Event.Between)
    add(Region, Event.Between);
  if (!Event.IsSecondReturn)
    return storeEvent(Region, Event.Call);
  // The only way from here is the end of the path.
  storeSum(Region);
}

void Marking::storeEvent(const Region &Region, const void *CallOrRegion) {
  if (TheShape.returnsTwice() || Region.isDirty(CallOrRegion))
    storeSum(Region);
  Builder.CreateStore(Builder.getInt32(Region.number(CallOrRegion)), field(Region, Event));
}

void Marking::enter(const Region &Region) {
  Value *Outer;
  if (Region.Parent) {
    storeEvent(*Region.Parent, &Region);
    Outer = frame(*Region.Parent);
  } else {
    Outer = Builder.CreateLoad(Builder.getPtrTy(), Top);
  }
  Value *Own = Builder.CreateConstInBoundsGEP2_32(Descriptors.getValueType(), &Descriptors, 0, Region.Index);
  Builder.CreateStore(Outer, field(Region, Parent));
  Builder.CreateStore(Own, field(Region, Descriptor));
  Builder.CreateStore(ConstantPointerNull::get(Builder.getPtrTy()), field(Region, Node));
  Builder.CreateStore(Builder.getInt64(0), field(Region, Sum));
  Builder.CreateStore(Builder.getInt32(0), field(Region, Event));
  Builder.CreateStore(Builder.getInt32(0), field(Region, Touched));
  Builder.CreateStore(frame(Region), Top);
  if (Region.hasSums())
    Builder.CreateStore(Builder.getInt64(Region.afterBase(Region.header())), Sums[Region.Depth]);
}

void Marking::leave(const Region &Region, Instruction *Before) {
  callIf(Node, "__pilgrim_leave", Region, Before, true, std::nullopt);
  Value *Outer = Region.Parent ? frame(*Region.Parent)
                               : static_cast<Value *>(Builder.CreateLoad(Builder.getPtrTy(), field(Region, Parent)));
  Builder.CreateStore(Outer, Top);
}

void Marking::endVisit(const Region &Region, Instruction *Before, bool SumIsKnown, const BasicBlock &Start) {
  uint64_t Base = Region.base(&Start);
  // Where no event stores a sum, the frame's changes only for the runtime.
  bool IsCold = !TheShape.returnsTwice() && Region.Graph->entries().size() == 1 && !Region.Graph->isAnyDirty();
  callIf(Touched, "__pilgrim_visit", Region, Before, SumIsKnown, IsCold ? std::optional(Base) : std::nullopt);
  Builder.CreateStore(Builder.getInt32(0), field(Region, Event));
  if (!Region.hasSums())
    return;
  if (!IsCold)
    Builder.CreateStore(Builder.getInt64(Base), field(Region, Sum));
  Builder.CreateStore(Builder.getInt64(Base + Region.afterBase(&Start)), Sums[Region.Depth]);
}

/// The cold call where a field of the frame is not zero. Leaves the builder behind it.
void Marking::callIf(Field Which, StringRef Callee, const Region &Region, Instruction *Before, bool SumIsKnown,
                     std::optional<uint64_t> SumAfter) {
  Type *Type = Which == Touched ? static_cast<llvm::Type *>(Builder.getInt32Ty()) : Builder.getPtrTy();
  Value *Is = Builder.CreateIsNotNull(Builder.CreateLoad(Type, field(Region, Which)));
  DebugLoc Place = Builder.getCurrentDebugLocation();
  MDNode *Unlikely = MDBuilder(Module.getContext()).createBranchWeights(1, 2000);
  Instruction *Then = SplitBlockAndInsertIfThen(Is, Before, /*Unreachable=*/false, Unlikely);
  Builder.SetInsertPoint(Then);
  Builder.SetCurrentDebugLocation(Place);
  if (SumIsKnown)
    storeSum(Region);
  Builder.CreateCall(runtimeFunction(Module, Callee), {frame(Region)});
  if (SumAfter && Region.hasSums())
    Builder.CreateStore(Builder.getInt64(*SumAfter), field(Region, Sum));
  begin(Before);
}

void Marking::add(const Region &Region, uint64_t Value) {
  llvm::Value *Sum = Builder.CreateLoad(Builder.getInt64Ty(), Sums[Region.Depth]);
  Builder.CreateStore(Builder.CreateAdd(Sum, Builder.getInt64(Value)), Sums[Region.Depth]);
}

void Marking::storeSum(const Region &Region) {
  if (Region.hasSums())
    Builder.CreateStore(Builder.CreateLoad(Builder.getInt64Ty(), Sums[Region.Depth]), field(Region, Sum));
}

Value *Marking::field(const Region &Region, Field Field) {
  return Builder.CreateStructGEP(FrameType, frame(Region), Field);
}

} // namespace pilgrim
