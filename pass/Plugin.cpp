//===- Plugin.cpp - What the compiler loads -------------------------------===//
//
// Puts the pass at the beginning of the pipelines of clang and flang, where
// loops are still as in the source and nothing is inlined, and makes it known to
// opt as "pilgrim" and "pilgrim<LIMIT>" (of paths in a region). At the link of a
// whole program, what is then known to be of no use is taken out again; opt has
// that as "pilgrim-settle".
//
//===----------------------------------------------------------------------===//
#include "pass/Instrument.h"
#include "pass/Settle.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"

using namespace llvm;

namespace {

bool parse(StringRef Name, ModulePassManager &Manager) {
  if (!Name.consume_front("pilgrim"))
    return false;
  uint64_t Limit;
  if (Name == "-settle")
    Manager.addPass(pilgrim::SettlePass());
  else if (Name.empty())
    Manager.addPass(pilgrim::InstrumentPass());
  else if (Name.consume_front("<") && Name.consume_back(">") && !Name.getAsInteger(10, Limit))
    Manager.addPass(pilgrim::InstrumentPass(Limit));
  else
    return false;
  return true;
}

void addTo(PassBuilder &Builder) {
  Builder.registerPipelineStartEPCallback(
      [](ModulePassManager &Manager, OptimizationLevel) { Manager.addPass(pilgrim::InstrumentPass()); });
  Builder.registerFullLinkTimeOptimizationEarlyEPCallback(
      [](ModulePassManager &Manager, OptimizationLevel) { Manager.addPass(pilgrim::SettlePass()); });
  Builder.registerPipelineParsingCallback([](StringRef Name, ModulePassManager &Manager,
                                             ArrayRef<PassBuilder::PipelineElement>) { return parse(Name, Manager); });
}

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "pilgrim", "1", addTo};
}
