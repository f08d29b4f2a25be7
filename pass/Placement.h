//===- Placement.h - Where the code of edges goes ---------------*- C++ -*-===//
//
// Each edge of the control flow has a list of things to do: add to sums, leave
// and enter regions. This splits blocks so that each list has a place, and
// shares what all edges to a block have in common.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_PLACEMENT_H
#define PILGRIM_PASS_PLACEMENT_H

#include "pass/Regions.h"

namespace pilgrim {

struct Action {
  enum Kind : uint8_t {
    Add,     ///< Value to the sum
    Enter,   ///< the region
    Visit,   ///< ends; the next one starts in the header, Start
    Cut,     ///< the path; the next one starts in block Start
    CutLate, ///< the same where only what the frame holds is known
    Leave,   ///< the region
    Restore, ///< make the region's frame the innermost
  };
  Kind What;
  const Region *Where;
  uint64_t Value = 0;
  const llvm::BasicBlock *Start = nullptr;

  bool operator==(const Action &Other) const {
    return What == Other.What && Where == Other.Where && Value == Other.Value && Start == Other.Start;
  }
};

using Actions = llvm::SmallVector<Action, 4>;

struct Place {
  llvm::Instruction *Before;
  Actions Todo;
};

/// False, with nothing changed: some edge has no place.
bool place(Shape &Shape, const Regions &Regions, std::vector<Place> &Result);

} // namespace pilgrim

#endif
