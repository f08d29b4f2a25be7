// Equality of calls up to a renaming.
#include "driver/CallCompare.h"
#include "test/unit/DriverFixture.h"

using namespace pilgrim;
using namespace pilgrim::test;

namespace {

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

FixtureCall isend(int64_t Request) {
  return {"MPI_Isend", {ok(), heap(0, 0), word(1), intType(), word(1), word(0), world(0, 2), word(Request)}};
}

FixtureCall waitall(std::vector<int64_t> Requests) {
  return {"MPI_Waitall",
          {ok(), word(static_cast<int64_t>(Requests.size())), array(Requests), name("MPI_STATUSES_IGNORE"), absent()}};
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

TEST(CallCompare, letsAGroupsNameBeFoundAgainOnceItWasFreed) {
  // MPI_Comm_group may give the group that it gave before.
  auto Find = [](int64_t Group) { return FixtureCall{"MPI_Comm_group", {ok(), world(0, 2), word(Group)}}; };
  auto Ask = [](int64_t Group) { return FixtureCall{"MPI_Group_size", {ok(), word(Group), word(2)}}; };
  auto Free = [](int64_t Group) { return FixtureCall{"MPI_Group_free", {ok(), word(Group)}}; };
  EXPECT_EQ(difference({Find(0), Free(0), Find(0), Ask(0)}, {Find(0), Free(0), Find(3), Ask(3)}), "");
  EXPECT_EQ(difference({Find(0), Free(0), Find(3), Ask(3)}, {Find(0), Free(0), Find(0), Ask(0)}), "");
  // Not while it may be there, nor by a call that only uses it.
  EXPECT_EQ(difference({Find(0), Find(0)}, {Find(0), Find(3)}), "1 group");
  EXPECT_EQ(difference({Find(0), Free(0), Find(0), Find(0)}, {Find(0), Free(0), Find(0), Find(3)}), "3 group");
  EXPECT_EQ(difference({Find(0), Free(0), Ask(0)}, {Find(0), Free(0), Ask(3)}), "2 group");
  EXPECT_EQ(difference({Find(0), Find(1), Free(0), Find(0)}, {Find(0), Find(1), Free(0), Find(1)}), "3 group");
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

} // namespace
