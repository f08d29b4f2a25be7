//===- Reach.cpp - Which functions may reach MPI --------------------------===//
#include "pass/Reach.h"
#include "pass/OpenMp.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace pilgrim {

namespace {

// Of functions that are not defined here and do not reach MPI, those that call what they are given, before they return.
const char *const CallbackNames[] = {"bsearch", "qsort", "qsort_r", "lfind", "lsearch", "tsearch", "tfind", "tdelete",
                                     "twalk", "twalk_r", "tdestroy", "pthread_once", "call_once", "ftw", "ftw64",
                                     "nftw", "nftw64", "scandir", "scandir64", "glob", "glob64", "dl_iterate_phdr",
                                     // Handlers of signals:
                                     "raise", "kill", "pthread_kill", "sigqueue", "pause", "sigsuspend", "sigprocmask",
                                     "pthread_sigmask"};

// The same where all names that begin so do: coroutines, and what makes flang's runtime call final procedures, defined
// assignments and I/O, and functions of REDUCE.
const char *const CallbackPrefixes[] = {"llvm.coro.resume",
                                        "llvm.coro.destroy",
                                        "_FortranAAllocatableDeallocate",
                                        "_FortranAPointerDeallocate",
                                        "_FortranADestroy",
                                        "_FortranAFinalize",
                                        "_FortranAAssign",
                                        "_FortranAReduce",
                                        "_FortranAioOutputDerivedType",
                                        "_FortranAioInputDerivedType"};

/// Calls what the compiler does not know.
bool isCallback(const CallBase &Call) {
  if (Call.isInlineAsm() || Call.onlyReadsMemory())
    return false;
  const Function *Callee = Calls::callee(Call);
  if (!Callee)
    return true;
  const StringRef Name = Callee->getName();
  return Callee->isDeclaration() && (is_contained(CallbackNames, Name) ||
                                     any_of(CallbackPrefixes, [&](const char *P) { return Name.starts_with(P); }));
}

} // namespace

Reach::Reach(const Module &Module, const Calls &Names) : Names(Names) {
  for (const Function &Function : Module)
    if (!Function.isDeclaration())
      collect(Function);
  propagate();
  propagateCallbacks();
  markMain();
  findCycles();
}

/// The main program stands around everything that happens, whoever calls it.
void Reach::markMain() {
  for (auto &[Function, Info] : Functions)
    if (Info.CallsBack && (Function->getName() == "main" || Function->getName() == "_QQmain"))
      Info.Reaches = std::max(Info.Reaches, Certain);
}

const Reach::Info &Reach::info(const Function &Function) const {
  static const Info None;
  auto Found = Functions.find(&Function);
  return Found == Functions.end() ? None : Found->second;
}

bool Reach::isDefined(const Function &Function) const { return !Function.isDeclaration(); }

void Reach::collect(const Function &Function) {
  Info &Info = Functions[&Function];
  for (const Instruction &I : instructions(Function)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const llvm::Function *Callee = Call ? Calls::callee(*Call) : nullptr;
    if (Call && isCallback(*Call))
      Info.CallsBack = true;
    if (!Callee || Callee->isIntrinsic())
      continue;
    if (const llvm::Function *Started = openmp::started(*Call))
      Callee = Started;
    if (isDefined(*Callee)) {
      Info.Callees.insert(Callee);
    } else if (Names.isMpi(Callee->getName())) {
      Info.Site = true;
      Info.Reaches = Certain;
    } else if (!Names.isHarmless(*Callee) && !Call->onlyReadsMemory()) {
      Info.Callees.insert(Callee);
      Info.Reaches = std::max(Info.Reaches, Unknown);
    }
  }
}

void Reach::propagate() {
  DenseMap<const Function *, SmallVector<const Function *, 4>> Callers;
  SmallVector<const Function *> Work;
  for (auto &[Function, Info] : Functions) {
    for (const llvm::Function *Callee : Info.Callees)
      Callers[Callee].push_back(Function);
    if (Info.Reaches != Nothing)
      Work.push_back(Function);
  }
  while (!Work.empty()) {
    const Function *Callee = Work.pop_back_val();
    State Reaches = info(*Callee).Reaches;
    // Possibly not the definition that is called in the end.
    if (Callee->isInterposable())
      Reaches = std::min(Reaches, Unknown);
    // Templates of the library over the program's types: their structure is not worth a second copy.
    if (Reaches == Unknown && Calls::isStandardCxx(Callee->getName()))
      continue;
    for (const Function *Caller : Callers.lookup(Callee)) {
      Info &Info = Functions[Caller];
      if (Info.Reaches < Reaches) {
        Info.Reaches = Reaches;
        Work.push_back(Caller);
      }
    }
  }
  for (auto &[Function, Info] : Functions)
    if (Info.Reaches == Unknown && Calls::isStandardCxx(Function->getName())) {
      Info.Reaches = Nothing;
      Info.CallsBack = true; // what it calls may have markers
    }
}

