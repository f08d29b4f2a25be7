//===- Diff.cpp - pilgrim diff --------------------------------------------===//
#include "driver/Command.h"
#include "driver/DiffCalls.h"
#include "driver/Input.h"

namespace pilgrim {

void addDiff(CLI::App &Tool, Action &Chosen) {
  CLI::App *C = Tool.add_subcommand("diff", "Compare the calls of two traces; exit code 0 if they agree, 1 "
                                            "if not");
  auto FileA = std::make_shared<std::string>();
  auto FileB = std::make_shared<std::string>();
  auto ByRank = std::make_shared<bool>(false);
  C->add_option("A", *FileA, "trace file")->required();
  C->add_option("B", *FileB, "trace file")->required();
  C->add_flag("--by-rank", *ByRank, "the first difference of each rank and thread, with both calls");
  C->footer("Prints one line for the first difference of each group of ranks that differ alike. What B has\n"
            "stands first: \"the loop at heat.c:14 runs 40 times, not 42\" means 40 times in B, 42 in A.");
  addLater(*C, {"--relaxed"});
  C->callback([=, &Chosen] {
    Chosen = [=] {
      auto A = openTrace(*FileA);
      if (!A)
        return 2;
      auto B = openTrace(*FileB);
      if (!B)
        return 2;
      const DiffInput InA{*FileA, *A}, InB{*FileB, *B};
      return *ByRank ? diffByRank(InA, InB) : diffByGroup(InA, InB);
    };
  });
}

} // namespace pilgrim
