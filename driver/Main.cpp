//===- Main.cpp - the pilgrim tool ----------------------------------------===//
#include "driver/Command.h"
#include "driver/Replay.h"
#include "proxygen/extrapolate/Command.h"
#include "proxygen/proxy/Command.h"

#include <exception>
#include <new>

namespace pilgrim {
static int run(int Argc, char **Argv) {
  CommandLine Tool;
  addRun(Tool);
  addInfo(Tool);
  addPrint(Tool);
  addStats(Tool);
  addTree(Tool);
  addMatrix(Tool);
  addDiff(Tool);
  addCheck(Tool);
  addMerge(Tool);
  addReplay(Tool, startReplay);
  addProxy(Tool);
  addExtrapolate(Tool);
  addCompletion(Tool);
  addHelp(Tool);
  return Tool.run(Argc, Argv);
}
} // namespace pilgrim

int main(int Argc, char **Argv) {
  try {
    return pilgrim::run(Argc, Argv);
  } catch (const std::bad_alloc &) {
    return pilgrim::fail("not enough memory");
  } catch (const std::exception &E) {
    return pilgrim::fail(E.what());
  }
}
