// What the tool's parts do with a trace: values as text, equality up to a
// renaming, volumes, the runtime's options.
#include "api/Options.h"
#include "driver/CallCompare.h"
#include "driver/CallText.h"
#include "driver/Input.h"
#include "driver/Parallel.h"
#include "driver/Preload.h"
#include "driver/Progress.h"
#include "driver/Volume.h"
#include "test/unit/TraceFixture.h"
#include "trace/read/Soundness.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {

Trace opened(const TraceData &T) {
  auto Bytes = writeTrace(T);
  auto Read = Trace::fromBytes(Bytes);
  EXPECT_TRUE(Read) << (Read ? "" : Read.error().What);
  EXPECT_EQ(findInconsistency(*Read), "");
  return std::move(*Read);
}

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

/// What differs first between two sequences of one rank; "" nothing.
std::string difference(const std::vector<FixtureCall> &A, const std::vector<FixtureCall> &B) {
  RankTrace RA(2, 0), RB(2, 0);
  for (const FixtureCall &C : A)
    RA.add(C);
  for (const FixtureCall &C : B)
    RB.add(C);
  Trace TA = opened(RA.take()), TB = opened(RB.take());
  CallCompare Compare(TA, TB);
  auto VA = TA.view(0, 0), VB = TB.view(0, 0);
  CallCursor CA = Trace::calls(VA), CB = Trace::calls(VB);
  for (Call X, Y; CA.next(X) && CB.next(Y);)
    if (std::string What = Compare.compare(X, Y); !What.empty())
      return std::to_string(X.Seq) + " " + What.substr(0, What.find(' '));
  return "";
}

