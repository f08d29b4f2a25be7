//===- Command.cpp - pilgrim proxy ----------------------------------------===//
#include "proxygen/proxy/Command.h"
#include "driver/Command.h"
#include "driver/Input.h"
#include "proxygen/proxy/Proxy.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace pilgrim {

/// Nothing is left where writing fails.
static int writeWhole(const std::string &File, const std::string &Text) {
  const std::string Part = File + ".part";
  std::FILE *F = std::fopen(Part.c_str(), "w");
  bool Good = F && std::fwrite(Text.data(), 1, Text.size(), F) == Text.size();
  Good = F && std::fclose(F) == 0 && Good;
  if (Good && std::rename(Part.c_str(), File.c_str()) == 0)
    return 0;
  const int Why = errno;
  ::unlink(Part.c_str());
  return fail(File + ": cannot write: " + std::strerror(Why));
}

void addProxy(CommandLine &Tool) {
  Command C = Tool.add("proxy", "Write a C program that makes the calls of a trace");
  C.footer("The program needs MPI alone: mpicc -O1 -o proxy proxy.c; mpiexec -n RANKS ./proxy");
  auto O = std::make_shared<ProxyOptions>();
  C.add("TRACE", O->Trace, "trace file").required();
  C.add("-o,--output", O->Output, "the C file to write").required().argument("FILE");
  C.add("--compute", O->Compute,
        "what to do between calls\nnone (default): nothing\nmean: busy work, as long as the program computed before such a call on average")
      .oneOf({"none", "mean"})
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
