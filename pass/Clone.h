//===- Clone.h - A second copy of a function, with markers ------*- C++ -*-===//
//
// A function that may or may not reach MPI through functions of other objects
// stays as it is but for one test at its entry. Where a flag is set it goes on
// in its copy, which has the markers.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_CLONE_H
#define PILGRIM_PASS_CLONE_H

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"

namespace pilgrim {

bool isClonable(const llvm::Function &Function);

/// NAME.pilgrim, not called by anything yet.
llvm::Function *cloneFunction(llvm::Function &Function);

/// Makes Function continue in Clone where Flag is set.
void dispatch(llvm::Function &Function, llvm::Function &Clone, llvm::GlobalVariable &Flag);

} // namespace pilgrim

#endif
