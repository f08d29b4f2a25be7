// The comparison behind --verify: equal calls agree, and whatever differs in their order and names is noticed.
// VerifyMutationTest changes their parameters, VerifyLogTest is about which calls are logged.
#include "verify/Verify.h"
#include "test/unit/VerifyFixture.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
/// Sample 0: a number. Sample 1: a communicator. Sample 2: an address.
std::vector<SampleSlot> few(uint64_t Comm = 0x11, int64_t Serial = 1, uint64_t Address = 4096 * 2) {
  watchReleases();
  std::vector<int64_t> Words{int64_t(Kind::Comm)};
  const auto Handle = measuredWords(Kind::Comm, Comm, Serial);
  Words.insert(Words.end(), Handle.begin(), Handle.end());
  return {{slot("x", Kind::Int), {7}, {RawType::Number, {7}}},
          {slot("x", Kind::Comm), {Comm}, {RawType::Handle, Words}},
          {slot("x", Kind::Buffer), {Address}, {RawType::Address, addressWords(Address, Origin::Mapped)}}};
}

struct FewCalls : SampleRun {
  FewCalls() : SampleRun(few()) {}
  void use(uint64_t Comm, int64_t Serial) {
    Samples = few(Comm, Serial);
    call(1);
  }
  void buffer(uint64_t Address) {
    Samples = few(0x11, 1, Address);
    call(2);
  }
  std::string compared() {
    if (File.empty())
      File = file();
    return compareLog(File, Log).Difference;
  }
  std::vector<uint8_t> File;
};
} // namespace

TEST(VerifyTest, EachCallIsCompared) {
  FewCalls P;
  for (int I = 0; I < 6; ++I)
    P.call(uint32_t(I % 3));
  const auto File = P.file();
  CallCopy &C = *P.Log.Calls[3];
  C.Ret = 3;
  EXPECT_EQ(compareLog(File, P.Log).Difference, "call 3 parameter (return code) (Sample)");
  C.Ret = 0;
  C.Depth = 1;
  EXPECT_NE(compareLog(File, P.Log).Difference, "");
  C.Depth = 0;
  C.Function = 1;
  EXPECT_NE(compareLog(File, P.Log).Difference, "");
  C.Function = 0;
  C.IsTraced = false;
  EXPECT_NE(compareLog(File, P.Log).Difference, "");
  C.IsTraced = true;
  C.Abandoned = true; // then it has no parameters
  EXPECT_NE(compareLog(File, P.Log).Difference, "");
  C.Abandoned = false;
  C.Returned = false; // under way when the trace was written, which has it
  EXPECT_NE(compareLog(File, P.Log).Difference, "");
  C.Returned = true;
  EXPECT_EQ(compareLog(File, P.Log).Difference, "");
  P.call(0); // after the trace was written
  EXPECT_EQ(compareLog(File, P.Log).Difference, "call 6 parameter (the trace ends)");
  P.Log.Calls.back()->IsLate = true;
  EXPECT_EQ(compareLog(File, P.Log).Difference, "");
  P.Log.Calls.resize(5);
  EXPECT_EQ(compareLog(File, P.Log).Difference, "call 5 parameter (the trace goes on) (Sample)");
}

TEST(VerifyTest, TheCallSiteIsCompared) {
  FewCalls P;
  CallCopy &C = P.call(1);
  C.SiteModule = "app";
  C.SiteOffset = 0x11; // as sitePlaces() has it
  EXPECT_EQ(P.compared(), "");
  ++C.SiteOffset;
  EXPECT_EQ(P.compared(), "call 0 parameter (call site) (Sample: app 18)");
  --C.SiteOffset;
  C.SiteModule = "other";
  EXPECT_NE(P.compared(), "");
}

TEST(VerifyTest, AnObjectHasOneName) {
  FewCalls P;
  P.use(0x11, 1);
  P.use(0x12, 1); // the same object, which the recorder takes for another one
  EXPECT_NE(P.compared(), "");
}

