//===- Diff.cpp - pilgrim diff --------------------------------------------===//
#include "driver/Command.h"
#include "driver/DiffCalls.h"
#include "driver/DiffRelaxed.h"
#include "driver/Input.h"

namespace pilgrim {

void addDiff(CommandLine &Tool) {
  Command C = Tool.add("diff", "Compare the calls of two traces; exit code 0 if they agree, 1 "
                               "if not");
  auto FileA = std::make_shared<std::string>();
  auto FileB = std::make_shared<std::string>();
  auto ByRank = std::make_shared<bool>(false), Relaxed = std::make_shared<bool>(false);
  C.add("A", *FileA, "trace file").required();
  C.add("B", *FileB, "trace file").required();
  const Option EachRank = C.flag("--by-rank", *ByRank, "the first difference of each rank and thread, with both calls");
  C.flag("--relaxed", *Relaxed,
         "compare how often each call is made, not in which order: for programs that complete requests or match "
         "wildcards in another order in each run")
      .excludes(EachRank);
  C.footer("Prints one line for the first difference of each group of ranks that differ alike. What B has\n"
           "stands first: \"the loop at heat.c:14 runs 40 times, not 42\" means 40 times in B, 42 in A.");
  C.example("pilgrim diff before.pilgrim after.pilgrim", "nothing, if the calls agree");
  C.exitCodes(
      "  0  the calls agree\n  1  they differ\n  2  this could not be found out, and one line on stderr says why\n");
  C.runs([=] {
    auto A = openTrace(*FileA);
    if (!A)
      return 2;
    auto B = openTrace(*FileB);
    if (!B)
      return 2;
    const DiffInput InA{*FileA, *A}, InB{*FileB, *B};
    if (*Relaxed)
      return diffRelaxed(InA, InB);
    return *ByRank ? diffByRank(InA, InB) : diffByGroup(InA, InB);
  });
}

} // namespace pilgrim
