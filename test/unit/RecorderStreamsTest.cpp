//===- RecorderStreamsTest.cpp - what leaves signatures for streams --------===//
#include "test/unit/RecorderFixture.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace pilgrim;
using namespace pilgrim::test;

static size_t signaturesIn(const TraceData &T) { return T.Groups.at(0).table(TableId::Signatures).size(); }

TEST(Recorder, ArraysMayBeEmptyOnceTheyAreStreamed) {
  Recording R;
  for (unsigned N = 0; N < 300; ++N)
    R.call(3, 16,
           {R.types({}), vector(Tag::Array, N < 48 ? std::vector<uint64_t>{N} : std::vector<uint64_t>{}), R.op(0),
            R.buffer(4096)});
  R.expectSame();
}

TEST(Recorder, SizesOfTypesThatKeepChangingLeaveTheSignature) {
  Recording R, Again;
  for (Recording *To : {&R, &Again})
    for (unsigned N = 0; N < 3000; ++N) {
      To->call(5, 16, {To->type(7, 100 + N)});
      To->call(5, 16, {To->type(8 + N % 3, 5000 - N)});
      To->call(5, 16, {To->type(0, 4)}); // predefined
      To->renew(Renewal::Lasting);
    }
  R.expectSame();
  TraceData T = Again.finish();
  EXPECT_LE(signaturesIn(T), 200u);
  // What was in the table when sizes left it stays, and then there is one of each number.
  EXPECT_LE(T.Groups[0].table(TableId::Objects).size(), 200u);
}

TEST(Recorder, SizesOfTypesInArraysLeaveTheSignature) {
  Recording R, Again;
  for (Recording *To : {&R, &Again})
    for (unsigned N = 0; N < 3000; ++N) {
      To->Encoder.TypeSizes = {{7, 100 + N}, {8, N * N}, {9, 3 * N}};
      // Of any length, in any order, with predefined ones, and these alone.
      std::vector<uint64_t> Types{7, 0, 8 + N % 2};
      Types.resize(N % 5 ? 3 : N % 4);
      if (N % 7 == 0)
        Types = {0, 0};
      To->call(3, 16, {To->types(Types), vector(Tag::Array, {1}), To->op(0), To->buffer(4096)});
      if (N % 11 == 0)
        To->call(3, 16, {state(NullState), vector(Tag::Array, {1}), To->op(0), To->buffer(4096)});
      To->renew(Renewal::Lasting);
    }
  R.expectSame();
  TraceData T = Again.finish();
  EXPECT_LE(signaturesIn(T), 100u);
  EXPECT_LE(T.Groups[0].table(TableId::Objects).size(), 300u);
}

TEST(Recorder, TypesOfOneSizeEachStayInTheSignature) {
  Recording R, Again;
  for (Recording *To : {&R, &Again})
    for (unsigned N = 0; N < 1000; ++N) {
      To->call(5, 16, {To->type(1 + N % 500, 8 * (N % 500))});
      To->renew(Renewal::Lasting);
    }
  R.expectSame();
  TraceData T = Again.finish();
  EXPECT_TRUE(T.Groups[0].Nodes[0].Events.at(0).Streams.empty());
}

TEST(Recorder, OnlyWhatChangesLeavesTheSignature) {
  Recording R;
  for (unsigned N = 0; N < 5000; ++N)
    R.send(16, 8192, N);
  for (unsigned N = 0; N < 20; ++N)
    R.send(32, 8192, N); // few values: signatures of their own
  TraceData T = R.finish();
  EXPECT_LE(signaturesIn(T), 100u);
  std::set<uint32_t> Slots;
  for (const auto &[Key, Variants] : T.Groups[0].Nodes[0].Events.at(0).Streams)
    Slots.insert(Key.Slot);
  EXPECT_EQ(Slots, std::set<uint32_t>{4});
  for (const FunctionSchema &F : {T.Functions.at(0)})
    EXPECT_EQ(F.Slots[4].Name, "tag");
}

TEST(Recorder, PointersThatKeepChangingLeaveTheSignature) {
  Recording R, Again;
  for (Recording *To : {&R, &Again})
    for (unsigned N = 0; N < 3000; ++N)
      To->call(3, 16,
               {To->types({1}), vector(Tag::Array, {1}), To->op(0), To->buffer(N % 3 ? 4096 + 64 * N : DataAt + N)});
  R.expectSame();
  EXPECT_LE(signaturesIn(Again.finish()), 60u);
}

TEST(Recorder, SlotsOfFewValuesInAnyCombinationLeaveTheSignature) {
  std::mt19937 Random(1);
  auto Few = [&] { return Random() % 20; };
  auto Call = [&](Recording &R, uint64_t Site, uint64_t Comm) {
    R.call(0, Site,
           {R.buffer(4096 + 512 * Few()), number(Few()), number(Few() % 2), number(int64_t(Few()) - 1), R.comm(Comm)});
  };
  Recording R, Again, Objects;
  for (unsigned N = 0; N < 30'000; ++N) {
    Call(R, 16, Few());
    Call(Again, 16, 0);
  }
  R.expectSame();
  // Those that there were, and little else.
  EXPECT_LE(signaturesIn(Again.finish()), 3072u + 200u);
  // Objects do not leave it, and their combinations are not few. So nothing does.
  for (unsigned N = 0; N < 10'000; ++N)
    Objects.call(3, 16,
                 {Objects.types({Few(), Few(), Few(), Few(), Few()}), vector(Tag::Array, {1, Few() % 2, 1, 1, 1}),
                  Objects.op(Few()), Objects.buffer(4096)});
  TraceData T = Objects.finish();
  EXPECT_TRUE(T.Groups[0].Nodes[0].Events.at(0).Streams.empty());
}

TEST(Recorder, FewerCombinationsAreEnoughWhereThereAreManySites) {
  std::mt19937 Random(1);
  Recording R, Again;
  for (Recording *To : {&R, &Again})
    for (unsigned N = 0; N < 100'000; ++N)
      To->call(0, 16 * (1 + Random() % 40),
               {To->buffer(4096 + 512 * (Random() % 20)), number(Random() % 20), number(Random() % 20), number(0),
                To->comm(0)});
  R.expectSame();
  EXPECT_LE(signaturesIn(Again.finish()), 40'000u);
}

TEST(Recorder, StreamsOfOneSiteAreApartFromAnothers) {
  Recording R;
  for (unsigned N = 0; N < 3000; ++N) {
    R.send(16, 8192, N);
    R.send(32, 8192, 2 * N);
    R.send(0, 8192, 3 * N);             // no site
    R.send(0x10010, 8192, 100'000 + N); // the first place, loaded anew
  }
  R.expectSame();
}
