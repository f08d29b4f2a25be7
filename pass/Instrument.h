//===- Instrument.h - The pass ----------------------------------*- C++ -*-===//
//
// Instruments the functions of a module that may reach MPI.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_INSTRUMENT_H
#define PILGRIM_PASS_INSTRUMENT_H

#include "llvm/IR/PassManager.h"

namespace pilgrim {

class InstrumentPass : public llvm::PassInfoMixin<InstrumentPass> {
public:
  /// Above PathLimit paths in a region, paths are cut.
  explicit InstrumentPass(uint64_t PathLimit = uint64_t(1) << 48) : PathLimit(PathLimit) {}

  llvm::PreservedAnalyses run(llvm::Module &Module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  uint64_t PathLimit;
};

} // namespace pilgrim

#endif
