// How many bytes a call moves.
#include "driver/Volume.h"
#include "test/unit/DriverFixture.h"

using namespace pilgrim;
using namespace pilgrim::test;

namespace {

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

} // namespace
