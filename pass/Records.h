//===- Records.h - Tables and their registration in an object ---*- C++ -*-===//
//
// Puts tables, records and region descriptors into the module, and the
// constructor that registers them. What inline functions refer to is in COMDAT
// groups of its own, never in the function's: another object's copy of the
// function, made without the plugin, may be the one that the linker keeps.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_RECORDS_H
#define PILGRIM_PASS_RECORDS_H

#include "pass/Table.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

namespace pilgrim {

class Records {
public:
  explicit Records(llvm::Module &Module) : Module(Module) {}

  /// The descriptors of a function's regions, an array. Flag: null if its markers are always on. Function is the one
  /// that the markers are in, Prefix begins the names of what is made.
  llvm::GlobalVariable *add(const llvm::Function &Function, const Table &Table, unsigned Regions,
                            llvm::GlobalVariable *Flag);
  /// The byte that switches a copy with markers on.
  llvm::GlobalVariable *addFlag(llvm::Function &Clone);
  /// What such a byte switches on; null if Variable is none.
  static const llvm::Function *behindFlag(const llvm::GlobalVariable &Variable);

  /// Emits the constructor if anything was added.
  void finish();

  static llvm::StructType *recordType(llvm::LLVMContext &Context);

private:
  llvm::GlobalVariable *define(llvm::Constant *Value, llvm::Comdat *Group, const llvm::Twine &Name, bool IsConstant);
  llvm::Function *makeHook(llvm::StringRef Name, llvm::StringRef Callee, llvm::GlobalVariable &Argument,
                           llvm::Comdat *Group);

  llvm::Module &Module;
  llvm::SmallVector<llvm::GlobalValue *> Kept;
};

} // namespace pilgrim

#endif
