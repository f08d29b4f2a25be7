//===- Check.cpp - pilgrim check ------------------------------------------===//
//
// Validates a trace: what opening it checks anyway (every section, every
// reference, that each rank can be read to its end), the checksums of sections
// that are not known, that ranks and sizes in communicators fit each other, and
// that chunks say what is said of them.
//
//===----------------------------------------------------------------------===//
#include "driver/Command.h"
#include "driver/Input.h"
#include "trace/read/Soundness.h"

namespace pilgrim {

static int check(const std::string &File) {
  auto T = openTrace(File, true);
  if (!T)
    return 2;
  std::string Problem = findBadObject(*T);
  if (Problem.empty())
    Problem = findBadChunk(*T);
  if (Problem.empty())
    Problem = findBadTurnsInChunks(*T);
  return Problem.empty() ? 0 : fail(File, Problem);
}

void addCheck(CommandLine &Tool) {
  Command C = Tool.add("check", "Validate every section of a trace; exit code 0 if it is sound");
  auto File = std::make_shared<std::string>();
  C.add("TRACE", *File, "trace file").required();
  C.example("pilgrim check app.pilgrim", "whether the file is whole");
  C.runs([=] { return check(*File); });
}

} // namespace pilgrim
