//===- Placement.cpp - Where the code of edges goes -----------------------===//
#include "pass/Placement.h"
#include "llvm/IR/CFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace pilgrim {

namespace {

/// Edges to one block that share a list.
struct Group {
  Actions Todo;
  SmallVector<BasicBlock *> From;
};

struct Arrivals {
  BasicBlock *To;
  Actions Common; ///< done in the block itself
  std::vector<Group> Groups;
};

class Placer {
public:
  Placer(const Shape &Shape, const Regions &Regions) : TheShape(Shape), TheRegions(Regions) {}

  Actions actions(const BasicBlock *From, const BasicBlock *To) const;
  std::optional<Arrivals> arrivals(BasicBlock *To) const;

private:
  void add(Actions &List, const Region &Region, const BasicBlock *From, const BasicBlock *To) const {
    if (uint64_t Value = TheRegions.value(Region, From, To))
      List.push_back({Action::Add, &Region, Value});
  }

  const Shape &TheShape;
  const Regions &TheRegions;
};

bool isWithin(const Region *Inner, const Region *Outer) {
  while (Inner && Inner != Outer)
    Inner = Inner->Parent;
  return Inner;
}

Actions Placer::actions(const BasicBlock *From, const BasicBlock *To) const {
  Actions List;
  const Region *Region = &TheRegions.of(From), *Target = &TheRegions.of(To);
  if (To->isEHPad()) {
    List.push_back({Action::Restore, Target});
    Region = Target;
  }
  for (; !isWithin(Target, Region); Region = Region->Parent) {
    add(List, *Region, From, To);
    List.push_back({Action::Leave, Region});
  }
  if (!TheShape.isSecondReturn(To))
    add(List, *Region, From, To);
  if (Target != Region)
    List.push_back({Action::Enter, Target});
  else if (Region->Loop && To == Region->header() && Region->EndsAtSite)
    return List;
  else if (Region->Loop && To == Region->header())
    List.push_back({Action::Visit, Region, 0, To});
  else if (TheShape.isSecondReturn(To))
    List.append({{Action::Restore, Region}, {Action::CutLate, Region, 0, To}});
  else if (TheShape.isCut(To))
    List.push_back({Action::Cut, Region, 0, To});
  return List;
}

std::optional<Arrivals> Placer::arrivals(BasicBlock *To) const {
  Arrivals Result{To, {}, {}};
  SmallPtrSet<BasicBlock *, 8> Seen;
  for (BasicBlock *From : predecessors(To)) {
    if (!Seen.insert(From).second)
      continue;
    Actions Todo = actions(From, To);
    auto Same = find_if(Result.Groups, [&](const Group &Group) { return Group.Todo == Todo; });
    if (Same == Result.Groups.end()) {
      Result.Groups.push_back({Todo, {}});
      Same = std::prev(Result.Groups.end());
    }
    Same->From.push_back(From);
  }
  if (Result.Groups.empty())
    return Result;
  auto EndAlike = [&] {
    const Actions &First = Result.Groups.front().Todo;
    return all_of(Result.Groups,
                  [&](const Group &Group) { return !Group.Todo.empty() && Group.Todo.back() == First.back(); });
  };
  while (EndAlike()) {
    Result.Common.insert(Result.Common.begin(), Result.Groups.front().Todo.back());
    for (Group &Group : Result.Groups)
      Group.Todo.pop_back();
  }
  for (const Group &Group : Result.Groups)
    for (const BasicBlock *From : Group.From)
      if (!Group.Todo.empty() && isFixedEdge(From, To))
        return std::nullopt;
  return Result;
}

} // namespace

bool place(Shape &Shape, const Regions &Regions, std::vector<Place> &Result) {
  Placer Placer(Shape, Regions);
  std::vector<Arrivals> All;
  for (BasicBlock *Block : Shape.blocks()) {
    std::optional<Arrivals> Arrivals = Placer.arrivals(Block);
    if (!Arrivals)
      return false;
    All.push_back(std::move(*Arrivals));
  }
  // What is done at the beginning of blocks comes before what is done at their ends: both may be the same place.
  for (Arrivals &Arrivals : All)
    if (!Arrivals.Common.empty())
      Result.push_back({&*Arrivals.To->getFirstInsertionPt(), Arrivals.Common});
  for (Arrivals &Arrivals : All) {
    for (Group &Group : Arrivals.Groups) {
      if (Group.Todo.empty())
        continue;
      BasicBlock *Block = Group.From.front();
      if (Group.From.size() > 1 || Block->getTerminator()->getNumSuccessors() > 1)
        Block = SplitBlockPredecessors(Arrivals.To, Group.From, ".edge");
      Result.push_back({Block->getTerminator(), Group.Todo});
    }
  }
  return true;
}

} // namespace pilgrim
