// Traces of 2^20 ranks, one for each form of a function of the rank: written, read, checked, printed, added up and
// merged with the last rank's own trace, each in a process of its own whose time and memory are looked at.
#include "test/unit/RootGroup.h"
#include "trace/file/Format.h"
#include "trace/merge/Merge.h"
#include "trace/read/Soundness.h"
#include "trace/read/Walk.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

using namespace pilgrim;
using test::calls;

namespace {
constexpr uint32_t World = 1u << 20;
using Bytes = std::vector<uint8_t>;
/// A slot's function of the rank, as a file has it.
using FormFn = std::function<void(ByteWriter &)>;

bool isSlow() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
  return true;
#else
  return false;
#endif
}

RankFn functionOf(const FormFn &Form, const RankSet &Ranks, RankSetPool *Sets = nullptr) {
  ByteWriter W;
  Form(W);
  ByteReader R(W.Data);
  RankFn F = RankFn::read(R, Ranks, {World, Sets});
  EXPECT_TRUE(R.ok() && R.atEnd());
  return F;
}

FunctionSchema schema(unsigned Slots) {
  FunctionSchema F;
  F.Id = 2;
  F.Name = "MPI_Send";
  F.Slots.resize(Slots);
  F.Slots[0].Name = "return";
  for (unsigned I = 1; I < Slots; ++I)
    F.Slots[I].Name = "p" + std::to_string(I);
  return F;
}

/// A trace of Ranks that make one call again and again, whose slots are these functions.
TraceData traceOf(const std::vector<RankFn> &Slots, const RankSet &Ranks) {
  TraceData T;
  T.World = World;
  T.Ranks = Ranks;
  T.Functions[2] = schema(static_cast<unsigned>(Slots.size()));
  Group &G = T.Groups.emplace_back();
  G.Nodes[0].Ranks = Ranks;
  Variant V{Ranks, {2, 0, 0}, {}};
  for (const RankFn &F : Slots) {
    V.Tokens.push_back(static_cast<uint32_t>(Tag::Word));
    V.Words.push_back(F);
  }
  G.table(TableId::Signatures).push_back({V});
  RankedItems X{Ranks, {}, {{false, 0}}};
  X.Order.Rules = {{{0, false, 10}}};
  calls(G).Items.push_back(std::move(X));
  return T;
}

/// The same of one rank, with the values of another trace.
TraceData rankOf(const std::vector<RankFn> &Slots, uint32_t Rank) {
  std::vector<RankFn> Own;
  for (const RankFn &F : Slots)
    Own.emplace_back(F.eval(Rank, {Rank, World}));
  return traceOf(Own, RankSet(Rank));
}

std::string printed(const Trace &T, uint32_t Rank) {
  std::string Out;
  CallCursor C = Trace::calls(T.view(Rank, 0));
  for (Call X; C.next(X);)
    for (const Value &V : X.Slots)
      for (int64_t W : V.Words)
        Out += std::to_string(W) + " ";
  return C.error() + Out;
}

/// All that readers do.
void readEverything(const Bytes &File, const TraceData &Made, uint64_t Calls) {
  auto T = Trace::fromBytes(File);
  ASSERT_TRUE(T) << T.error().What;
  EXPECT_EQ(findInconsistency(*T), "");
  EXPECT_EQ(T->data().calls(), Calls);
  uint64_t Walked = 0;
  Walk(*T).forEachCall([&](const CallShape &C) { Walked += total(C.Calls); });
  EXPECT_EQ(Walked, Calls);
  for (uint32_t Rank : {0u, 1u, 77777u, World / 2, World - 1})
    if (Made.Ranks.contains(Rank)) {
      const std::string Text = printed(*T, Rank);
      std::string Expected;
      for (int I = 0; I < 10; ++I)
        for (const RankFn &F : Made.Groups[0].table(TableId::Signatures)[0][0].Words)
          Expected += std::to_string(F.eval(Rank, {Rank, World})) + " ";
      EXPECT_EQ(Text, Expected) << "rank " << Rank;
    }
}

