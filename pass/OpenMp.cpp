//===- OpenMp.cpp - What OpenMP's runtime library calls -------------------===//
#include "pass/OpenMp.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace pilgrim {

namespace {

enum class Role { None, Parallel, Teams, NewTask, StartTask, Barrier, Taskwait, Taskyield, Taskgroup, Reduction };

Role roleOf(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return Role::None;
  StringRef Name = Callee->getName();
  if (!Name.consume_front("__kmpc_"))
    return Role::None;
  return StringSwitch<Role>(Name)
      .Cases("fork_call", "fork_call_if", Role::Parallel)
      .Case("fork_teams", Role::Teams)
      .Cases("omp_task_alloc", "omp_target_task_alloc", Role::NewTask)
      .Cases("omp_task", "omp_task_with_deps", "taskloop", "taskloop_5", Role::StartTask)
      .Cases("barrier", "cancel_barrier", "barrier_master", "barrier_master_nowait", "copyprivate", Role::Barrier)
      .Cases("omp_taskwait", "omp_taskwait_deps_51", "omp_wait_deps", Role::Taskwait)
      .Case("omp_taskyield", Role::Taskyield)
      .Case("end_taskgroup", Role::Taskgroup)
      .Cases("reduce", "reduce_nowait", "end_reduce", "end_reduce_nowait", Role::Reduction)
      .Default(Role::None);
}

const Function *functionAt(const CallBase &Call, unsigned Argument) {
  return Call.arg_size() > Argument ? dyn_cast<Function>(Call.getArgOperand(Argument)->stripPointerCasts()) : nullptr;
}

/// The function of the module that clang's conversion of arguments leads to, by its name; null: this one is none.
const Function *converted(const Function &Function) {
  StringRef Name = Function.getName(), Wanted;
  if (Name.starts_with(".omp_task_entry."))
    Wanted = ".omp_outlined.";
  else if (Name.contains(".omp_outlined"))
    Wanted = ".omp_outlined_debug__";
  else
    return nullptr;
  for (const Instruction &I : instructions(Function)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const llvm::Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (Callee && Callee != &Function && !Callee->isDeclaration() && Callee->hasLocalLinkage() &&
        Callee->getName().contains(Wanted))
      return Callee;
  }
  return nullptr;
}

/// The line in ";file;function;line;column;;", which debug info's builder gives the library; 0: none.
unsigned lineOfIdent(const Value &Argument) {
  const auto *Ident = dyn_cast<GlobalVariable>(Argument.stripPointerCasts());
  if (!Ident || !Ident->hasInitializer())
    return 0;
  const auto *Fields = dyn_cast<ConstantStruct>(Ident->getInitializer());
  if (!Fields || Fields->getNumOperands() == 0)
    return 0;
  const auto *Text = dyn_cast<GlobalVariable>(Fields->getOperand(Fields->getNumOperands() - 1)->stripPointerCasts());
  if (!Text || !Text->hasInitializer())
    return 0;
  const auto *String = dyn_cast<ConstantDataSequential>(Text->getInitializer());
  if (!String || !String->isCString())
    return 0;
  // From the end, since a file's name may hold anything.
  SmallVector<StringRef, 8> Words;
  String->getAsCString().split(Words, ';');
  unsigned Line = 0;
  return Words.size() >= 7 && !Words[Words.size() - 4].getAsInteger(10, Line) ? Line : 0;
}

/// The line of the directive that a call of the library belongs to; 0: not known, or no such call.
unsigned lineOfDirective(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  if (!Callee || !Callee->getName().starts_with("__kmpc_") || Call->arg_empty())
    return 0;
  return lineOfIdent(*Call->getArgOperand(0));
}

} // namespace

namespace openmp {

const Function *started(const CallBase &Call) {
  const Function *Entry = nullptr;
  switch (roleOf(Call)) {
  case Role::Parallel:
  case Role::Teams:
    Entry = functionAt(Call, 2);
    break;
  case Role::StartTask:
    if (Call.arg_size() > 2)
      if (const auto *New = dyn_cast<CallBase>(Call.getArgOperand(2)->stripPointerCasts());
          New && roleOf(*New) == Role::NewTask)
        Entry = functionAt(*New, 5);
    break;
  default:
    break;
  }
  if (!Entry)
    return nullptr;
  const Function *Body = converted(*Entry);
  return Body ? Body : Entry;
}

bool isFork(const CallBase &Call) {
  Role Role = roleOf(Call);
  return Role == Role::Parallel || Role == Role::Teams;
}

bool mayRunTasks(const CallBase &Call) {
  Role Role = roleOf(Call);
  return Role != Role::None && Role != Role::NewTask && !isFork(Call);
}

StringRef nameOf(const CallBase &Call) {
  switch (roleOf(Call)) {
  case Role::None:
    break;
  case Role::Parallel:
    return "parallel region";
  case Role::Teams:
    return "teams region";
  case Role::NewTask:
  case Role::StartTask:
    return "task region";
  case Role::Barrier:
    return "OpenMP barrier";
  case Role::Taskwait:
    return "OpenMP taskwait";
  case Role::Taskyield:
    return "OpenMP taskyield";
  case Role::Taskgroup:
    return "OpenMP taskgroup";
  case Role::Reduction:
    return "OpenMP reduction";
  }
  return {};
}

unsigned lineOf(const Instruction &I) {
  const Instruction *Call = &I;
  // A directive decides who does something: the call says which.
  if (const auto *Branch = dyn_cast<BranchInst>(&I); Branch && Branch->isConditional() && !I.getDebugLoc())
    if (const auto *Compare = dyn_cast<CmpInst>(Branch->getCondition()))
      Call = dyn_cast<Instruction>(Compare->getOperand(0));
  if (unsigned Line = Call ? lineOfDirective(*Call) : 0)
    return Line;
  return I.getDebugLoc() ? I.getDebugLoc().getLine() : 0;
}

unsigned lineOf(const Loop &Loop) {
  if (DebugLoc Start = Loop.getStartLoc())
    return Start.getLine();
  // The call that divides the iterations stands right before the loop.
  constexpr unsigned Far = 4;
  const BasicBlock *Before = Loop.getLoopPreheader();
  for (unsigned Blocks = 0; Before && Blocks < Far; ++Blocks, Before = Before->getSinglePredecessor())
    for (const Instruction &I : reverse(*Before))
      if (unsigned Line = lineOfDirective(I))
        return Line;
  return 0;
}

} // namespace openmp

OutlinedParts::OutlinedParts(const Module &Module) {
  for (const Function &Declared : Module) {
    if (!Declared.isDeclaration() || !Declared.getName().starts_with("__kmpc_"))
      continue;
    for (const User *User : Declared.users()) {
      const auto *Call = dyn_cast<CallBase>(User);
      Role Role = Call ? roleOf(*Call) : Role::None;
      bool IsFork = Role == Role::Parallel || Role == Role::Teams;
      const Function *Entry = IsFork ? functionAt(*Call, 2) : Role == Role::NewTask ? functionAt(*Call, 5) : nullptr;
      if (!Entry || Entry->isDeclaration())
        continue;
      OutlinedPart Part{openmp::nameOf(*Call), openmp::lineOf(*Call)};
      if (const Function *Body = converted(*Entry)) {
        Parts.try_emplace(Body, Part);
        Part.OnlyCalls = true;
      }
      Parts.try_emplace(Entry, Part);
    }
  }
}

} // namespace pilgrim
