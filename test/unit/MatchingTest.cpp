// proxygen/extrapolate/Matching.h: calls of ranks that do not fit together. (Messages: lit/replay/extrapolate.test.)
#include "proxygen/extrapolate/Matching.h"
#include "test/unit/Samples.h"
#include "trace/file/Format.h"
#include "trace/read/Reader.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
/// Ranks that call a barrier on a communicator Calls(rank) times.
std::string unmatched(const std::string &Comm, const std::function<int(uint32_t)> &Calls) {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 3; ++R) {
    LeafBuilder B(3, R, 0);
    for (int I = 0; I < Calls(R); ++I)
      B.add({2,
             "app",
             0x40,
             {value(Tag::Word, {0}), value(Tag::Object, {}, "", {{Kind::Comm, Comm, {0, R, 3, 0, -1}}})},
             {}});
    Parts.push_back(B.take(false));
  }
  TraceData T = join(std::move(Parts));
  FunctionSchema &F = T.Functions[2];
  F.Name = "MPI_Barrier";
  F.IsCollective = true;
  const char *Names[] = {"return", "comm"};
  const Kind Kinds[] = {Kind::Error, Kind::Comm};
  for (int I = 0; I < 2; ++I) {
    F.Slots[I] = {};
    F.Slots[I].Name = Names[I];
    F.Slots[I].K = Kinds[I];
  }
  const auto Read = Trace::fromBytes(writeTrace(T));
  return Read ? findUnmatched(Walk(*Read)) : Read.error().What;
}

TEST(Matching, AllRanksTakePart) {
  EXPECT_EQ(unmatched("MPI_COMM_WORLD", [](uint32_t) { return 4; }), "");
  EXPECT_EQ(unmatched("MPI_COMM_WORLD", [](uint32_t R) { return R == 2 ? 3 : 4; }),
            "ranks call MPI_Barrier on MPI_COMM_WORLD, which takes all of them, more or less often");
  EXPECT_EQ(unmatched("MPI_COMM_SELF", [](uint32_t R) { return R == 2 ? 3 : 4; }), "");
}
} // namespace
