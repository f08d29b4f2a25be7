//===- Instrument.cpp - The pass ------------------------------------------===//
#include "pass/Instrument.h"
#include "pass/Clone.h"
#include "pass/Cost.h"
#include "pass/Marking.h"
#include "pass/OpenMp.h"
#include "pass/Records.h"
#include "pass/Unwinding.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace pilgrim {

namespace {

const char *const DoneFlag = "pilgrim";

/// What the source says of functions that get no markers: __attribute__((annotate("pilgrim_ignore"))).
const char *const IgnoreNote = "pilgrim_ignore";

SmallPtrSet<const Function *, 8> ignoredFunctions(const Module &Module) {
  SmallPtrSet<const Function *, 8> Ignored;
  const GlobalVariable *All = Module.getGlobalVariable("llvm.global.annotations");
  if (!All || !All->hasInitializer())
    return Ignored;
  for (const Use &Entry : cast<Constant>(All->getInitializer())->operands()) {
    auto *Fields = dyn_cast<ConstantStruct>(Entry);
    if (!Fields || Fields->getNumOperands() < 2)
      continue;
    auto *Function = dyn_cast<llvm::Function>(Fields->getOperand(0)->stripPointerCasts());
    auto *Text = dyn_cast<GlobalVariable>(Fields->getOperand(1)->stripPointerCasts());
    if (!Function || !Text || !Text->hasInitializer())
      continue;
    auto *String = dyn_cast<ConstantDataSequential>(Text->getInitializer());
    if (String && String->isCString() && String->getAsCString() == IgnoreNote)
      Ignored.insert(Function);
  }
  return Ignored;
}

class Instrumenter {
public:
  Instrumenter(Module &Module, const Reach &Reach, uint64_t PathLimit)
      : TheReach(Reach), TheRecords(Module), PathLimit(PathLimit), Ignored(ignoredFunctions(Module)), Parts(Module) {}

  void run(Function &Function);
  void finish() { TheRecords.finish(); }

private:
  bool instrument(Function &Function, const llvm::Function &Named);
  void instrumentClone(Function &Function);

  const Reach &TheReach;
  Records TheRecords;
  uint64_t PathLimit;
  SmallPtrSet<const llvm::Function *, 8> Ignored;
  OutlinedParts Parts;
};

/// What flang makes before a program: it only calls that.
bool isFortranMain(const Function &Function) {
  return Function.getName() == "main" && Function.getParent()->getFunction("_QQmain");
}

/// What is called keeps its frames on the stack: if it were inlined, the coroutine would take them to its own
/// variables.
void keepCallsApart(Function &Coroutine, const Reach &Reach) {
  for (BasicBlock &Block : Coroutine)
    for (Instruction &I : Block)
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Reach.kind(*Call) == CallKind::Call)
        Call->setIsNoInline();
}

void Instrumenter::run(Function &Function) {
  if (isInCoroutine(Function))
    keepCallsApart(Function, TheReach);
  Reach::State State = TheReach.state(Function);
  const OutlinedPart *Part = Parts.find(Function);
  bool IsMarked = false, OnlyCalls = isFortranMain(Function) || (Part && Part->OnlyCalls);
  if (Shape::isSupported(Function) && !OnlyCalls && !Ignored.contains(&Function)) {
    const MarkersIn In = State == Reach::Unknown ? markersIn(Function, TheReach) : MarkersIn::Place;
    if (In != MarkersIn::Place && isClonable(Function))
      instrumentClone(Function);
    else if (In != MarkersIn::CopyAlone && State != Reach::Nothing)
      IsMarked = instrument(Function, Function);
  }
  if (!IsMarked && !Function.hasFnAttribute(Attribute::Naked) && !Function.hasAvailableExternallyLinkage())
    dropSkippedFrames(Function, TheReach);
}

/// Named: the function itself, or what it is a copy of.
bool Instrumenter::instrument(Function &Function, const llvm::Function &Named) {
  Shape Shape(Function, Named, TheReach);
  const OutlinedPart *Part = Parts.find(Named);
  const DISubprogram *Program = Function.getSubprogram();
  Regions Regions(Shape, Part && Part->Line ? Part->Line : Program ? Program->getLine() : 0);
  if (!Regions.build(PathLimit) || !Regions.hasEvents())
    return false;
  std::vector<Place> Places;
  if (!place(Shape, Regions, Places))
    return false;
  Table Table = encodeTable(Named, TheReach, Parts, Regions);
  GlobalVariable *Flag = &Function != &Named ? TheRecords.addFlag(Function) : nullptr;
  GlobalVariable *Descriptors = TheRecords.add(Function, Table, Regions.all().size(), Flag);
  Marking(Shape, Regions, *Descriptors).write(Places);
  if (Flag)
    dispatch(const_cast<llvm::Function &>(Named), Function, *Flag);
  return true;
}

void Instrumenter::instrumentClone(Function &Function) {
  llvm::Function *Clone = cloneFunction(Function);
  if (!instrument(*Clone, Function)) {
    Clone->eraseFromParent();
    return;
  }
  // Where the flag was set once it stays so.
  if (Function.isInterposable())
    return;
  for (BasicBlock &Block : *Clone)
    for (Instruction &I : Block)
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (Call->getCalledFunction() == &Function)
          Call->setCalledFunction(Clone);
}

/// Calls of MPI without the linker's stubs: the runtime, which markers need anyhow, has all functions that it traces,
/// so none can be missing when the program starts.
void bindAtStart(Module &Module, const Calls &Names) {
  for (Function &Function : Module)
    if (Function.isDeclaration() && !Function.getName().starts_with("_QM") && Names.isMpi(Function.getName()))
      Function.addFnAttr(Attribute::NonLazyBind);
}

} // namespace

PreservedAnalyses InstrumentPass::run(Module &Module, ModuleAnalysisManager &) {
  // At link time, or from a file that was instrumented before.
  if (Module.getModuleFlag(DoneFlag) || !Triple(Module.getTargetTriple()).isOSBinFormatELF())
    return PreservedAnalyses::all();
  TargetLibraryInfoImpl Library((Triple(Module.getTargetTriple())));
  TargetLibraryInfo LibraryInfo(Library);
  Calls Names(LibraryInfo);
  Reach Reach(Module, Names);
  SmallVector<Function *> Functions;
  for (Function &Function : Module)
    if (!Function.isDeclaration())
      Functions.push_back(&Function);
  Instrumenter Instrumenter(Module, Reach, PathLimit);
  for (Function *Function : Functions)
    Instrumenter.run(*Function);
  Instrumenter.finish();
  bindAtStart(Module, Names);
  Module.addModuleFlag(llvm::Module::Max, DoneFlag, 1);
  return PreservedAnalyses::none();
}

} // namespace pilgrim
