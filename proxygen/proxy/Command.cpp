//===- Command.cpp - pilgrim proxy ----------------------------------------===//
#include "proxygen/proxy/Command.h"
#include "driver/Command.h"
#include "driver/Input.h"
#include "driver/WholeFile.h"
#include "proxygen/extrapolate/Command.h"
#include "proxygen/proxy/Proxy.h"

namespace pilgrim {

namespace {
struct ProxyCommand {
  std::vector<std::string> Files;
  uint64_t Ranks = 0; ///< 0: those of the trace
  ProxyOptions Options;
};

int run(ProxyCommand &O) {
  if (!O.Ranks && O.Files.size() > 1)
    return fail("proxy: expected one trace, or --ranks and traces at three or more numbers of ranks");
  if (O.Ranks && O.Options.Compute != "none")
    return fail("--compute " + O.Options.Compute + ": a trace of another number of ranks (--ranks) has no times");
  if (int Code = refuseInput("-o", O.Options.Output, O.Files))
    return Code;
  O.Options.Trace = O.Files[0];
  std::optional<Trace> T;
  if (!O.Ranks) {
    auto Read = openTrace(O.Files[0]);
    if (!Read)
      return 2;
    T = std::move(*Read);
  } else {
    const auto Made = extrapolateFiles(O.Files, O.Ranks, false);
    auto Read = Made ? Trace::fromBytes(Made->File) : std::unexpected(TraceError());
    if (!Read)
      return 2;
    T = std::move(*Read);
    O.Options.Trace = "a run that was extrapolated from " + std::to_string(O.Files.size()) + " others";
  }
  auto Text = proxyOf(*T, O.Options);
  return Text ? writeWhole(O.Options.Output, *Text) : fail(O.Options.Trace, Text.error());
}
} // namespace

void addProxy(CommandLine &Tool) {
  Command C = Tool.add("proxy", "Write a C program that makes the calls of a trace");
  C.usage("Usage: pilgrim proxy [OPTIONS] TRACE -o FILE\n       pilgrim proxy [OPTIONS] --ranks Q TRACE TRACE TRACE... "
          "-o FILE\n");
  C.footer("The program needs MPI alone: mpicc -O1 -o proxy proxy.c; mpiexec -n RANKS ./proxy");
  auto O = std::make_shared<ProxyCommand>();
  C.add("TRACES", O->Files, "trace file; with --ranks several").required().argument("TRACE");
  C.add("-o,--output", O->Options.Output, "the C file to write").required().argument("FILE");
  C.add("--compute", O->Options.Compute,
        "what to do between calls\nnone (default): nothing\nmean: busy work, as long as the program computed before "
        "such a call on average\nrecorded: as long as it computed before that call (with --timing calls)")
      .oneOf({"none", "mean", "recorded"})
      .argument("C");
  C.add("--ranks", O->Ranks, "a program for so many ranks, from traces at three or more (see pilgrim extrapolate)")
      .positive()
      .argument("Q");
  C.example("pilgrim proxy app.pilgrim -o proxy.c && mpicc proxy.c -o proxy", "a program without the computations");
  C.runs([O] { return run(*O); });
}

} // namespace pilgrim
