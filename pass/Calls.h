//===- Calls.h - What a call may lead to ------------------------*- C++ -*-===//
//
// Tells MPI's functions, and functions that are known not to reach MPI, by
// their names. What a function that is defined in the module reaches is the
// subject of Reach.h.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_CALLS_H
#define PILGRIM_PASS_CALLS_H

#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstrTypes.h"

namespace pilgrim {

class Calls {
public:
  explicit Calls(const llvm::TargetLibraryInfo &Library);

  /// The function that is called directly, seen through aliases; null where it is computed, and for inline assembly.
  static llvm::Function *callee(const llvm::CallBase &Call);

  /// A traced MPI function by any of its names in C and Fortran; but MPI_Abort, behind which nothing comes.
  bool isMpi(llvm::StringRef Name) const;

  /// A function that is not defined here, and neither is nor reaches MPI.
  bool isHarmless(const llvm::Function &Function) const;

  /// The C++ standard library's, whatever it calls back.
  static bool isStandardCxx(llvm::StringRef Name);

private:
  const llvm::TargetLibraryInfo &Library;
  llvm::StringSet<> Mpi; ///< without MPI_, in lower case
};

} // namespace pilgrim

#endif
