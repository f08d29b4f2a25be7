//===- Check.cpp - pilgrim check ------------------------------------------===//
//
// Validates a trace: what opening it checks anyway (every section, every
// reference, that each rank can be read to its end), the checksums of sections
// that are not known, and that ranks and sizes in communicators fit each other.
//
//===----------------------------------------------------------------------===//
#include "driver/Command.h"
#include "driver/Input.h"

namespace pilgrim {

/// Rank and size in a communicator, window or file must fit each other, on each rank that uses it.
static std::string findBadObject(const Variant &V, uint32_t World) {
  const auto K = static_cast<Kind>(V.Tokens[0]);
  if (V.Ranks.empty() || (K != Kind::Comm && K != Kind::Win && K != Kind::File))
    return "";
  const RankFn &Own = V.Words[1], &Size = V.Words[2];
  // Mostly all are below the smallest size; else each rank is looked at.
  if (Own.range(V.Ranks, World).second < Size.range(V.Ranks, World).first)
    return "";
  std::string Problem;
  V.Ranks.forEach([&](uint32_t Rank) {
    const int64_t Number = Own.eval(Rank, {Rank, World}), Of = Size.eval(Rank, {Rank, World});
    if (Problem.empty() && Of > 0 && Number >= Of)
      Problem = "damaged: rank " + std::to_string(Rank) + " is number " + std::to_string(Number) + " of " +
                std::to_string(Of) + " in an object";
  });
  return Problem;
}

static int check(const std::string &File) {
  auto T = openTrace(File, true);
  if (!T)
    return 2;
  std::string Problem;
  for (const Group &G : T->data().Groups)
    for (const Entry &E : G.table(TableId::Objects))
      for (const Variant &V : E)
        if (Problem.empty())
          Problem = findBadObject(V, T->data().World);
  return Problem.empty() ? 0 : fail(File, Problem);
}

void addCheck(CLI::App &Tool, Action &Chosen) {
  CLI::App *C = Tool.add_subcommand("check", "Validate every section of a trace; exit code 0 if it is sound");
  auto File = std::make_shared<std::string>();
  C->add_option("TRACE", *File, "trace file")->required();
  C->callback([=, &Chosen] { Chosen = [=] { return check(*File); }; });
}

} // namespace pilgrim
