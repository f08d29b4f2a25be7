//===- Reach.h - Which functions may reach MPI ------------------*- C++ -*-===//
//
// The call graph of a module as far as it matters: from which functions an MPI
// call is surely, possibly or never made, and which of them are recursive
// together. Computed calls are not followed: what they do is found at run time. But which calls may lead to one is
// known. Of OpenMP's runtime library the calls of regions and tasks are.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_REACH_H
#define PILGRIM_PASS_REACH_H

#include "pass/Calls.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Module.h"

namespace pilgrim {

/// What a call is to the function that makes it.
enum class CallKind : uint8_t { None, Site, Call };

class Reach {
public:
  enum State : uint8_t {
    Nothing,
    Unknown, ///< only calls of functions that are defined elsewhere
    Certain, ///< an MPI call is made here, or in a function that is called and defined here; or this is the main
             ///< program, and makes computed calls
  };

  Reach(const llvm::Module &Module, const Calls &Names);

  State state(const llvm::Function &Function) const { return info(Function).Reaches; }
  bool hasSite(const llvm::Function &Function) const { return info(Function).Site; }
  CallKind kind(const llvm::CallBase &Call) const;
  /// A call that may lead to functions that are not known here: a computed one, or one of a function that makes those,
  /// or of a template of the C++ library whose functions have no markers.
  bool mayCallBack(const llvm::CallBase &Call) const;
  bool inOneCycle(const llvm::Function &A, const llvm::Function &B) const {
    return info(A).Cycle && info(A).Cycle == info(B).Cycle;
  }

  /// What is to be known of a function when modules are joined. Local callees, which have no name there, are
  /// replaced by what they call.
  struct Summary {
    bool Site = false;
    llvm::SmallSetVector<const llvm::Function *, 8> Callees;
  };
  Summary summary(const llvm::Function &Function) const;

private:
  struct Info {
    State Reaches = Nothing;
    bool Site = false;
    bool CallsBack = false;
    unsigned Cycle = 0; ///< number of the cycle of the call graph, 0: not recursive
    llvm::SmallSetVector<const llvm::Function *, 4> Callees;
  };
  const Info &info(const llvm::Function &Function) const;
  bool isDefined(const llvm::Function &Function) const;
  void collect(const llvm::Function &Function);
  void propagate();
  void propagateCallbacks();
  void markMain();
  void findCycles();

  const Calls &Names;
  llvm::MapVector<const llvm::Function *, Info> Functions;
};

} // namespace pilgrim

#endif
