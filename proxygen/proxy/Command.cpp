//===- Command.cpp - pilgrim proxy ----------------------------------------===//
#include "proxygen/proxy/Command.h"
#include "driver/Command.h"
#include "driver/Input.h"
#include "driver/WholeFile.h"
#include "proxygen/proxy/Proxy.h"

namespace pilgrim {

void addProxy(CommandLine &Tool) {
  Command C = Tool.add("proxy", "Write a C program that makes the calls of a trace");
  C.footer("The program needs MPI alone: mpicc -O1 -o proxy proxy.c; mpiexec -n RANKS ./proxy");
  auto O = std::make_shared<ProxyOptions>();
  C.add("TRACE", O->Trace, "trace file").required();
  C.add("-o,--output", O->Output, "the C file to write").required().argument("FILE");
  C.add("--compute", O->Compute,
        "what to do between calls\nnone (default): nothing\nmean: busy work, as long as the program computed before "
        "such a call on average\nrecorded: as long as it computed before that call (with --timing calls)")
      .oneOf({"none", "mean", "recorded"})
      .argument("C");
  C.later({"--ranks"});
  C.runs([O] {
    auto T = openTrace(O->Trace);
    if (!T)
      return 2;
    auto Text = proxyOf(*T, *O);
    return Text ? writeWhole(O->Output, *Text) : fail(O->Trace, Text.error());
  });
}

} // namespace pilgrim
