//===- Marking.h - The code of markers --------------------------*- C++ -*-===//
//
// Writes the markers of a function: what api/Markers.h asks of instrumented
// code, at the places that Placement.h found.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PASS_MARKING_H
#define PILGRIM_PASS_MARKING_H

#include "pass/Placement.h"
#include "llvm/IR/IRBuilder.h"

namespace pilgrim {

class Marking {
public:
  /// Descriptors: those of the function's regions.
  Marking(Shape &Shape, const Regions &Regions, llvm::GlobalVariable &Descriptors);

  void write(const std::vector<Place> &Places);

private:
  /// Fields of PilgrimFrame.
  enum Field : unsigned { Parent, Descriptor, Node, Sum, Event, Touched };

  struct CallEvent {
    llvm::CallBase *Call;
    const Region *Where;
    uint64_t Between;    ///< added since the event before it in the block
    bool IsSecondReturn; ///< setjmp, which is no event
  };

  void findCalls();
  void makeVariables();
  void begin(llvm::Instruction *Before);
  void write(const Action &Action, llvm::Instruction *Before);
  void write(const CallEvent &Event);
  void enter(const Region &Region);
  void leave(const Region &Region);
  void endVisit(const Region &Region, bool SumIsKnown, const llvm::BasicBlock &Start);
  void beginVisit(const Region &Region, uint64_t Base, uint64_t Added);
  void storeEvent(const Region &Region, const void *CallOrRegion);
  void storeNumber(const Region &Region, unsigned Number);
  void storeSum(const Region &Region);
  void add(const Region &Region, uint64_t Value);
  llvm::Value *field(const Region &Region, Field Field);
  llvm::Value *frame(const Region &Region);

  Shape &TheShape;
  const Regions &TheRegions;
  llvm::GlobalVariable &Descriptors;
  llvm::Module &Module;
  llvm::IRBuilder<> Builder;
  llvm::StructType *FrameType;
  llvm::GlobalVariable *Top;
  llvm::ArrayType *FramesType = nullptr;
  llvm::AllocaInst *Frames = nullptr;         ///< one for each depth: regions side by side share them
  llvm::SmallVector<llvm::AllocaInst *> Sums; ///< per depth, null where the frame's is added to
  std::vector<CallEvent> Calls;
  std::vector<llvm::Instruction *> Ends;
};

/// PilgrimFrame.
llvm::StructType *frameType(llvm::LLVMContext &Context);
/// __pilgrim_top: initial-exec, one load away.
llvm::GlobalVariable *topVariable(llvm::Module &Module);

} // namespace pilgrim

#endif
