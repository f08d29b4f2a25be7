//===- Command.cpp - pilgrim extrapolate ----------------------------------===//
#include "proxygen/extrapolate/Command.h"
#include "driver/Command.h"
#include "driver/Input.h"
#include "driver/WholeFile.h"
#include "proxygen/Replayable.h"
#include "proxygen/extrapolate/Extrapolation.h"
#include "trace/base/Counted.h"

#include <cstdio>
#include <set>

namespace pilgrim {

namespace {
/// That a trace can have.
constexpr uint64_t MostRanks = uint64_t(1) << 24;

struct ExtrapolateOptions {
  std::vector<std::string> Files;
  std::string Output;
  uint64_t Ranks = 0;
  bool Force = false;
};

int run(const ExtrapolateOptions &O) {
  if (int Code = refuseInput("-o", O.Output, O.Files))
    return Code;
  const auto Out = extrapolateFiles(O.Files, O.Ranks, O.Force);
  if (!Out)
    return 2;
  if (int Code = writeWhole(O.Output, {reinterpret_cast<const char *>(Out->File.data()), Out->File.size()}))
    return Code;
  std::printf("%s: %s not depend on the number of ranks, %zu %s from it, with ranks in %s\n", O.Output.c_str(),
              (counted(Out->Constant, "number") + (Out->Constant == 1 ? " does" : " do")).c_str(), Out->Fitted,
              Out->Fitted == 1 ? "follows" : "follow", nameOf(Out->By));
  for (const std::string &Line : Out->Guesses)
    std::printf("guessed: %s\n", Line.c_str());
  return 0;
}
} // namespace

std::optional<Extrapolated> extrapolateFiles(const std::vector<std::string> &Files, uint64_t Ranks, bool Force) {
  if (Files.size() < 3)
    return fail("extrapolate: expected traces at three or more numbers of ranks, not " + std::to_string(Files.size())),
           std::nullopt;
  if (Ranks > MostRanks)
    return fail("--ranks " + std::to_string(Ranks) + ": expected at most " + std::to_string(MostRanks)), std::nullopt;
  std::vector<Trace> From;
  std::set<uint32_t> Counts;
  for (const std::string &File : Files) {
    auto T = openTrace(File);
    if (!T)
      return std::nullopt;
    if (std::string Why = whyNotReplayable(*T); !Why.empty())
      return fail(File, Why), std::nullopt;
    if (!Counts.insert(T->world()).second)
      return fail(File, "another trace has " + counted(T->world(), "rank") + ", too"), std::nullopt;
    From.push_back(std::move(*T));
  }
  auto Out = extrapolate(std::move(From), static_cast<uint32_t>(Ranks), Force);
  if (Out)
    return std::move(*Out);
  std::fprintf(stderr, "pilgrim: extrapolate: what does not follow from the number of ranks:\n");
  for (const std::string &Line : Out.error())
    std::fprintf(stderr, "  %s\n", Line.c_str());
  return std::nullopt;
}

void addExtrapolate(CommandLine &Tool) {
  Command C =
      Tool.add("extrapolate", "Make the trace of another number of ranks from traces of one program at three or more");
  C.usage("Usage: pilgrim extrapolate [OPTIONS] TRACE TRACE TRACE... --ranks Q -o FILE\n");
  auto O = std::make_shared<ExtrapolateOptions>();
  C.add("TRACES", O->Files, "traces of one program, each with another number of ranks").required().argument("TRACE");
  C.add("--ranks", O->Ranks, "the number of ranks that is wanted").required().positive().argument("Q");
  C.add("-o,--output", O->Output, "the trace to write").required().argument("FILE");
  C.flag("--force", O->Force, "guess what does not follow from the number of ranks; the result says so");
  C.example("pilgrim extrapolate 4.pilgrim 9.pilgrim 16.pilgrim --ranks 400 -o 400.pilgrim", "what 400 ranks would do");
  C.runs([O] { return run(*O); });
}

} // namespace pilgrim
