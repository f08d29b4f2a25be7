//===- OpenMp.h - What OpenMP's runtime library calls -----------*- C++ -*-===//
//
// Compilers make a function of the body of a parallel region or a task, and
// pass it to OpenMP's runtime library, which calls it. Such a call of the
// library counts as a call of that function. So does what runs inside of a
// barrier: tasks of any function. Only the names of libomp (__kmpc_...) are
// known here, since clang and flang call no other library.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_OPENMP_H
#define PILGRIM_PASS_OPENMP_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace pilgrim {
namespace openmp {

/// The function that the library runs inside of this call, at least on the thread that calls: the body of a region or a
/// task. Null: none, or not known.
const llvm::Function *started(const llvm::CallBase &Call);

/// A team of threads starts, each of which runs started().
bool isFork(const llvm::CallBase &Call);

/// A call inside of which the library may run tasks that were made elsewhere. Forks are none.
bool mayRunTasks(const llvm::CallBase &Call);

/// What readers call such a call; empty: not one of the library's.
llvm::StringRef nameOf(const llvm::CallBase &Call);

/// The line of a call or a branch. Where a call of the library knows the line of a directive: that. 0: not known.
unsigned lineOf(const llvm::Instruction &I);
/// The line of a loop. Flang does not tell those of directives.
unsigned lineOf(const llvm::Loop &Loop);

} // namespace openmp

/// A function that a compiler made of a part of another one.
struct OutlinedPart {
  llvm::StringRef Name;   ///< for readers
  unsigned Line = 0;      ///< of the directive; 0: not known
  bool OnlyCalls = false; ///< it only converts its arguments, and calls the part
};

/// The functions that OpenMP's runtime library is given in a module.
class OutlinedParts {
public:
  explicit OutlinedParts(const llvm::Module &Module);
  /// Null: the source has this function.
  const OutlinedPart *find(const llvm::Function &Function) const {
    auto Found = Parts.find(&Function);
    return Found == Parts.end() ? nullptr : &Found->second;
  }

private:
  llvm::DenseMap<const llvm::Function *, OutlinedPart> Parts;
};

} // namespace pilgrim

#endif