void mergeLast(const std::vector<RankFn> &Slots, const Bytes &All) {
  auto Most = Trace::fromBytes(All);
  ASSERT_TRUE(Most) << Most.error().What;
  TraceData T = std::move(*Most).take();
  TraceData Last = rankOf(Slots, World - 1);
  deriveCandidates(Last);
  merge(T, std::move(Last));
  chooseCandidates(T);
  auto Merged = Trace::fromBytes(writeTrace(T));
  ASSERT_TRUE(Merged) << Merged.error().What;
  EXPECT_EQ(Merged->data().Ranks.size(), World);
  for (uint32_t Rank : {0u, 4321u, World - 2, World - 1})
    EXPECT_EQ(printed(*Merged, Rank), printed(*Trace::fromBytes(writeTrace(rankOf(Slots, Rank))), Rank)) << Rank;
}

/// Runs Work in a process of its own, which may take so much time of its own and so much memory more than it has.
void inBounds(const std::function<void()> &Work) {
  // A second and 100 MB where this was written; others are slower.
  constexpr long MaxKilobytes = 128 * 1024;
  constexpr double MaxSeconds = 3;
  const pid_t Child = fork();
  ASSERT_GE(Child, 0);
  if (Child == 0) {
    std::ofstream("/proc/self/clear_refs") << 5; // forgets what memory there was
    auto Peak = [] {
      std::ifstream Status("/proc/self/status");
      for (std::string Line; std::getline(Status, Line);)
        if (Line.starts_with("VmHWM:"))
          return std::atol(Line.c_str() + 6);
      return 0L;
    };
    const long Before = Peak();
    const std::clock_t Begin = std::clock();
    Work();
    const double Seconds = double(std::clock() - Begin) / CLOCKS_PER_SEC;
    const long More = Peak() - Before;
    EXPECT_TRUE(isSlow() || Seconds < MaxSeconds) << Seconds << " s";
    EXPECT_TRUE(isSlow() || More < MaxKilobytes) << More << " kB";
    std::printf("    %.3f s, %ld kB\n", Seconds, More);
    std::fflush(stdout);
    _exit(testing::Test::HasFailure());
  }
  int Status = 0;
  ASSERT_EQ(waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(Status, 0);
}

void check(const std::vector<FormFn> &Forms, size_t MaxBytes) {
  auto Slots = [&](const RankSet &Ranks) {
    std::vector<RankFn> S;
    RankSetPool Sets;
    for (const FormFn &F : Forms)
      S.push_back(functionOf(F, Ranks, &Sets));
    return S;
  };
  const RankSet All = RankSet::below(World), Most = RankSet::below(World - 1);
  inBounds([&] {
    const TraceData T = traceOf(Slots(All), All);
    const Bytes File = writeTrace(T);
    EXPECT_LE(File.size(), MaxBytes);
    readEverything(File, T, uint64_t(World) * 10);
  });
  // What a list of all ranks is, the list of all but the last is not.
  inBounds([&] {
    const std::vector<RankFn> Of = Slots(All);
    TraceData T = traceOf(Of, All);
    for (const RankFn &F : T.Groups[0].table(TableId::Signatures)[0][0].Words)
      if (!F.isSingle() && F.pieces()[0].List)
        return;
    T = traceOf(Slots(Most), Most);
    mergeLast(Of, writeTrace(T));
  });
}

FormFn explanation(uint8_t Mask, int64_t X) {
  return [=](ByteWriter &W) {
    W.byte(Mask);
    W.svarint(X);
  };
}

/// Even ranks: one block of one rank, 2^19 times.
void writeEven(ByteWriter &W) {
  W.varint(1);
  W.svarint(0);
  W.varint(1);
  W.varint(2);
  W.varint(World / 2 - 2);
}

FormFn onEvenAndOdd(const FormFn &Even, const FormFn &Odd) {
  return [=](ByteWriter &W) {
    W.byte(8);
    W.varint(2);
    writeEven(W);
    Even(W);
    Odd(W);
  };
}

FormFn grid(uint8_t Head, int64_t First, uint64_t Extent, int64_t Step, int64_t Row) {
  return [=](ByteWriter &W) {
    W.byte(Head);
    W.byte(2);
    W.svarint(First);
    W.varint(Extent);
    W.svarint(Step);
    W.svarint(Row);
  };
}

std::vector<FormFn> repeated(size_t N, const std::function<FormFn(int64_t)> &Of) {
  std::vector<FormFn> Out{explanation(1, 0)};
  for (size_t I = 0; I < N; ++I)
    Out.push_back(Of(static_cast<int64_t>(I)));
  return Out;
}
} // namespace

