//===- Check.cpp - pilgrim check ------------------------------------------===//
//
// Validates a trace: what opening it checks anyway (every section, every
// reference, that each rank can be read to its end), the checksums of sections
// that are not known, and then that each rank's tables resolve.
//
//===----------------------------------------------------------------------===//
#include "driver/Command.h"
#include "driver/Input.h"

namespace pilgrim {

/// Rank and size of a communicator as a rank sees it must fit each other.
static std::string findBadObject(const RankView &View, const Group &G) {
  for (size_t I = 0; I < G.table(TableId::Objects).size(); ++I) {
    const ObjectInfo &O = View.object(static_cast<uint32_t>(I));
    if (O.K != Kind::Datatype && O.Size > 0 && O.Rank >= O.Size)
      return "damaged: rank " + std::to_string(View.rank()) + " is number " + std::to_string(O.Rank) + " of " +
             std::to_string(O.Size) + " in an object";
  }
  return "";
}

static int check(const std::string &File) {
  auto T = openTrace(File, true);
  if (!T)
    return 2;
  std::string Problem;
  for (const Group &G : T->data().Groups)
    for (const RankSet::Interval &I : G.ranks().intervals())
      for (uint64_t R = I.First; R <= I.Last && Problem.empty(); ++R)
        Problem = findBadObject(*T->view(static_cast<uint32_t>(R), G.Thread), G);
  return Problem.empty() ? 0 : fail(File, Problem);
}

void addCheck(CLI::App &Tool, Action &Chosen) {
  CLI::App *C = Tool.add_subcommand("check", "Validate every section of a trace; exit code 0 if it is sound");
  auto File = std::make_shared<std::string>();
  C->add_option("TRACE", *File, "trace file")->required();
  C->callback([=, &Chosen] { Chosen = [=] { return check(*File); }; });
}

} // namespace pilgrim