void Reach::propagateCallbacks() {
  DenseMap<const Function *, SmallVector<const Function *, 4>> Callers;
  SmallVector<const Function *> Work;
  for (auto &[Function, Info] : Functions) {
    for (const llvm::Function *Callee : Info.Callees)
      Callers[Callee].push_back(Function);
    if (Info.CallsBack)
      Work.push_back(Function);
  }
  while (!Work.empty())
    for (const Function *Caller : Callers.lookup(Work.pop_back_val()))
      if (Info &Info = Functions[Caller]; !Info.CallsBack) {
        Info.CallsBack = true;
        Work.push_back(Caller);
      }
}

bool Reach::mayCallBack(const CallBase &Call) const {
  const Function *Started = openmp::started(Call), *Callee = Started ? Started : Calls::callee(Call);
  return isCallback(Call) || (Callee && info(*Callee).CallsBack);
}

/// Strongly connected components (Tarjan), without recursion.
void Reach::findCycles() {
  struct Visit {
    unsigned Index = 0, Low = 0;
    bool OnStack = false;
  };
  DenseMap<const Function *, Visit> Visits;
  SmallVector<const Function *> Stack;
  SmallVector<std::pair<const Function *, unsigned>> Path;
  unsigned Next = 0, Cycles = 0;
  for (auto &Root : Functions) {
    if (Visits.count(Root.first))
      continue;
    Path.push_back({Root.first, 0});
    while (!Path.empty()) {
      auto &[Function, Position] = Path.back();
      Visit &Here = Visits[Function];
      if (Position == 0 && Here.Index == 0) {
        Here.Index = Here.Low = ++Next;
        Here.OnStack = true;
        Stack.push_back(Function);
      }
      const Info &Info = info(*Function);
      if (Position < Info.Callees.size()) {
        const llvm::Function *Callee = Info.Callees[Position++];
        if (Functions.find(Callee) == Functions.end())
          continue;
        auto Found = Visits.find(Callee);
        if (Found == Visits.end())
          Path.push_back({Callee, 0});
        else if (Found->second.OnStack)
          Here.Low = std::min(Here.Low, Found->second.Index);
        continue;
      }
      const llvm::Function *Done = Function;
      unsigned Low = Here.Low;
      bool IsRoot = Here.Low == Here.Index;
      Path.pop_back();
      if (!Path.empty()) {
        Visit &Caller = Visits[Path.back().first];
        Caller.Low = std::min(Caller.Low, Low);
      }
      if (!IsRoot)
        continue;
      bool Recursive = Stack.back() != Done || info(*Done).Callees.contains(Done);
      Cycles += Recursive;
      for (const llvm::Function *Member = nullptr; Member != Done;) {
        Member = Stack.pop_back_val();
        Visits[Member].OnStack = false;
        if (Recursive)
          Functions[Member].Cycle = Cycles;
      }
    }
  }
}

CallKind Reach::kind(const CallBase &Call) const {
  const Function *Callee = Calls::callee(Call);
  if (!Callee || Callee->isIntrinsic() || Call.hasFnAttr(Attribute::ReturnsTwice))
    return CallKind::None;
  if (openmp::mayRunTasks(Call) && !openmp::started(Call))
    return CallKind::Call;
  if (const Function *Started = openmp::started(Call))
    Callee = Started;
  if (isDefined(*Callee))
    return state(*Callee) == Nothing ? CallKind::None : CallKind::Call;
  if (Names.isMpi(Callee->getName()))
    return CallKind::Site;
  return Names.isHarmless(*Callee) || Call.onlyReadsMemory() ? CallKind::None : CallKind::Call;
}

Reach::Summary Reach::summary(const Function &Function) const {
  Summary Result;
  SmallSetVector<const llvm::Function *, 8> Local;
  Local.insert(&Function);
  for (unsigned Next = 0; Next < Local.size(); ++Next) {
    const Info &Info = info(*Local[Next]);
    Result.Site |= Info.Site;
    for (const llvm::Function *Callee : Info.Callees) {
      if (isDefined(*Callee) && state(*Callee) == Nothing)
        continue;
      if (Callee->hasLocalLinkage())
        Local.insert(Callee);
      else
        Result.Callees.insert(Callee);
    }
  }
  return Result;
}

} // namespace pilgrim
