// trace/read/CallIndex.h, CallIndex.cpp, CallIndexCursors.cpp, PassIndex.h: going to a call against going through all
// before it.
#include "trace/read/CallIndex.h"
#include "test/unit/RandomThread.h"
#include "test/unit/Sealed.h"
#include "trace/file/Format.h"
#include "trace/read/Untraced.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
/// A call, and where it stands.
struct Line {
  std::string Text;
  uint64_t Seq;
  double Start, End;
  bool operator==(const Line &X) const { return Text == X.Text && Seq == X.Seq && Start == X.Start; }
};
} // namespace

static Line lineOf(const Call &C, const CallCursor &Cursor) {
  Line L{callText(C) + " in", C.Seq, C.Start, C.Start + C.Duration};
  for (const Activation &A : Cursor.activations())
    L.Text += " node " + std::to_string(A.Node) + " visit " + std::to_string(A.Visit) + " of " +
              std::to_string(A.Visits) + " from item " + std::to_string(A.FirstItem);
  L.Text += " behind " + std::to_string(Cursor.items());
  return L;
}

/// What a cursor gives, so many calls at most.
static std::vector<Line> linesOf(CallCursor Cursor, size_t Limit = SIZE_MAX) {
  std::vector<Line> Out;
  for (Call C; Out.size() < Limit && Cursor.next(C);)
    Out.push_back(lineOf(C, Cursor));
  EXPECT_EQ(Cursor.error(), "");
  return Out;
}

static void expectSame(std::span<const Line> Expected, const std::vector<Line> &Found, const std::string &What) {
  ASSERT_EQ(Found.size(), Expected.size()) << What;
  for (size_t I = 0; I < Found.size(); ++I)
    ASSERT_TRUE(Found[I] == Expected[I]) << What << ", call " << I << " is\n  " << Found[I].Seq << " " << Found[I].Text
                                         << "\nand not\n  " << Expected[I].Seq << " " << Expected[I].Text;
}

/// Goes to many calls of each thread. Returns how many there were.
static size_t expectAllFound(const TraceData &D) {
  auto T = Trace::fromBytes(writeTrace(D));
  EXPECT_TRUE(T) << T.error().What;
  if (!T)
    return 0;
  size_t Tried = 0;
  T->ranks().forEach([&](uint32_t Rank) {
    for (uint32_t Thread : T->threads(Rank)) {
      auto View = T->view(Rank, Thread);
      const std::vector<Line> All = linesOf(Trace::calls(View));
      const CallIndex Index(View);
      const uint64_t End = All.empty() ? 0 : All.back().Seq + 2, Step = 1 + End / 200;
      if (std::ranges::none_of(View->signatures(), [](const auto &S) { return isUntraced(*S.Function); }))
        EXPECT_TRUE(All.empty() || Index.calls() - All.back().Seq <= 1)
            << Index.calls(); // the last item may be no call
      else
        EXPECT_GE(Index.calls() + 2, End); // the last item may stand for several calls
      for (uint64_t Seq = 0; Seq <= End; Seq += Step, ++Tried) {
        const auto First = std::ranges::find_if(All, [&](const Line &L) { return L.Seq >= Seq; });
        const auto Expected = std::span(All).subspan(static_cast<size_t>(First - All.begin()));
        const size_t Some = Seq % 7 ? 5 : SIZE_MAX;
        expectSame(Expected.first(std::min(Some, Expected.size())), linesOf(Index.fromCall(Seq), Some),
                   "from call " + std::to_string(Seq));
        if (testing::Test::HasFatalFailure())
          return;
      }
      if (!View->group().Timed)
        continue;
      for (size_t I = 0; I < All.size(); I += 1 + All.size() / 50) {
        // One that began earlier, then all that end at that time or later.
        const std::vector<Line> Found = linesOf(Index.fromTime(All[I].End));
        ASSERT_LE(Found.size(), All.size());
        ASSERT_GE(Found.size() + I, All.size());
        ASSERT_LE(Found.size() + I, All.size() + 8); // calls of callbacks in a row
        expectSame(std::span(All).last(Found.size()), Found, "from time");
      }
    }
  });
  return Tried;
}

TEST(CallIndex, CallsOfSamplesAreFound) {
  for (const Sample &S : Samples) {
    SCOPED_TRACE(S.Name);
    EXPECT_GT(expectAllFound(S.Make()), 0u);
    EXPECT_GT(expectAllFound(sealed(S.Make(), 1)), 0u);
  }
}

TEST(CallIndex, CallsOfRandomProgramsAreFound) {
  for (uint64_t Seed = 1; Seed <= 10; ++Seed) {
    SCOPED_TRACE(Seed);
    expectAllFound(join(rankTraces(randomRun(Seed, 2))));
  }
}

TEST(CallIndex, CallsOfRandomThreadsAreFound) {
  for (uint64_t Seed = 1; Seed <= 75; ++Seed) {
    SCOPED_TRACE(Seed);
    expectAllFound(RandomThread(Seed).make());
    if (Seed % 8 == 0)
      expectAllFound(sealed(RandomThread(Seed).make(), static_cast<unsigned>(Seed)));
    if (HasFatalFailure())
      return;
  }
}

TEST(CallIndex, LooksFarIntoALongRun) {
  // The structured sample's loop, run 2^40 times: nobody could go through it.
  TraceData D = structuredRank(4, 0, 6);
  const uint64_t Half = uint64_t(1) << 40;
  for (NodeData &N : D.Groups[0].Nodes)
    if (N.Region) {
      IntStream Visits;
      Visits.append(static_cast<int64_t>(2 * Half));
      N.Visits = {{RankSet(0), Visits.data()}};
      N.Paths[0].Order.Rules = {{{1, true, Half}}, {{0, false, 1}, {1, false, 1}}};
      N.Events[1].Items[0].Order.Rules = {{{0, false, 2 * Half}}};
      N.Events[3].Items[0].Order.Rules = {{{0, false, Half}}};
    }
  measureCalls(D.Groups[0], 1024, 16);
  auto T = Trace::fromBytes(writeTrace(D));
  ASSERT_TRUE(T) << T.error().What;
  const CallIndex Index(T->view(0, 0));
  // One call, then three for each pair of visits of each loop, then one.
  const std::vector<Line> Found = linesOf(Index.fromCall(1 + 3 * Half - 2), 3);
  ASSERT_EQ(Found.size(), 3u);
  EXPECT_NE(Found[0].Text.find("visit " + std::to_string(2 * Half) + " of"), std::string::npos) << Found[0].Text;
  EXPECT_NE(Found[2].Text.find("node 3 visit 1 of"), std::string::npos) << Found[2].Text;
  EXPECT_EQ(Found[2].Seq, 1 + 3 * Half);
  // A trace of all ranks rounds sums to 14 bits.
  const double Start = static_cast<double>(1 + 3 * Half) * 1040e-9;
  EXPECT_NEAR(Found[2].Start, Start, Start / (1 << 13));
  EXPECT_EQ(linesOf(Index.fromCall(1 + 6 * Half)).size(), 1u);
  EXPECT_EQ(linesOf(Index.fromCall(2 + 6 * Half)).size(), 0u);
}
