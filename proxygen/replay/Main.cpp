//===- Main.cpp - pilgrim-replay ------------------------------------------===//
#include "driver/Command.h"
#include "driver/Replay.h"
#include "proxygen/replay/Replay.h"

#include <cstring>
#include <exception>
#include <vector>

int main(int Argc, char **Argv) {
  using namespace pilgrim;
  // The tool's own form, `pilgrim replay ...`, is understood, too.
  std::vector<char *> Words(Argv, Argv + Argc);
  char Name[] = "replay";
  if (Argc < 2 || std::strcmp(Argv[1], Name) != 0)
    Words.insert(Words.begin() + (Argc > 0), Name);
  Words.push_back(nullptr);
  try {
    CommandLine Tool;
    addReplay(Tool, [&](const ReplayOptions &O) { return replay(O, Argc, Argv); });
    return Tool.run(static_cast<int>(Words.size()) - 1, Words.data());
  } catch (const std::exception &E) {
    return fail(E.what());
  }
}
