//===- RegionArms.cpp - The arms of branches in a function's paths --------===//
#include "api/Markers.h"
#include "pass/OpenMp.h"
#include "pass/Regions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace pilgrim {

/// Whether only an exception goes this way.
bool Regions::isUnwinding(const Region &Region, const PathGraph::Way &Way) const {
  return all_of(Way.Edges, [&](unsigned Edge) {
    const auto [From, Successor] = Region.Sources[Edge];
    return From && TheArms.isUnwinding(From, From->getTerminator()->getSuccessor(Successor));
  });
}

/// The block that a way begins with, if no exception takes it; null: there are several, or none.
const BasicBlock *Regions::beginOf(const Region &Region, const PathGraph::Way &Way) const {
  const BasicBlock *Begin = nullptr;
  for (unsigned Edge : Way.Edges) {
    const auto [From, Successor] = Region.Sources[Edge];
    const BasicBlock *To = From ? From->getTerminator()->getSuccessor(Successor) : nullptr;
    if (To && TheArms.isUnwinding(From, To))
      continue;
    if (!To || (Begin && Begin != To))
      return nullptr;
    Begin = To;
  }
  return Begin;
}

/// The name of a way that begins with a branch's successor. Where the node has one other way that stays in the loop,
/// and the branch decides only a part of that, they are those of a condition of several parts.
unsigned Regions::armName(const Region &Region, const PathGraph::Node &Node, const PathGraph::Way &Way,
                          const Instruction &Branch, unsigned Successor) const {
  const auto *Two = dyn_cast<BranchInst>(&Branch);
  if (!Two || !Two->isConditional() || Arms::isFortran(*Two->getModule()))
    return TheArms.name(Branch, Successor);
  auto Leaves = [&](const BasicBlock *Begin) { return Begin && Region.Loop && !Region.Loop->contains(Begin); };
  const BasicBlock *To = beginOf(Region, Way), *Else = nullptr;
  unsigned Others = 0;
  for (const PathGraph::Way &Each : Node.Ways)
    if (const BasicBlock *Begin = beginOf(Region, Each);
        &Each != &Way && !isUnwinding(Region, Each) && !Leaves(Begin)) {
      Else = Begin;
      ++Others;
    }
  const bool IsWhole = To && !Leaves(To) && Others == 1 && Else && Two->getSuccessor(1 - Successor) != Else;
  return IsWhole ? TheArms.nameOfWhole(To, Else) : TheArms.name(Branch, Successor);
}

/// The arm of a branch that begins with a way: that of the branch of the source that leads there. Not for what only
/// stays in the loop, or what an exception does on its way; and not where several branches lead there which are not one
/// condition: they begin with different blocks, or leave a loop. Around: the arm in which the node stands that the way
/// leaves.
std::optional<Event> Regions::arm(const Region &Region, const PathGraph::Node &Node, const PathGraph::Way &Way,
                                  unsigned Around) const {
  auto IsOnWay = [&](const BasicBlock *From, const BasicBlock *To) {
    return any_of(Way.Edges, [&](unsigned Edge) {
      auto [Other, Successor] = Region.Sources[Edge];
      return Other == From && From->getTerminator()->getSuccessor(Successor) == To;
    });
  };
  std::optional<Event> Found;
  const BasicBlock *Begin = nullptr;
  for (unsigned Edge : Way.Edges) {
    auto [From, Successor] = Region.Sources[Edge];
    if (!From)
      continue;
    const Instruction *Branch = From->getTerminator();
    const BasicBlock *To = Branch->getSuccessor(Successor);
    bool Leaves = Region.Loop && !Region.Loop->contains(To);
    if (isa<InvokeInst>(Branch) || TheArms.isUnwinding(From, To))
      continue;
    const bool IsInner = RegionOf.lookup(From) != &Region; // a loop is left
    if (Begin && (Begin != To || IsInner))
      return std::nullopt;
    if (IsInner && any_of(predecessors(To), [&](const BasicBlock *Other) {
          const class Region *Its = RegionOf.lookup(Other);
          return Other != From && Its && Its != &Region;
        }))
      return std::nullopt;
    Begin = To;
    // What the compiler made has no line; nor do sections of OpenMP with flang.
    if (!openmp::lineOf(*Branch) && From->getParent()->getSubprogram() && !Arms::isFortran(*From->getModule()))
      continue;
    bool Decides = IsInner || Leaves;
    for (const BasicBlock *Other : successors(Branch))
      Decides |= Other != To && !IsOnWay(From, Other) && (!Region.Loop || Region.Loop->contains(Other));
    if (Decides && !Found)
      Found = Event{PilgrimArm,
                    openmp::lineOf(*Branch),
                    armAt(Region, Around, *Branch),
                    nullptr,
                    nullptr,
                    IsInner ? TheArms.name(*Branch, Successor) : armName(Region, Node, Way, *Branch, Successor)};
  }
  return Found;
}

/// The arm in which a place stands to which control comes from Arm: sections that have ended do not count.
unsigned Regions::armAt(const Region &Region, unsigned Arm, const Instruction &Place) const {
  const Sections &Sections = TheShape.sections();
  if (Sections.empty())
    return Arm;
  const CallBase *Section = Sections.around(Place);
  for (unsigned Each = Arm; Each; Each = Region.Events[Each - 1].Arm)
    if (const CallBase *Begin = Region.Events[Each - 1].Call; Begin && !Sections.isWithin(Section, Begin))
      Arm = Region.Events[Each - 1].Arm;
  return Arm;
}

/// See RegionInfo::lastEvent in the runtime.
bool Regions::endsAtSite(const Region &Region) const {
  const std::vector<PathGraph::Node> &Nodes = Region.Graph->nodes();
  if (!Region.Loop || Region.Graph->entries().size() != 1)
    return false;
  // What may call back would stand at the wrong event.
  for (const BasicBlock *Block : Region.Blocks)
    for (const Instruction &I : *Block)
      if (const auto *Call = dyn_cast<CallBase>(&I); Call && TheShape.kind(*Call) == CallKind::None &&
                                                     (!isa<IntrinsicInst>(Call) || TheShape.mayCallBack(*Call)) &&
                                                     !Call->isInlineAsm())
        return false;
      else if (Call && openmp::isFork(*Call))
        return false; // iterations are told apart in other threads by what the back edge does
  bool IsSite = false;
  for (unsigned Node = 0; Node < Nodes.size();) {
    ArrayRef<PathGraph::Way> Ways = Nodes[Node].Ways;
    if (unsigned Event = Region.EventOf[Node])
      IsSite = Region.Events[Event - 1].Kind == PilgrimSite;
    if (Ways.size() > 1)
      IsSite = false;
    // All other ways leave the loop at once.
    for (const PathGraph::Way &Way : Ways.drop_front())
      for (unsigned Edge : Way.Edges)
        if (auto [From, Successor] = Region.Sources[Edge];
            From && Region.Loop->contains(From->getTerminator()->getSuccessor(Successor)))
          return false;
    Node = Ways.front().Target;
  }
  return IsSite;
}

} // namespace pilgrim