TEST(MillionRanks, Explanations) {
  check({explanation(1, 0), explanation(1, 7), explanation(2, 5), explanation(4, 1), explanation(4, -3),
         explanation(16, 1 << 19)},
        200);
}

TEST(MillionRanks, FortyOffsetsOfBlocks) {
  check(repeated(40, [](int64_t I) { return grid(13, I, 1024, 8 + I * I % 7, 8192 + 3 * I); }), 700);
}

TEST(MillionRanks, GridsOfWorldRanks) {
  check(repeated(8, [](int64_t I) { return grid(10, 0, 1024, 1024 + I, 1); }), 300);
}

TEST(MillionRanks, NeighboursInATorus) {
  check(repeated(8,
                 [](int64_t I) {
                   return [I](ByteWriter &W) {
                     for (uint64_t X : {11, 3, 64, 1 + int(I), 128, 5})
                       W.varint(X);
                     W.varint(100);
                   };
                 }),
        300);
}

TEST(MillionRanks, EvenAndOddRanks) {
  check(repeated(2,
                 [](int64_t I) {
                   return I % 2 ? onEvenAndOdd(explanation(2, 1), explanation(2, -1))
                                : onEvenAndOdd(explanation(1, I), explanation(1, -I));
                 }),
        400);
}

TEST(MillionRanks, WordsThatShareEvenAndOddRanks) {
  check(repeated(40, [](int64_t I) { return onEvenAndOdd(explanation(1, I), explanation(1, -1 - I)); }), 500);
}

TEST(MillionRanks, GridsOnEvenRanks) {
  check(repeated(2, [](int64_t I) { return onEvenAndOdd(grid(13, I, 512, 2, 1024 + I), explanation(1, -1)); }), 300);
}

TEST(MillionRanks, ListsThatRepeatThemselves) {
  // Values 5, 3, 8, 1 again and again: four runs, and a grammar of them; so are the distances of head 14.
  for (uint8_t Head : {9, 14})
    check(repeated(8,
                   [Head](int64_t I) {
                     return [Head, I](ByteWriter &W) {
                       W.byte(Head);
                       W.varint(4 << 1 | 1);
                       for (int64_t Step : {5 + I, int64_t(-2), int64_t(5), int64_t(-7)})
                         W.svarint(Step);
                       W.varint(2); // rules
                       W.varint(1);
                       W.varint(1 << 2 | 3);
                       W.varint(World / 4);
                       W.varint(4);
                       for (int J = 0; J < 4; ++J)
                         W.varint(0);
                     };
                   }),
          400);
}

TEST(MillionRanks, WhatFollowsFromEarlierOnes) {
  // Multiples of one list: the first is written, the others follow from it.
  check(repeated(20,
                 [](int64_t I) {
                   return [I](ByteWriter &W) {
                     W.byte(9);
                     W.varint(3 << 1 | 1);
                     for (int64_t Step : {0, 3, -2})
                       W.svarint(Step * (I + 1));
                     W.varint(2);
                     W.varint(2);
                     W.varint(1 << 2 | 3);
                     W.varint(World / 3);
                     W.varint(0);
                     W.varint(3);
                     W.varint(1 << 2); // the terminal that stood before
                     W.varint(0);
                     W.varint(0);
                   };
                 }),
        300);
}

