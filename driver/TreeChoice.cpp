//===- TreeChoice.cpp - what of a tree is shown, and in which order --------===//
#include "driver/StructureTree.h"
#include "trace/base/Saturate.h"

#include <algorithm>
#include <utility>

namespace pilgrim {

void foldSystem(StructureTree &Tree) {
  auto &Places = Tree.Places;
  // Adds what stands below a function of the library, or below an arm of it, which then is gone itself.
  auto Empty = [&](auto &Self, uint32_t Index, uint32_t Parent, std::vector<uint32_t> &To) -> void {
    for (uint32_t Below : std::exchange(Places[Index].Children, {})) {
      if (Places[Below].K == TreePlace::Arm) {
        Self(Self, Below, Parent, To);
        continue;
      }
      To.push_back(Below);
      Places[Below].Parent = Parent;
    }
    Places[Index].Calls = Places[Index].Untraced = 0;
  };
  // A place comes after the one around it.
  for (size_t I = Places.size(); I-- > 0;) {
    std::vector<uint32_t> All;
    for (uint32_t Child : std::exchange(Places[I].Children, {})) {
      TreePlace &Call = Places[Child];
      const uint32_t Callee = Call.K == TreePlace::Call && Call.Children.size() == 1 ? Call.Children[0] : 0;
      if (!Callee || Places[Callee].K != TreePlace::Function || !isSystemFunction(*Places[Callee].Name)) {
        All.push_back(Child);
      } else if (Call.Name->empty()) { // a computed call stays
        Call.Children.clear();
        Empty(Empty, Callee, Child, Call.Children);
        All.push_back(Child);
      } else {
        Empty(Empty, Callee, static_cast<uint32_t>(I), All);
        Call.Calls = Call.Untraced = 0;
      }
    }
    Places[I].Children = std::move(All);
  }
}

static uint64_t sizeOf(const TreePlace &P, bool ByTime) { return ByTime ? P.Time.Sum : P.Calls; }

void leaveLargest(std::vector<StructureTree> &Trees, size_t Most, bool IsTimed) {
  // A place counts as no larger than the one around it, which stands before it. A function that stands on the line of
  // its call stays where that does, which never is left alone.
  struct Line {
    StructureTree *Tree;
    uint32_t Place;
    uint64_t Size;
  };
  std::vector<Line> All;
  std::map<const StructureTree *, std::vector<bool>> IsLeft;
  for (StructureTree &Tree : Trees) {
    std::vector<bool> IsWithCall(Tree.Places.size());
    std::vector<uint64_t> Sizes;
    for (const TreePlace &P : Tree.Places)
      if (const TreePlace *F = Tree.onlyFunction(P))
        IsWithCall[static_cast<size_t>(F - Tree.Places.data())] = true;
    for (uint32_t I = 0; I < Tree.Places.size(); ++I) {
      const TreePlace &P = Tree.Places[I];
      Sizes.push_back(std::min(sizeOf(P, IsTimed), I ? Sizes[P.Parent] : UINT64_MAX));
      if (!IsWithCall[I] && (!I || P.Calls || P.Untraced))
        All.push_back({&Tree, I, Sizes[I]});
    }
    IsWithCall.flip();
    IsLeft[&Tree] = std::move(IsWithCall);
  }
  if (All.size() <= Most)
    return;
  std::ranges::stable_sort(All, [](const Line &X, const Line &Y) { return X.Size > Y.Size; });
  for (size_t I = 0; I < Most; ++I)
    IsLeft[All[I].Tree][All[I].Place] = false;
  for (StructureTree &Tree : Trees)
    for (TreePlace &P : Tree.Places)
      std::erase_if(P.Children, [&](uint32_t Child) {
        if (!IsLeft[&Tree][Child])
          return false;
        const TreePlace &X = Tree.Places[Child];
        ++P.Left;
        addProduct(P.LeftCalls, X.Calls, 1);
        P.LeftTime.add(X.Time);
        P.LeftDurations.add(X.Durations);
        addProduct(P.LeftNotReturned, X.NotReturned, 1);
        return true;
      });
}

void sortChildren(StructureTree &Tree, bool ByTime) {
  for (TreePlace &P : Tree.Places)
    std::stable_sort(P.Children.begin(), P.Children.end(), [&](uint32_t X, uint32_t Y) {
      return sizeOf(Tree.Places[X], ByTime) > sizeOf(Tree.Places[Y], ByTime);
    });
}

} // namespace pilgrim
