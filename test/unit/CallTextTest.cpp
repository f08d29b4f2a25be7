// Values and calls as text.
#include "driver/CallText.h"
#include "test/unit/DriverFixture.h"
#include "trace/times/TimeBins.h"

using namespace pilgrim;
using namespace pilgrim::test;

namespace {

std::vector<std::string> lines(const Trace &T, ValueText::Form F, uint32_t Rank = 0) {
  CallText Text(T, F);
  std::vector<std::string> Out;
  CallCursor Cursor = Trace::calls(T.view(Rank, 0));
  for (Call C; Cursor.next(C);) {
    std::string Line;
    Text.append(Line, C);
    EXPECT_EQ(Line.back(), '\n');
    Line.pop_back();
    Out.push_back(std::move(Line));
  }
  EXPECT_EQ(Cursor.error(), "");
  return Out;
}

std::string onlyLine(const FixtureCall &C, ValueText::Form F) {
  RankTrace R(1, 0);
  R.add(C);
  Trace T = opened(R.take());
  return lines(T, F).at(0);
}

TEST(CallText, showsASendAsTheContractSays) {
  FixtureCall C{"MPI_Send", {ok(), heap(3, 64), word(10), intType(), word(1), word(99), world(0, 1)}, 0x2a};
  EXPECT_EQ(onlyLine(C, ValueText::Form::Json), R"({"rank":0,"thread":0,"seq":0,"depth":0,"func":"MPI_Send",)"
                                                R"("args":{"buf":"seg3+64","count":10,"datatype":"MPI_INT",)"
                                                R"("dest":1,"tag":99,"comm":"MPI_COMM_WORLD"},)"
                                                R"("ret":"MPI_SUCCESS","site":"app+0x2a"})");
  EXPECT_EQ(onlyLine(C, ValueText::Form::Text), "0.0 #0 MPI_Send(buf=seg3+64, count=10, datatype=MPI_INT, dest=1, "
                                                "tag=99, comm=MPI_COMM_WORLD) = MPI_SUCCESS at app+0x2a");
}

TEST(CallText, showsBuffersOfAllForms) {
  auto Buffer = [](FixtureValue V) {
    std::string Line = onlyLine(send(std::move(V)), ValueText::Form::Text);
    size_t At = Line.find("buf=") + 4;
    return Line.substr(At, Line.find(',') - At);
  };
  EXPECT_EQ(Buffer(heap(3, -8)), "seg3-8");
  EXPECT_EQ(Buffer(heap(SegmentName{3, MemoryKind::Device, 0}.word(), 64)), "gpu0.seg3+64");
  EXPECT_EQ(Buffer(heap(SegmentName{4, MemoryKind::Managed, 11}.word(), 0)), "managed11.seg4+0");
  EXPECT_EQ(Buffer(heap(SegmentName{5, MemoryKind::Pinned, 1}.word(), 8)), "pinned1.seg5+8");
  EXPECT_EQ(Buffer(stack(-328)), "stack-328");
  EXPECT_EQ(Buffer(stack(16)), "stack+16");
  EXPECT_EQ(Buffer(data("app", 1234)), "data:app+1234");
  EXPECT_EQ(Buffer({Tag::Map, {2, 0}, {}, {}, false}), "map2+0");
  EXPECT_EQ(Buffer({Tag::Raw, {0x1f}, {}, {}, false}), "0x1f");
  EXPECT_EQ(Buffer(bare(Tag::Null)), "NULL");
  EXPECT_EQ(Buffer(absent()), "-");
  EXPECT_EQ(Buffer(name("MPI_BOTTOM")), "MPI_BOTTOM");
}

TEST(CallText, escapesWhatATraceHolds) {
  FixtureCall C{"MPI_File_open",
                {word(15), world(0, 1), text("a\"b\\\n\x01\xff\xc3\xa9"), word(4 + 1 + 64), word(7), bare(Tag::Null)}};
  std::string Json = onlyLine(C, ValueText::Form::Json);
  EXPECT_NE(Json.find(R"("filename":"a\"b\\\n\u0001\ufffdé",)"), std::string::npos) << Json;
  EXPECT_NE(Json.find(R"("amode":"MPI_MODE_CREATE|MPI_MODE_WRONLY|0x40",)"), std::string::npos);
  EXPECT_NE(Json.find(R"("info":"info7","fh":null},"ret":"MPI_ERR_TRUNCATE")"), std::string::npos);
}

TEST(CallText, showsValuesOfKindsThatItDoesNotKnowAsNumbers) {
  constexpr auto Later = static_cast<Kind>(NumKinds + 3);
  RankTrace R(2, 1);
  R.add({"MPI_Comm_dup", {ok(), world(1, 2), object({Later, "", {7, 0, 1}})}});
  R.add({"MPI_Comm_free", {ok(), object({Later, "LATER_NULL", {-1, 0, 1}})}});
  TraceData Data = R.take();
  for (auto &[Id, F] : Data.Functions)
    F.Slots.back().K = Later;
  Trace T = opened(Data);
  auto Lines = lines(T, ValueText::Form::Text, 1);
  ASSERT_EQ(Lines.size(), 2u);
  EXPECT_TRUE(Lines[0].starts_with("1.0 #0 MPI_Comm_dup(comm=MPI_COMM_WORLD, newcomm=7)")) << Lines[0];
  EXPECT_TRUE(Lines[1].starts_with("1.0 #1 MPI_Comm_free(comm=LATER_NULL)")) << Lines[1];
  // Names of such a kind are compared as they are.
  CallCompare Compare(T, T);
  CallCursor A = Trace::calls(T.view(1, 0)), B = Trace::calls(T.view(1, 0));
  for (Call X, Y; A.next(X) && B.next(Y);)
    EXPECT_EQ(Compare.compare(X, Y), "");
}

TEST(CallText, tellsWhatAWildcardMatched) {
  FixtureCall C{"MPI_Recv",
                {ok(), stack(0), word(1), intType(), word(-2), word(5), world(0, 1), status(3, 5, 40, 15), absent()}};
  std::string Json = onlyLine(C, ValueText::Form::Json);
  EXPECT_NE(Json.find(R"("status":{"source":3,"tag":5,"bytes":40,"error":"MPI_ERR_TRUNCATE"}},)"), std::string::npos)
      << Json;
  EXPECT_NE(Json.find(R"("matched":{"source":3,"tag":5,"bytes":40}})"), std::string::npos);
  C.Slots[4] = word(3); // no wildcard: nothing to resolve
  EXPECT_EQ(onlyLine(C, ValueText::Form::Json).find("matched"), std::string::npos);
  C.Slots[7] = name("MPI_STATUS_IGNORE");
  C.Slots[8] = status(3, 5, 40);
  EXPECT_NE(onlyLine(C, ValueText::Form::Json)
                .find(R"("status":"MPI_STATUS_IGNORE"},"ret":"MPI_SUCCESS",)"
                      R"("site":null,"matched":{"source":3,"tag":5,"bytes":40}})"),
            std::string::npos);
}

TEST(CallText, showsCallsOfCallbacksAfterTheirCallWasEntered) {
  Trace T = opened(sampleTrace());
  auto Lines = lines(T, ValueText::Form::Text, 2);
  ASSERT_EQ(Lines.size(), 115u);
  EXPECT_TRUE(Lines[106].starts_with("2.0 #106 MPI_Allreduce(")) << Lines[106];
  EXPECT_TRUE(Lines[107].starts_with("2.0 #107   MPI_Iprobe(")) << Lines[107];
}

// A bin stands for times around its own; what half or nearly all of them do not exceed is no more than the longest.
TEST(CallText, sharesOfTimesAreAmongThem) {
  for (uint64_t Time = 1000; Time < 3000; Time += 37) {
    Spread S = Spread::of(Time, 0);
    S.Bins.Error = 100'000;
    S.Bins.count(TimeBins(TimeBound{S.Bins.Error, 0}).symbol(Time));
    const std::string Text = spreadColumns(S, 1, true);
    EXPECT_EQ(Text.substr(3 * 12, 12), Text.substr(4 * 12, 12)) << Text;
    EXPECT_LE(std::stod(Text.substr(4 * 12, 12)), std::stod(Text.substr(12, 12))) << Text;
    EXPECT_GE(std::stod(Text.substr(3 * 12, 12)), std::stod(Text.substr(0, 12))) << Text;
  }
}

TEST(CallText, OneValueIsShownAsOneAndLimitsAreRoundedOutwards) {
  auto Columns = [](const Spread &S) {
    const std::string Text = spreadColumns(S, S.Count, false);
    return std::pair(std::stod(Text.substr(0, 12)), std::stod(Text.substr(12, 12)));
  };
  EXPECT_EQ(Columns(Spread::of(13'449, 0)), std::pair(13.4, 13.4));
  EXPECT_EQ(Columns(Spread::of(13'451, 0)), std::pair(13.5, 13.5));
  Spread Two = Spread::of(13'449, 0);
  Two.add(Spread::of(13'451, 0));
  EXPECT_EQ(Columns(Two), std::pair(13.4, 13.5));
}

} // namespace