/// A body with a loop of four sites, which ranks run through as often as Trips says.
static TraceData loopOf(const RankFn &Trips, const RankSet &Ranks) {
  TraceData T = traceOf({RankFn(0)}, Ranks);
  Region Body, Loop;
  Body.Function = Loop.Function = 1;
  Body.Name = Loop.Name = "main";
  Body.File = Loop.File = "main.c";
  Loop.Index = 1;
  Body.Events = {{Region::Loop, 3, 0, 1, ""}};
  for (uint32_t I = 0; I < 4; ++I)
    Loop.Events.push_back({Region::Site, 4 + I, 0, 0, "MPI_Send"});
  T.Regions = {Body, Loop};
  Group &G = T.Groups[0];
  auto Order = [](uint64_t N) {
    GrammarData D;
    D.Rules = {{{0, false, N}}};
    return D;
  };
  auto Path = [&](std::vector<uint32_t> Events) {
    G.table(TableId::Paths).push_back({{Ranks, std::move(Events), {}}});
    return static_cast<uint32_t>(G.table(TableId::Paths).size() - 1);
  };
  auto One = [&](int64_t Value) { return RankedStream{Ranks, {{{Value, 0, 1}}, Order(1), false}}; };
  const Entry Call = G.table(TableId::Signatures)[0];
  G.Nodes.resize(3);
  G.Nodes[0].Events[0].Items = {{Ranks, Order(1), {{true, 1}}}};
  for (uint32_t I : {1u, 2u}) {
    NodeData &N = G.Nodes[I];
    N.Parent = I - 1;
    N.Event = I == 2;
    N.Region = I - 1;
    N.Ranks = Ranks;
  }
  G.Nodes[1].Visits = {One(1)};
  G.Nodes[1].Paths = {{Ranks, Order(1), {{false, Path({1})}}}};
  G.Nodes[1].Events[1].Items = {{Ranks, Order(1), {{true, 2}}}};
  NodeData &N = G.Nodes[2];
  N.Visits = {One(0)};
  N.Visits[0].Functions.emplace(0, Trips);
  auto Often = [&](Item I) {
    RankedItems X{Ranks, Order(2), {I}};
    X.Functions.emplace(0, Trips);
    return X;
  };
  N.Paths = {Often({false, Path({1, 2, 3, 4})})};
  for (uint32_t E = 1; E <= 4; ++E) {
    N.Events[E].Items = {Often({false, E - 1})};
    if (E > 1)
      G.table(TableId::Signatures).push_back(Call);
  }
  return T;
}

TEST(MillionRanks, LoopsThatBorderRanksRunThroughLessOften) {
  const RankSet All = RankSet::below(World);
  struct Case {
    FormFn Trips;
    uint64_t Sum;
  };
  const uint64_t N = World;
  for (const Case &C : {Case{onEvenAndOdd(explanation(1, 10), explanation(1, 7)), N / 2 * 17},
                        Case{explanation(2, 1), N * (N + 1) / 2}, Case{grid(13, 1, 1024, 1, 0), N * 1025 / 2}})
    inBounds([&] {
      const RankFn Trips = functionOf(C.Trips, All);
      const Bytes File = writeTrace(loopOf(Trips, All));
      EXPECT_LE(File.size(), 250u);
      auto T = Trace::fromBytes(File);
      ASSERT_TRUE(T) << T.error().What;
      EXPECT_EQ(findInconsistency(*T), "");
      EXPECT_EQ(T->data().calls(), 4 * C.Sum);
      for (uint32_t Rank : {0u, 99u, World / 2}) {
        uint64_t Calls = 0;
        CallCursor Cursor = Trace::calls(T->view(Rank, 0));
        for (Call X; Cursor.next(X);)
          ++Calls;
        EXPECT_EQ(Cursor.error(), "");
        EXPECT_EQ(Calls, 4 * static_cast<uint64_t>(Trips.eval(Rank, {Rank, World})));
      }
    });
}

TEST(MillionRanks, VariantsOfEvenAndOddRanks) {
  inBounds([] {
    const RankSet All = RankSet::below(World);
    ByteWriter W;
    writeEven(W);
    ByteReader R(W.Data);
    const RankSet Even = RankSet::read(R, World), Odd = All.without(Even);
    TraceData T = traceOf({RankFn(0), RankFn(3)}, All);
    Entry &E = T.Groups[0].table(TableId::Signatures)[0];
    E.push_back(E[0]);
    E.own()[0].Ranks = Even;
    E.own()[1].Ranks = Odd;
    E.own()[1].Words.own()[1] = RankFn(-5);
    const Bytes File = writeTrace(T);
    EXPECT_LE(File.size(), 150u);
    auto Read = Trace::fromBytes(File);
    ASSERT_TRUE(Read) << Read.error().What;
    EXPECT_EQ(findInconsistency(*Read), "");
    EXPECT_EQ(Read->data().calls(), uint64_t(World) * 10);
    EXPECT_TRUE(printed(*Read, 4).starts_with("0 3 0 3"));
    EXPECT_TRUE(printed(*Read, 5).starts_with("0 -5 0 -5"));
  });
}