FixtureCall send(FixtureValue Buffer, int64_t Count = 1) {
  return {"MPI_Send", {ok(), std::move(Buffer), word(Count), intType(), word(1), word(0), world(0, 2)}};
}
FixtureCall isend(int64_t Request) {
  return {"MPI_Isend", {ok(), heap(0, 0), word(1), intType(), word(1), word(0), world(0, 2), word(Request)}};
}
FixtureCall waitall(std::vector<int64_t> Requests) {
  return {"MPI_Waitall",
          {ok(), word(static_cast<int64_t>(Requests.size())), array(Requests), name("MPI_STATUSES_IGNORE"), absent()}};
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
  double V;
  EXPECT_TRUE(parseTime("20ms", V));
  EXPECT_DOUBLE_EQ(V, 0.02);
  EXPECT_TRUE(parseTime("1.5", V));
  for (const char *Bad : {"", "ms", "1x", "-1", "nan"})
    EXPECT_FALSE(parseTime(Bad, V)) << Bad;
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

TEST(CallCompare, agreesUpToARenaming) {
  EXPECT_EQ(difference({send(heap(1, 8)), send(heap(2, 0)), send(heap(1, 0))},
                       {send(heap(7, 8)), send(heap(1, 0)), send(heap(7, 0))}),
            "");
  EXPECT_EQ(difference({send(stack(-8)), send(stack(-16))}, {send(stack(-80)), send(stack(-8))}), "");
}

TEST(CallCompare, seesIdentityOverlapAndOffsets) {
  // One buffer twice is not two buffers, in either direction.
  EXPECT_EQ(difference({send(heap(1, 0)), send(heap(1, 0))}, {send(heap(1, 0)), send(heap(2, 0))}), "1 buf");
  EXPECT_EQ(difference({send(heap(1, 0)), send(heap(2, 0))}, {send(heap(1, 0)), send(heap(1, 0))}), "1 buf");
  EXPECT_EQ(difference({send(heap(1, 0)), send(heap(1, 4))}, {send(heap(1, 0)), send(heap(1, 8))}), "1 buf");
  EXPECT_EQ(difference({send(data("app", 0)), send(data("app", 0))}, {send(data("app", 0)), send(data("app", 8))}),
            "1 buf");
  // Variables may share a place of the stack, but not those of one call.
  auto Reduce = [](int64_t To) {
    return FixtureCall{"MPI_Allreduce", {ok(), stack(0), stack(To), word(1), intType(), word(-4), world(0, 2)}};
  };
  EXPECT_EQ(difference({Reduce(8), Reduce(8)}, {Reduce(8), Reduce(16)}), "");
  EXPECT_EQ(difference({Reduce(8)}, {Reduce(0)}), "0 recvbuf");
  EXPECT_EQ(difference({send(stack(0))}, {send(heap(0, 0))}), "0 buf");
  EXPECT_EQ(difference({send(heap(1, 0), 1)}, {send(heap(1, 0), 2)}), "0 count");
}

TEST(CallCompare, tellsKindsOfMemoryApart) {
  auto At = [](uint32_t Segment, MemoryKind K, uint32_t Device) {
    return send(heap(SegmentName{Segment, K, Device}.word(), 0));
  };
  constexpr auto Device = MemoryKind::Device, Managed = MemoryKind::Managed;
  EXPECT_EQ(difference({At(0, Device, 0), At(1, Managed, 1)}, {At(3, Device, 2), At(0, Managed, 0)}), "");
  EXPECT_EQ(difference({At(0, Device, 0)}, {At(0, Managed, 0)}), "0 buf");
  EXPECT_EQ(difference({At(0, Device, 0)}, {send(heap(0, 0))}), "0 buf");
  // Two devices are not one, nor are two segments.
  EXPECT_EQ(difference({At(0, Device, 0), At(1, Device, 1)}, {At(0, Device, 0), At(1, Device, 0)}), "1 buf");
  EXPECT_EQ(difference({At(0, Device, 0), At(1, Device, 0)}, {At(0, Device, 0), At(0, Device, 0)}), "1 buf");
}

TEST(CallCompare, letsNamesOfNewObjectsBeUsedAgain) {
  // Requests complete in another order, so that other names are free.
  EXPECT_EQ(difference({isend(0), isend(1), waitall({1}), isend(1), waitall({0, 1})},
                       {isend(0), isend(1), waitall({1}), isend(2), waitall({0, 2})}),
            "");
  EXPECT_EQ(difference({isend(0), isend(1), waitall({0, 1})}, {isend(0), isend(1), waitall({1, 0})}),
            "2 array_of_requests");
}

TEST(CallCompare, letsNamesOfAnotherThreadsRequestsBeUsedAgainOnceTheyMayBeComplete) {
  auto Other = [](int64_t Number) { return int64_t(2) << 32 | Number; };
  auto Wait = [&](int64_t Number) { return waitall({Other(Number)}); };
  auto Ask = [&](int64_t Number) {
    return FixtureCall{"MPI_Request_get_status",
                       {ok(), word(Other(Number)), word(0), name("MPI_STATUS_IGNORE"), absent()}};
  };
  EXPECT_EQ(difference({Wait(0), Wait(1), Wait(0), Wait(1)}, {Wait(0), Wait(1), Wait(2), Wait(3)}), "");
  EXPECT_EQ(difference({Wait(0), Wait(1), Wait(2), Wait(3)}, {Wait(0), Wait(1), Wait(0), Wait(1)}), "");
  EXPECT_EQ(difference({Ask(0), Wait(0), Ask(0)}, {Ask(0), Wait(0), Ask(2)}), "");
  EXPECT_EQ(difference({Wait(0), Ask(0), Wait(0), Ask(0)}, {Wait(0), Ask(0), Wait(0), Ask(2)}), "");
  // Not while it must be the same.
  EXPECT_EQ(difference({Ask(0), Wait(0)}, {Ask(0), Wait(1)}), "1 array_of_requests");
  EXPECT_EQ(difference({Wait(0), Ask(0), Wait(0)}, {Wait(0), Ask(0), Wait(2)}), "2 array_of_requests");
  EXPECT_EQ(difference({Ask(1), Wait(0), Ask(0)}, {Ask(1), Wait(0), Ask(1)}), "2 request");
  EXPECT_EQ(difference({waitall({Other(0), Other(1)})}, {waitall({Other(0), Other(0)})}), "0 array_of_requests");
  EXPECT_EQ(difference({Wait(0)}, {waitall({0})}), "0 array_of_requests"); // nor is it another thread's
  // Nor those of this thread, which says when it makes another one.
  EXPECT_EQ(difference({isend(0), waitall({0}), waitall({0})}, {isend(0), waitall({0}), waitall({1})}),
            "2 array_of_requests");
}

TEST(CallCompare, ignoresWhatComesFromTheMachine) {
  auto Name = [](const char *Host) { return FixtureCall{"MPI_Get_processor_name", {ok(), text(Host), word(4)}}; };
  EXPECT_EQ(difference({Name("red1")}, {Name("red2")}), "");
}

TEST(CallCompare, seesEachPartOfAStatus) {
  auto Received = [](FixtureValue Status) {
    return FixtureCall{
        "MPI_Recv",
        {ok(), heap(0, 0), word(9), intType(), word(-2), word(-1), world(0, 2), std::move(Status), absent()}};
  };
  const FixtureCall One = Received(status(1, 5, 8));
  EXPECT_EQ(difference({One}, {One}), "");
  EXPECT_EQ(difference({One}, {Received(status(0, 5, 8))}), "0 status");
  EXPECT_EQ(difference({One}, {Received(status(1, 6, 8))}), "0 status");
  EXPECT_EQ(difference({One}, {Received(status(1, 5, 4))}), "0 status");
  EXPECT_EQ(difference({One}, {Received(status(1, 5, 8, 15))}), "0 status");
  FixtureValue Cancelled = status(1, 5, 8);
  Cancelled.Words[3] |= 1;
  EXPECT_EQ(difference({One}, {Received(Cancelled)}), "0 status");
  EXPECT_EQ(difference({One}, {Received(status(NoStatus, 0, 0))}), "0 status");
  // What a wildcard matched, and each status of several.
  FixtureCall Ignored = Received(name("MPI_STATUS_IGNORE")), Other = Ignored;
  Ignored.Slots[8] = status(1, 5, 8);
  Other.Slots[8] = status(1, 5, 4);
  EXPECT_EQ(difference({Ignored}, {Other}), "0 matched");
  auto All = [](int64_t Bytes) {
    return FixtureCall{"MPI_Waitall", {ok(), word(2), array({0, 1}), statuses({0, 1, 4, 0, 1, 1, Bytes, 0}), absent()}};
  };
  EXPECT_EQ(difference({isend(0), isend(1), All(4)}, {isend(0), isend(1), All(8)}), "2 array_of_statuses");
}

TEST(CallCompare, seesInWhichCallACallbackMadeACall) {
  FixtureCall Reduce{"MPI_Allreduce", {ok(), stack(0), stack(8), word(1), intType(), word(-4), world(0, 2)}};
  FixtureCall Probe{"MPI_Iprobe", {ok(), word(-2), word(-1), world(0, 2), word(0), absent(), absent()}};
  FixtureCall Inside = Reduce, Deeper = Reduce, Once = Probe;
  Inside.Inside = {Probe, Probe};
  Once.Inside = {Probe};
  Deeper.Inside = {Once};
  EXPECT_EQ(difference({Inside}, {Inside}), "");
  EXPECT_EQ(difference({Inside}, {Reduce, Probe, Probe}), "1 depth");
  EXPECT_EQ(difference({Inside}, {Deeper}), "2 depth");
}

TEST(CallCompare, seesEachPartOfAnObject) {
  auto On = [](std::vector<int64_t> Words) {
    FixtureCall C = send(heap(0, 0));
    C.Slots[6] = object({Kind::Comm, "", std::move(Words)});
    return C;
  };
  const FixtureCall One = On({2, 0, 2, 0, 3});
  EXPECT_EQ(difference({One}, {On({7, 0, 2, 0, 3})}), ""); // another number
  EXPECT_EQ(difference({One}, {On({2, 1, 2, 0, 3})}), "0 comm");
  EXPECT_EQ(difference({One}, {On({2, 0, 4, 0, 3})}), "0 comm");
  EXPECT_EQ(difference({One}, {On({2, 0, 2, 1, 3})}), "0 comm"); // another smallest rank
  EXPECT_EQ(difference({One}, {On({2, 0, 2, 0, 4})}), "0 comm"); // another size of the remote group
  EXPECT_EQ(difference({One}, {On({2, 0, 2, 0, -1})}), "0 comm");
  FixtureCall Type = send(heap(0, 0)), Larger = Type;
  Type.Slots[3] = object({Kind::Datatype, "", {0, 4}});
  Larger.Slots[3] = object({Kind::Datatype, "", {0, 8}});
  EXPECT_EQ(difference({Type}, {Larger}), "0 datatype");
}

TEST(CallCompare, letsOnlyCallsThatMakeAnObjectGiveItsNameAgain) {
  FixtureCall Dup{"MPI_Comm_dup", {ok(), world(0, 2), comm(2, 0, 2)}}, DupOther = Dup;
  DupOther.Slots[2] = comm(3, 0, 2);
  auto Free = [](int64_t Id) { return FixtureCall{"MPI_Comm_free", {ok(), comm(Id, 0, 2)}}; };
  EXPECT_EQ(difference({Dup, Free(2), Dup}, {Dup, Free(2), DupOther}), "");
  EXPECT_EQ(difference({Dup, Free(2)}, {Dup, Free(3)}), "1 comm");
}

Volume volumeOf(const FixtureCall &C, uint32_t World = 4, uint32_t Rank = 0) {
  RankTrace R(World, Rank);
  R.add(C);
  Trace T = opened(R.take());
  auto View = T.view(Rank, 0);
  const ResolvedSignature &S = View->signatures().at(0);
  return VolumeRule(*S.Function, T.data().Names).of(S.Slots, *View);
}

TEST(Volume, countsWhatBuffersHold) {
  EXPECT_EQ(volumeOf(send(heap(0, 0), 10)).Sent, 40);
  auto Bcast = [](int64_t Rank) {
    return FixtureCall{"MPI_Bcast", {ok(), heap(0, 0), word(3), intType(), word(2), world(Rank, 4)}};
  };
  EXPECT_EQ(volumeOf(Bcast(2), 4, 2).Sent, 12);
  EXPECT_EQ(volumeOf(Bcast(2), 4, 2).Received, 0);
  EXPECT_EQ(volumeOf(Bcast(1), 4, 1).Received, 12);
  FixtureCall ToNobody = send(heap(0, 0), 10);
  ToNobody.Slots[4] = word(-1); // MPI_PROC_NULL
  EXPECT_EQ(volumeOf(ToNobody).Sent, 0);
  EXPECT_EQ(volumeOf({"MPI_Alltoallv",
                      {ok(), heap(0, 0), array({1, 2, 3, 4}), absent(), intType(), heap(1, 0), array({1, 1, 1, 1}),
                       absent(), intType(), world(0, 4)}})
                .Sent,
            40);
}

FixtureValue between(int64_t Rank, int64_t Size, int64_t Remote) {
  return object({Kind::Comm, "", {2, Rank, Size, 0, Remote}});
}

TEST(Volume, knowsWhoIsTheRootBetweenTwoGroups) {
  auto Bcast = [](int64_t Root) {
    return volumeOf({"MPI_Bcast", {ok(), heap(0, 0), word(3), intType(), word(Root), between(1, 2, 3)}});
  };
  constexpr int64_t ProcNull = -1, IsRoot = -3;
  EXPECT_EQ(Bcast(IsRoot).Sent, 12);
  EXPECT_EQ(Bcast(IsRoot).Received, 0);
  EXPECT_EQ(Bcast(ProcNull).Sent + Bcast(ProcNull).Received, 0);
  EXPECT_EQ(Bcast(1).Sent, 0); // the root is rank 1 of the other group
  EXPECT_EQ(Bcast(1).Received, 12);
  auto Gather = [](int64_t Root, FixtureValue Comm) {
    return volumeOf(
        {"MPI_Gather", {ok(), heap(0, 0), word(5), intType(), heap(1, 0), word(7), intType(), word(Root), Comm}});
  };
  // The root sends nothing, and receives from each of the other group; who is neither takes no part.
  EXPECT_EQ(Gather(IsRoot, between(0, 2, 3)).Sent, 0);
  EXPECT_EQ(Gather(IsRoot, between(0, 2, 3)).Received, 7 * 4 * 3);
  EXPECT_EQ(Gather(ProcNull, between(1, 2, 3)).Sent, 0);
  EXPECT_EQ(Gather(ProcNull, between(1, 2, 3)).Received, 0);
  EXPECT_EQ(Gather(0, between(1, 2, 3)).Sent, 20);
  EXPECT_EQ(Gather(0, between(1, 2, 3)).Received, 0);
  // Within one group the root is one of those who send.
  EXPECT_EQ(Gather(0, world(0, 4)).Sent, 20);
  EXPECT_EQ(Gather(0, world(0, 4)).Received, 7 * 4 * 4);
  EXPECT_EQ(Gather(1, world(0, 4)).Received, 0);
  auto Scatter = [](int64_t Root) {
    return volumeOf(
        {"MPI_Scatter",
         {ok(), heap(0, 0), word(5), intType(), heap(1, 0), word(7), intType(), word(Root), between(0, 2, 3)}});
  };
  EXPECT_EQ(Scatter(IsRoot).Sent, 5 * 4 * 3);
  EXPECT_EQ(Scatter(IsRoot).Received, 0);
  EXPECT_EQ(Scatter(ProcNull).Sent + Scatter(ProcNull).Received, 0);
  EXPECT_EQ(Scatter(0).Sent, 0);
  EXPECT_EQ(Scatter(0).Received, 28);
}

TEST(Volume, nothingComesFromNobody) {
  auto Recv = [](int64_t Source) {
    return volumeOf({"MPI_Recv",
                     {ok(), heap(0, 0), word(3), intType(), word(Source), word(0), world(0, 4), status(-1, -1, 0),
                      absent()}})
        .Received;
  };
  EXPECT_EQ(Recv(2), 12);
  EXPECT_EQ(Recv(-2), 12); // any source
  EXPECT_EQ(Recv(-1), 0);
  auto Mrecv = [](int64_t Message) {
    return volumeOf({"MPI_Mrecv", {ok(), heap(0, 0), word(3), intType(), word(Message), name("MPI_STATUS_IGNORE")}})
        .Received;
  };
  EXPECT_EQ(Mrecv(0), 12);
  EXPECT_EQ(Mrecv(-2), 0); // MPI_MESSAGE_NO_PROC
  auto Exchange = [](int64_t To, int64_t From) {
    return volumeOf({"MPI_Sendrecv_replace",
                     {ok(), heap(0, 0), word(3), intType(), word(To), word(0), word(From), word(0), world(0, 4),
                      name("MPI_STATUS_IGNORE"), absent()}});
  };
  EXPECT_EQ(Exchange(1, 2).Sent, 12);
  EXPECT_EQ(Exchange(1, 2).Received, 12);
  EXPECT_EQ(Exchange(-1, 2).Sent, 0);
  EXPECT_EQ(Exchange(-1, 2).Received, 12);
  EXPECT_EQ(Exchange(1, -1).Sent, 12);
  EXPECT_EQ(Exchange(1, -1).Received, 0);
}

TEST(Volume, blocksOfAReductionAreOneForEachProcess) {
  auto Block = [](FixtureValue Comm) {
    return volumeOf({"MPI_Reduce_scatter_block", {ok(), heap(0, 0), heap(1, 0), word(3), intType(), word(-4), Comm}});
  };
  EXPECT_EQ(Block(world(0, 4)).Sent, 48);
  EXPECT_EQ(Block(world(0, 4)).Received, 12);
  EXPECT_EQ(Block(between(0, 2, 3)).Sent, 24); // of the own group, whose members receive what the other one reduced
  Volume Of = volumeOf(
      {"MPI_Reduce_scatter", {ok(), heap(0, 0), heap(1, 0), array({1, 2, 3, 4}), intType(), word(-4), world(2, 4)}}, 4,
      2);
  EXPECT_EQ(Of.Sent, 40);
  EXPECT_EQ(Of.Received, 12); // rank 2's block
}

TEST(Volume, needsNoAddresses) {
  // As with buffers=off.
  EXPECT_EQ(volumeOf(send(absent(), 10)).Sent, 40);
}

/// Parses an environment; what was reported, or the effective set.
std::string options(std::map<std::string, std::string> Environment) {
  struct Context {
    std::map<std::string, std::string> &Environment;
    std::string Said;
  } Ctx{Environment, {}};
  Options O;
  bool Good = parseOptions(
      O,
      [](void *C, const char *Name) -> const char * {
        auto &E = static_cast<Context *>(C)->Environment;
        auto It = E.find(Name);
        return It == E.end() ? nullptr : It->second.c_str();
      },
      [](void *C, const char *Line) { static_cast<Context *>(C)->Said += Line; }, &Ctx);
  EXPECT_EQ(Good, Ctx.Said.empty());
  return Good ? (O.Enabled ? O.text() : "off") : Ctx.Said;
}

TEST(Options, haveTheDefaultsOfTheContract) {
  EXPECT_EQ(options({}), "");
  EXPECT_EQ(options({{"PILGRIM_MODE", "auto"},
                     {"PILGRIM_TIMING", "mean"},
                     {"PILGRIM_BUFFERS", "segments"},
                     {"PILGRIM_START", "on"},
                     {"PILGRIM_VERIFY", "off"},
                     {"PILGRIM_LOG", "warn"}}),
            "");
}

TEST(Options, areReadFromVariablesAndTheList) {
  std::string Set = options({{"PILGRIM_OPTIONS", "timing=off:buffers=off"},
                             {"PILGRIM_BUFFERS", "segments"},
                             {"PILGRIM_FINALIZE_LIMIT", "1500ms"}});
  EXPECT_EQ(Set, "timing=off:finalize-limit=1.5");
  EXPECT_EQ(options({{"PILGRIM", "off"}, {"PILGRIM_TIMING", "bad"}}), "off");
}

TEST(Options, sayWhatIsAccepted) {
  // What else there is depends on the libraries that the build found.
  EXPECT_TRUE(options({{"PILGRIM_TIMING", "zlib"}})
                  .starts_with("PILGRIM_TIMING=zlib: accepted: mean, off, calls, histogram, path-histogram, zstd, cfg, "
                               "hist"));
  EXPECT_EQ(options({{"PILGRIM_CLUSTER", "rank"}}), "PILGRIM_CLUSTER=rank: accepted: path, signature");
  EXPECT_EQ(options({{"PILGRIM_TIMING", "zstd"}, {"PILGRIM_ERROR", "5%"}}),
            "PILGRIM_ERROR=5%: accepted with PILGRIM_TIMING=zstd: 0, as it is lossless");
  EXPECT_EQ(options({{"PILGRIM_TIMING", "hist"}, {"PILGRIM_ERROR", "0.01%"}}),
            "PILGRIM_ERROR=0.01%: accepted with PILGRIM_TIMING=hist: bounds as 10us, 0, or from 0.1% to 50%");
  EXPECT_EQ(options({{"PILGRIM_TIMING", "hist"}, {"PILGRIM_ERROR", "5%,MPI_Send=0"}, {"PILGRIM_CLUSTER", "signature"}}),
            "timing=hist:cluster=signature:error=5%,MPI_Send=0");
  EXPECT_EQ(options({{"PILGRIM_VERIFY", "yes"}}), "PILGRIM_VERIFY=yes: accepted: off, on, strict");
  EXPECT_EQ(options({{"PILGRIM_OPTIONS", "mode=odd"}}), "PILGRIM_OPTIONS: mode=odd: accepted: auto, dynamic");
  EXPECT_EQ(options({{"PILGRIM_IO", "posix"}}), "PILGRIM_IO=posix: not in this version; accepted: off");
  EXPECT_EQ(options({{"PILGRIM_IO", "off"}}), "");
  EXPECT_EQ(options({{"PILGRIM_FINALIZE_LIMIT", "-1"}}), "PILGRIM_FINALIZE_LIMIT=-1: accepted: a number of seconds");
}

TEST(Preload, putsTheRuntimeFirst) {
  EXPECT_EQ(preloadList("/l/libpilgrim.so", ""), "/l/libpilgrim.so");
  EXPECT_EQ(preloadList("/l/libpilgrim.so", "a.so:b.so"), "/l/libpilgrim.so:a.so:b.so");
  EXPECT_EQ(preloadList("/l/libpilgrim.so", "/x/libasan.so.8:b.so"), "/x/libasan.so.8:/l/libpilgrim.so:b.so");
  EXPECT_EQ(preloadList("/l/libpilgrim.so", "/l/libpilgrim.so b.so"), "/l/libpilgrim.so:b.so");
}

TEST(Parallel, callsForEachIndexOnce) {
  for (unsigned Threads : {1u, 2u, 7u}) {
    std::vector<std::atomic<int>> Calls(1001);
    Failure F = forEachIndex(Calls.size(), Threads, [&](size_t I) {
      ++Calls[I];
      return std::string();
    });
    EXPECT_EQ(F.What, "");
    EXPECT_TRUE(std::all_of(Calls.begin(), Calls.end(), [](const auto &N) { return N == 1; }));
  }
  EXPECT_EQ(forEachIndex(0, 3, [](size_t) { return std::string("called"); }).What, "");
}

TEST(Parallel, tellsTheFirstFailureWhicheverComesLast) {
  std::promise<void> OtherFails;
  Failure F = forEachIndex(2, 2, [&](size_t I) {
    if (I == 0)
      OtherFails.get_future().wait_for(std::chrono::seconds(1));
    else
      OtherFails.set_value();
    std::this_thread::sleep_for(std::chrono::milliseconds(I * 50));
    return "bad " + std::to_string(I);
  });
  EXPECT_EQ(F.At, 0u);
  EXPECT_EQ(F.What, "bad 0");
}

TEST(Parallel, throwsWhatAThreadThrows) {
  for (size_t Bad : {size_t(0), size_t(99)})
    EXPECT_THROW(forEachIndex(100, 3,
                              [&](size_t I) -> std::string {
                                if (I == Bad)
                                  throw std::bad_alloc();
                                return "";
                              }),
                 std::bad_alloc);
}

TEST(Progress, numbersHaveTheirThousandsApart) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(65536), "65,536");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

} // namespace
