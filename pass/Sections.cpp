//===- Sections.cpp - Where a thread waits for its turn -------------------===//
#include "pass/Sections.h"
#include "api/Markers.h"
#include "pass/Arms.h"
#include "pass/OpenMp.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

using namespace llvm;

namespace pilgrim {

namespace {

enum class Part { None, Begin, End };

Part partOf(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  StringRef Name = Callee ? Callee->getName() : "";
  if (!Name.consume_front("__kmpc_"))
    return Part::None;
  if (Name == "critical" || Name == "critical_with_hint" || Name == "ordered")
    return Part::Begin;
  return Name == "end_critical" || Name == "end_ordered" ? Part::End : Part::None;
}

/// Most modules have none, and are not looked at any further.
bool hasSections(const Module &Module) {
  return any_of(std::initializer_list<StringRef>{"critical", "critical_with_hint", "ordered"},
                [&](StringRef Name) { return Module.getFunction(("__kmpc_" + Name).str()); });
}

/// The first statement behind a call that stands below its line, in the same file; 0: none is found.
unsigned lineBehind(const CallBase &Call, const DILocation &Here) {
  const Instruction *I = &Call;
  for (unsigned Steps = 0; Steps < 256; ++Steps) {
    const BasicBlock *Next = I->isTerminator() ? I->getParent()->getSingleSuccessor() : nullptr;
    if (!(I = I->isTerminator() ? Next ? &Next->front() : nullptr : I->getNextNode()))
      return 0;
    if (const auto *Other = dyn_cast<CallBase>(I); Other && partOf(*Other) != Part::None)
      continue;
    if (const DILocation *At = I->getDebugLoc(); At && At->getLine() > Here.getLine())
      return At->getFile() == Here.getFile() ? At->getLine() : 0;
  }
  return 0;
}

/// Of a critical construct flang gives the line of a statement before it. The directive stands between that and the
/// first statement inside. 0: not exactly one does there.
unsigned lineInSource(const CallBase &Call, StringRef Name) {
  const DILocation *Here = Call.getDebugLoc();
  const unsigned End = Here ? lineBehind(Call, *Here) : 0;
  if (!End)
    return 0;
  SmallString<256> Path(Here->getFilename());
  if (!sys::path::is_absolute(Path)) {
    Path = Here->getDirectory();
    sys::path::append(Path, Here->getFilename());
  }
  const auto Source = MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!Source)
    return 0;
  static Regex Directive("^[[:space:]]*[!c*][$]omp[[:space:]]+critical[[:space:]]*([(][[:space:]]*([a-z0-9_]+)|&|!|$)",
                         Regex::IgnoreCase);
  unsigned Found = 0;
  for (line_iterator Line(**Source, /*SkipBlanks=*/false); !Line.is_at_eof() && Line.line_number() < End; ++Line) {
    SmallVector<StringRef, 3> Parts;
    if (Line.line_number() <= Here->getLine() || !Directive.match(*Line, &Parts) || !Parts[2].equals_insensitive(Name))
      continue;
    if (Found)
      return 0;
    Found = static_cast<unsigned>(Line.line_number());
  }
  return Found;
}

} // namespace

void Sections::find(ArrayRef<BasicBlock *> Blocks, function_ref<bool(const CallBase &)> IsEvent) {
  if (!hasSections(*Blocks.front()->getModule()))
    return;
  DenseMap<const BasicBlock *, const CallBase *> AtEnd;
  for (const BasicBlock *Block : Blocks) {
    const CallBase *Section = nullptr;
    // Constructs are not jumped into or out of, so all ways to a block agree.
    for (const BasicBlock *From : predecessors(Block))
      if (auto Known = AtEnd.find(From); Known != AtEnd.end()) {
        Section = Known->second;
        break;
      }
    for (const Instruction &I : *Block) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (Section && (I.isTerminator() || Call))
        Around[&I] = Section;
      if (!Call)
        continue;
      if (IsEvent(*Call))
        for (const CallBase *Each = Section; Each && WithEvents.insert(Each).second;)
          Each = Outer.lookup(Each);
      Part Part = partOf(*Call);
      if (Part == Part::Begin) {
        Outer[Call] = Section;
        Section = Call;
      } else if (Part == Part::End) {
        Section = Outer.lookup(Section);
      }
    }
    AtEnd[Block] = Section;
  }
  // Where they do not agree, nothing is known of any. What exceptions share does not count.
  for (const BasicBlock *Block : Blocks) {
    std::optional<const CallBase *> First;
    for (const BasicBlock *From : predecessors(Block)) {
      if (!First)
        First = AtEnd.lookup(From);
      if (*First != AtEnd.lookup(From) && !Block->isEHPad())
        return WithEvents.clear();
    }
  }
}

bool Sections::isWithin(const CallBase *Section, const CallBase *Of) const {
  while (Section && Section != Of)
    Section = Outer.lookup(Section);
  return Section;
}

unsigned Sections::armName(const CallBase &Call) {
  static_assert(unsigned(ArmName::Critical) == PilgrimCriticalArm);
  bool IsOrdered = Call.getCalledFunction()->getName() == "__kmpc_ordered";
  return unsigned(IsOrdered ? ArmName::Ordered : ArmName::Critical);
}

unsigned Sections::line(const CallBase &Call) {
  bool IsWrong = armName(Call) == PilgrimCriticalArm && Arms::isFortran(*Call.getModule());
  return IsWrong ? lineInSource(Call, name(Call)) : openmp::lineOf(Call);
}

/// It is part of the name of the lock: .gomp_critical_user_NAME.var, or .gomp_critical_user_NAME.AS0.var.
StringRef Sections::name(const CallBase &Call) {
  constexpr unsigned Lock = 2;
  if (Call.arg_size() <= Lock)
    return {};
  StringRef Name = Call.getArgOperand(Lock)->stripPointerCasts()->getName();
  if (!Name.consume_front(".gomp_critical_user_"))
    return {};
  return Name.substr(0, Name.find('.'));
}

} // namespace pilgrim
