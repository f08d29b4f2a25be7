//===- Arms.h - What the ways on from a branch are called --------*- C++ -*-===//
//
// Only branches that the source has make arms. Where an exception leaves a function, or looks for its handler, the
// compiler has branches of its own. The plugin comes first among the passes, so blocks still stand in the order in
// which the compiler's front end has made them.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_ARMS_H
#define PILGRIM_PASS_ARMS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Function.h"

namespace pilgrim {

/// Names of arms in tables and traces. From Case on: a case, whose value V is said as 2 * V, or -2 * V - 1 where it is
/// negative.
enum class ArmName : unsigned { True, False, Default, Other, Master, Masked, Single, Critical, Ordered, Case = 16 };

class Arms {
public:
  explicit Arms(const llvm::Function &Function);
  /// Whether flang made the module.
  static bool isFortran(const llvm::Module &Module);
  /// Whether only an exception takes the way between two blocks, up to the handler that catches it.
  bool isUnwinding(const llvm::BasicBlock *From, const llvm::BasicBlock *To) const {
    return To->isEHPad() || Unwinding.contains(From);
  }
  /// The name of a branch's successor: an ArmName.
  unsigned name(const llvm::Instruction &Branch, unsigned Successor) const;
  /// The same of a block that a condition of several parts leads to, on the whole. Other: the only other one.
  unsigned nameOfWhole(const llvm::BasicBlock *To, const llvm::BasicBlock *Other) const;

private:
  bool isNegated(const llvm::Instruction &Branch) const;

  const bool IsFortran;
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> Position;
  llvm::DenseSet<const llvm::BasicBlock *> Unwinding;
};

} // namespace pilgrim

#endif
