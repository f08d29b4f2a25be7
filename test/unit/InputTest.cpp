// What the tool reads from its command line and from a trace, and that whatever can be opened can be used.
#include "driver/Input.h"
#include "api/Quantity.h"
#include "driver/CallCompare.h"
#include "driver/CallText.h"
#include "driver/Volume.h"
#include "test/unit/DriverFixture.h"
#include "trace/base/Counted.h"

using namespace pilgrim;
using namespace pilgrim::test;

namespace {

TEST(Input, findsStreamsThatDoNotFitTheCalls) {
  for (int Step : {-1, 1}) {
    TraceData T = sampleTrace();
    auto &Variants = calls(T.Groups[0]).Streams.begin()->second;
    IntStreamData::Cursor C(Variants[0].Values);
    IntStream Changed;
    int64_t V, Last = 0;
    for (uint64_t N = Variants[0].Values.length() + Step; N--;)
      Changed.append(C.next(V) ? Last = V : Last);
    Variants[0].Values = Changed.data();
    auto Read = Trace::fromBytes(writeTrace(T));
    ASSERT_TRUE(Read);
    EXPECT_NE(findInconsistency(*Read).find(Step < 0 ? "ends before the calls" : "goes on behind"), std::string::npos)
        << findInconsistency(*Read);
  }
}

TEST(Input, countsStreamedArrays) {
  RankTrace R(1, 0);
  for (int64_t I = 0; I < 20; ++I)
    R.add({"MPI_Waitall",
           {ok(), word(2), array(std::vector<int64_t>(I % 3, I)).stream(),
            statuses(std::vector<int64_t>(I % 3 * 4, 1)).stream(), absent()}});
  TraceData T = R.take();
  EXPECT_EQ(opened(T).data().calls(), 20u);
  // An array that claims one element more.
  auto &Lengths = calls(T.Groups[0]).Streams.begin()->second[0].Values;
  Lengths.Runs.back().First += 1;
  auto Read = Trace::fromBytes(writeTrace(T));
  ASSERT_TRUE(Read);
  EXPECT_NE(findInconsistency(*Read), "");
}

TEST(Input, readsRanksAndTimes) {
  RankSet S;
  EXPECT_TRUE(parseRanks("0-3,7,5", S));
  EXPECT_EQ(rankText(S), "0-3,5,7");
  for (const char *Bad : {"", "x", "3-1", "1,", "-1", "1-", "99999999999"})
    EXPECT_FALSE(parseRanks(Bad, S)) << Bad;
  EXPECT_EQ(numbered("rank", S), "ranks 0-3,5,7");
  EXPECT_EQ(numbered("rank", RankSet(4)), "rank 4");
  EXPECT_EQ(counted(1, "pass") + ", " + counted(2, "pass"), "1 pass, 2 passes");
  EXPECT_EQ(counted(1, "byte") + ", " + counted(0, "byte"), "1 byte, 0 bytes");
  double V;
  EXPECT_TRUE(parseSeconds("20ms", V));
  EXPECT_DOUBLE_EQ(V, 0.02);
  EXPECT_TRUE(parseSeconds("1.5", V));
  for (const char *Bad : {"", "ms", "1x", "-1", "nan", "inf", "0x1", " 1", "1 s", "1m", "1e999"})
    EXPECT_FALSE(parseSeconds(Bad, V)) << Bad;
}

/// Shows, counts and compares up to Limit calls of each rank.
void useTrace(const Trace &T, uint64_t Limit) {
  CallText Json(T, ValueText::Form::Json), Plain(T, ValueText::Form::Text);
  CallCompare Compare(T, T);
  T.data().Ranks.forEach([&](uint32_t Rank) {
    for (uint32_t Thread : T.threads(Rank)) {
      auto View = T.view(Rank, Thread);
      Compare.restart();
      CallCursor A = Trace::calls(View), B = Trace::calls(View);
      std::string Line;
      uint64_t N = 0;
      for (Call X, Y; N < Limit && A.next(X) && B.next(Y); ++N) {
        Line.clear();
        Json.append(Line, X);
        Plain.append(Line, X);
        Compare.compare(X, Y);
        VolumeRule(*X.Function, T.data().Names).of(X.Slots, *View);
      }
    }
  });
}

TEST(Input, whateverCanBeOpenedCanBeUsed) {
  SectionBytes Sound = encodeSections(sampleTrace());
  uint64_t State = 1, Opened = 0;
  auto Random = [&](uint64_t Below) {
    State = State * 6364136223846793005u + 1442695040888963407u;
    return (State >> 33) % Below;
  };
  for (int I = 0; I < 500; ++I) {
    SectionBytes S = Sound;
    std::vector<uint8_t> *Parts[] = {&S.Schema, &S.Tables, &S.Calls, &S.Measures};
    std::vector<uint8_t> &Part = *Parts[Random(4)];
    for (uint64_t Changes = 1 + Random(3); Changes--;)
      Part[Random(Part.size())] = static_cast<uint8_t>(Random(2) ? Random(256) : Part[Random(Part.size())]);
    auto T = decodeSections(S);
    if (!T)
      continue;
    WriteOptions Stored;
    Stored.Level = 0;
    auto Read = Trace::fromBytes(writeTrace(*T, Stored));
    if (!Read || !findInconsistency(*Read).empty())
      continue;
    ++Opened;
    useTrace(*Read, 120);
  }
  EXPECT_GT(Opened, 10u);
}

} // namespace
