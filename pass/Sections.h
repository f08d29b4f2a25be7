//===- Sections.h - Where a thread waits for its turn ------------*- C++ -*-===//
//
// OpenMP's critical and ordered constructs: code between two calls of OpenMP's runtime library, in the function that
// has the directive. A section in which something is an event is an arm of its region: the call that begins the section
// is a node of the region's graph, but no marker is written for it.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_SECTIONS_H
#define PILGRIM_PASS_SECTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstrTypes.h"

namespace pilgrim {

class Sections {
public:
  /// Blocks: of a function, in reverse post-order. Without a section this takes no time.
  void find(llvm::ArrayRef<llvm::BasicBlock *> Blocks, llvm::function_ref<bool(const llvm::CallBase &)> IsEvent);

  bool empty() const { return WithEvents.empty(); }
  /// Whether a call begins a section that has events.
  bool begins(const llvm::CallBase &Call) const { return WithEvents.contains(&Call); }
  /// The section around an event or the end of a block, as the call that begins it; null: none.
  const llvm::CallBase *around(const llvm::Instruction &I) const { return Around.lookup(&I); }
  /// Whether a section is another one, or inside of it. Null is in none.
  bool isWithin(const llvm::CallBase *Section, const llvm::CallBase *Outer) const;

  /// An ArmName.
  static unsigned armName(const llvm::CallBase &Call);
  /// The line of the directive; 0: not known.
  static unsigned line(const llvm::CallBase &Call);
  /// The name that a critical construct has in the source; empty: none.
  static llvm::StringRef name(const llvm::CallBase &Call);

private:
  llvm::DenseMap<const llvm::Instruction *, const llvm::CallBase *> Around; ///< only of what is in one
  llvm::DenseMap<const llvm::CallBase *, const llvm::CallBase *> Outer;     ///< by section: the one around it
  llvm::SmallPtrSet<const llvm::CallBase *, 4> WithEvents;
};

} // namespace pilgrim

#endif
