//===- Replay.cpp - pilgrim replay ----------------------------------------===//
//
// The tool is not linked with MPI. What makes the calls is another program, pilgrim-replay, which has the same options.
//
//===----------------------------------------------------------------------===//
#include "driver/Replay.h"
#include "api/Quantity.h"
#include "driver/Command.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace pilgrim {

double ReplayOptions::speed() const {
  std::string_view Text = Speed;
  double V = 1;
  return Text.empty() || (takeDecimal(Text, V) && Text.empty()) ? V : 0;
}

void addReplay(CommandLine &Tool, std::function<int(const ReplayOptions &)> Run) {
  Command C = Tool.add("replay", "Make the calls of a trace again, under mpiexec with as many ranks");
  C.usage("Usage: mpiexec -n 8 pilgrim replay [OPTIONS] TRACE\n");
  C.footer("Buffers have arbitrary contents. A trace of the replay has the same calls:\n"
           "  mpiexec -n 8 pilgrim run --output again.pilgrim pilgrim-replay TRACE");
  auto O = std::make_shared<ReplayOptions>();
  C.add("TRACE", O->File, "trace file").required();
  C.add("--pace", O->Pace,
        "what to wait between calls\nnone (default): nothing\nmean: as long as the program computed there on average"
        "\nrecorded: as long as it computed there that time (needs a trace taken with --timing calls)")
      .oneOf({"none", "mean", "recorded"})
      .argument("P");
  C.add("--speed", O->Speed, "with --pace: wait so many times shorter (default 1)").argument("X");
  C.add("--files", O->Files,
        "folder for files that the program opened by an absolute path, and current folder for others (default: "
        "TRACE.files; 'recorded': where the program had them)")
      .argument("DIR");
  C.example("mpiexec -n 8 pilgrim replay app.pilgrim", "the calls of a run of 8 ranks, as fast as they go");
  C.runs([O, Run = std::move(Run)] {
    if (O->speed() <= 0)
      return fail("--speed " + O->Speed + ": expected a number above 0, such as 1 or 2.5");
    if (!O->Speed.empty() && O->Pace == "none")
      return fail("--speed " + O->Speed + ": accepted with --pace mean or recorded");
    return Run(*O);
  });
}

int startReplay(const ReplayOptions &O) {
  char *Self = ::realpath("/proc/self/exe", nullptr);
  std::string Program = Self ? Self : "";
  std::free(Self);
  Program = Program.substr(0, Program.rfind('/') + 1) + "pilgrim-replay";
  std::vector<std::string> Words{Program, "--pace", O.Pace};
  if (!O.Speed.empty())
    Words.insert(Words.end(), {"--speed", O.Speed});
  if (!O.Files.empty())
    Words.insert(Words.end(), {"--files", O.Files});
  Words.insert(Words.end(), {"--", O.File});
  std::vector<char *> Argv;
  for (std::string &W : Words)
    Argv.push_back(W.data());
  Argv.push_back(nullptr);
  ::execv(Program.c_str(), Argv.data());
  return fail(Program + ": " + std::strerror(errno));
}

} // namespace pilgrim
