//===- Settle.h - What only the linker knows --------------------*- C++ -*-===//
//
// Run at link time (-flto): of a whole program it is known which functions can
// not reach MPI. Takes the markers of these out again, and their second copies.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_SETTLE_H
#define PILGRIM_PASS_SETTLE_H

#include "llvm/IR/PassManager.h"

namespace pilgrim {

class SettlePass : public llvm::PassInfoMixin<SettlePass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &Module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace pilgrim

#endif