TEST(VerifyTest, ANameStandsForAnotherObjectOnlyOnceTheFirstOneIsGone) {
  FewCalls P;
  P.use(0x11, 1);
  P.use(0x11, 2);
  auto T = *Trace::fromBytes(P.file());
  const MpiValues Mpi = mpi();
  auto Clash = [&](ObjectLives Lives) {
    Names Named(Lives, {});
    EXPECT_EQ(compareCalls(T, T.view(2, 0), P.Log, Mpi, Named).Difference, "");
    return Named.clash();
  };
  EXPECT_EQ(Clash({{}, {Kind::Comm, 1, 5}, {Kind::Comm, 5}}), "");
  EXPECT_EQ(Clash({{}, {Kind::Comm, 9, 12}, {Kind::Comm, 2, 9}}), "");
  EXPECT_EQ(Clash({{}, {Kind::Comm, 1, 6}, {Kind::Comm, 5}}), "(comm17 stands for two objects at a time)");
  EXPECT_NE(Clash({{}, {Kind::Comm, 4}, {Kind::Comm, 2}}), "");
}

TEST(VerifyTest, ASegmentMayBeElsewhereOnceItIsReleased) {
  auto Compared = [](uint32_t Id, uint64_t Base) {
    FewCalls P;
    P.Encoder.Segments[5] = 2; // number 2 again, at another address
    P.buffer(4096 * 2 + 8);
    noteRelease(Id, Base);
    P.buffer(4096 * 5 + 8);
    return P.compared();
  };
  EXPECT_EQ(Compared(2, 4096 * 2), "");
  EXPECT_NE(Compared(3, 4096 * 2), "");
  EXPECT_NE(Compared(2, 4096 * 3), ""); // it was another block's end
}

TEST(VerifyTest, APlaceIsAnotherSegmentOnlyOnceTheFirstOneIsReleased) {
  auto Compared = [](bool IsReleased) {
    FewCalls P;
    P.buffer(4096 * 2 + 8);
    const auto First = P.Encoder.segment(4096 * 2);
    P.Encoder.Segments[2] = 9;
    ++P.Generation;
    if (IsReleased)
      noteRelease(uint32_t(First), 4096 * 2);
    P.buffer(4096 * 2 + 16);
    return P.compared();
  };
  EXPECT_EQ(Compared(true), "");
  EXPECT_NE(Compared(false), "");
}

TEST(VerifyTest, ADifferenceChangesTheExitCodeOnlyIfThatIsWanted) {
  VerifiedRank R;
  R.Mpi = mpi();
  R.Rank = 2;
  FewCalls P;
  for (uint32_t I = 0; I < 3; ++I)
    P.call(I);
  const auto File = P.file();
  R.Threads = {&P.Log};
  P.Log.Calls[0]->Ret = 1;
  reportVerification(R, File);
  EXPECT_EQ(verificationExitCode(), 0);
  R.IsStrict = true;
  P.Log.Calls[0]->Ret = 0;
  reportVerification(R, File);
  EXPECT_EQ(verificationExitCode(), 0);
  P.Log.Calls[0]->Ret = 1;
  reportVerification(R, File);
  EXPECT_EQ(verificationExitCode(), 86);
}

TEST(VerifyTest, ATraceThatReadersRefuseIsNoticed) {
  VerifiedRank R;
  R.Mpi = mpi();
  R.Rank = R.First = 2;
  R.IsStrict = true;
  FewCalls P;
  P.call(0);
  // Another rank called a function in which nothing was.
  const auto File = P.file([](TraceData &T) {
    const RankSet Other(3);
    Group &G = T.Groups[0];
    T.Ranks.unite(Other);
    T.Regions.emplace_back();
    NodeData &N = G.Nodes.emplace_back();
    G.Nodes[0].Ranks.unite(Other);
    N.Ranks = Other;
    GrammarData Once;
    Once.Rules[0] = {{0, false, 1}};
    G.Nodes[0].Events[0].Items.push_back({Other, Once, {{true, 1}}});
    N.Visits.push_back({Other, IntStreamData{{{1, 0, 1}}, Once}});
    N.Paths.push_back({Other, Once, {{false, 0}}});
    G.table(TableId::Paths).push_back({Variant{Other, {}, {}}});
  });
  ASSERT_TRUE(Trace::fromBytes(File));
  R.Threads = {&P.Log};
  testing::internal::CaptureStderr();
  reportVerification(R, File);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("readers refuse the trace"), std::string::npos);
  EXPECT_EQ(verificationExitCode(), 86);
}
