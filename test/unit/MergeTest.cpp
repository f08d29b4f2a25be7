// trace/merge/Merge.h, Merge.cpp: merging is invisible. Whatever ranks' traces are joined, in whatever order and by
// whatever way, each rank's calls stay what they were.
#include "test/unit/RandomTrace.h"
#include "test/unit/Sealed.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
struct Ways {
  bool InMemory = true;     ///< some pieces are merged as they are
  bool ThroughBytes = true; ///< some travel as level-0 bytes
  bool Shards = false;      ///< leaves are files with one explanation a value
  bool Choose = true;       ///< the result is reduced before it is written
  bool Sealed = false;      ///< parts of the sequences of two thirds of the ranks are chunks
};
} // namespace

static TraceData throughBytes(const TraceData &T, int Level = 0) {
  auto Read = readTrace(writeTrace(T, {.Level = Level}));
  EXPECT_TRUE(Read) << Read.error().What;
  return Read ? std::move(*Read) : TraceData();
}

static TraceData mergeRanks(std::vector<TraceData> Parts, unsigned Seed, const Ways &W) {
  std::mt19937 Random(Seed);
  for (TraceData &T : Parts) {
    if (W.Shards) {
      chooseCandidates(T);
      T = throughBytes(T, 1);
    }
    if (W.Sealed && Random() % 3)
      T = sealed(std::move(T), Seed);
    deriveCandidates(T);
  }
  while (Parts.size() > 1) {
    std::swap(Parts[Random() % Parts.size()], Parts.back());
    TraceData From = std::move(Parts.back());
    Parts.pop_back();
    TraceData &Into = Parts[Random() % Parts.size()];
    if (W.ThroughBytes && (!W.InMemory || Random() % 2))
      From = throughBytes(From);
    if (W.ThroughBytes && Random() % 8 == 0)
      Into = throughBytes(Into);
    merge(Into, std::move(From));
  }
  if (W.Choose)
    chooseCandidates(Parts[0]);
  return std::move(Parts[0]);
}

static void expectSame(const TraceData &T, const std::vector<Leaf> &Leaves, const std::string &What) {
  auto Read = Trace::fromBytes(writeTrace(T, {.Level = 1}));
  ASSERT_TRUE(Read) << What << ": " << Read.error().What;
  std::map<uint32_t, std::vector<uint32_t>> Threads;
  uint64_t Calls = 0;
  for (const Leaf &L : Leaves) {
    ASSERT_EQ(callLines(*Read, L.Rank, L.Thread), L.Lines) << What << ", rank " << L.Rank << ", thread " << L.Thread;
    Threads[L.Rank].push_back(L.Thread);
    Calls += L.Lines.size();
  }
  for (auto &[Rank, Wanted] : Threads)
    EXPECT_EQ(Read->threads(Rank), Wanted);
  EXPECT_EQ(Read->data().calls(), Calls);
  EXPECT_EQ(Read->view(Leaves.back().Rank + 1, 0), nullptr);
}

static void check(uint64_t Seed, uint32_t World, const Ways &W, bool Scrambled, const char *What) {
  auto Leaves = randomRun(Seed, World, Scrambled);
  TraceData T = mergeRanks(rankTraces(Leaves), static_cast<unsigned>(Seed), W);
  expectSame(T, Leaves, std::string(What) + ", seed " + std::to_string(Seed) + " on " + std::to_string(World));
}

static uint32_t worldOf(unsigned Seed) { return Seed % 7 == 0 ? 45 : 1 + Seed % 13; }

TEST(Merge, InMemory) {
  for (unsigned Seed = 0; Seed < 60 && !HasFatalFailure(); ++Seed)
    check(Seed, worldOf(Seed), {.ThroughBytes = false}, false, "in memory");
}

TEST(Merge, WithoutReduction) {
  for (unsigned Seed = 0; Seed < 60 && !HasFatalFailure(); ++Seed)
    check(Seed, worldOf(Seed), {.Choose = false}, false, "not reduced");
}

TEST(Merge, ThroughBytes) {
  for (unsigned Seed = 0; Seed < 60 && !HasFatalFailure(); ++Seed)
    check(Seed, worldOf(Seed), {.InMemory = false}, false, "through bytes");
}

TEST(Merge, Mixed) {
  for (unsigned Seed = 200; Seed < 260 && !HasFatalFailure(); ++Seed)
    check(Seed, worldOf(Seed), {}, false, "mixed");
}

TEST(Merge, OfShards) {
  for (unsigned Seed = 0; Seed < 60 && !HasFatalFailure(); ++Seed)
    check(Seed, worldOf(Seed), {.Shards = true}, false, "shards");
}

TEST(Merge, OfSequencesThatAreSealed) {
  for (unsigned Seed = 0; Seed < 60 && !HasFatalFailure(); ++Seed) {
    check(Seed, worldOf(Seed), {.Sealed = true}, false, "sealed");
    check(Seed, worldOf(Seed), {.ThroughBytes = false, .Shards = true, .Sealed = true}, false, "sealed shards");
  }
}

TEST(Merge, OfTablesInDifferentOrder) {
  for (unsigned Seed = 0; Seed < 60 && !HasFatalFailure(); ++Seed)
    check(Seed, worldOf(Seed), {}, true, "different order");
}

TEST(Merge, ReadingAndWritingAgainKeepsAllCalls) {
  for (unsigned Seed = 0; Seed < 20 && !HasFatalFailure(); ++Seed) {
    auto Leaves = randomRun(Seed, worldOf(Seed));
    TraceData T = mergeRanks(rankTraces(Leaves), Seed, {});
    TraceData Again = throughBytes(throughBytes(T, 3));
    expectSame(Again, Leaves, "again");
    EXPECT_EQ(writeTrace(Again), writeTrace(throughBytes(Again)));
  }
}

TEST(Merge, InMemoryAndThroughBytesFoldAlike) {
  // A rank's own tables are in the order in which reading makes them, or the
  // entries of a trace that was sent would not meet those of one that was not.
  size_t InMemory = 0, ThroughBytes = 0;
  for (unsigned Seed = 0; Seed < 40; ++Seed) {
    auto Parts = rankTraces(randomRun(Seed, worldOf(Seed)));
    auto A = mergeRanks(Parts, Seed, {.ThroughBytes = false});
    auto B = mergeRanks(Parts, Seed, {.InMemory = false});
    InMemory += encodeSections(A).Tables.size();
    ThroughBytes += encodeSections(B).Tables.size();
  }
  EXPECT_NEAR(double(InMemory) / double(ThroughBytes), 1, 0.02) << InMemory << " and " << ThroughBytes;
}

//===----------------------------------------------------------------------===//
// Size
//===----------------------------------------------------------------------===//

static ModelValue word(int64_t V) { return {Tag::Word, {V}, {}, {}, false}; }
static ModelValue object(ModelObject O) { return {Tag::Object, {}, {}, {std::move(O)}, false}; }

/// A halo exchange on an N^D grid, without wrapping round: everything that a
/// rank sends goes to a neighbour or to MPI_PROC_NULL.
static std::vector<Leaf> stencil(unsigned D, uint32_t N) {
  uint32_t World = 1;
  for (unsigned I = 0; I < D; ++I)
    World *= N;
  std::vector<Leaf> Leaves;
  for (uint32_t R = 0; R < World; ++R) {
    LeafBuilder B(World, R, 0);
    for (unsigned Step = 0; Step < 8; ++Step) {
      uint32_t Stride = 1;
      for (unsigned I = 0; I < D; ++I, Stride *= N)
        for (int Side : {-1, 1}) {
          int64_t X = R / Stride % N + Side;
          ModelCall C;
          C.Function = 3;
          C.Module = "app";
          C.Offset = 100 + I;
          C.Slots = {word(0),
                     word(X < 0 || X >= N ? -1 : int64_t(R) + Side * int64_t(Stride)),
                     {Tag::Heap, {int64_t(I), 4096 * Side}, {}, {}, false},
                     object({Kind::Comm, "MPI_COMM_WORLD", {0, R, World, 0, -1}})};
          B.add(C);
        }
    }
    Leaf L{R, 0, {}, B.Lines};
    L.Data = B.take();
    Leaves.push_back(std::move(L));
  }
  return Leaves;
}

TEST(Merge, SitesWithCallersAreJoinedByContent) {
  std::vector<Leaf> Leaves;
  for (uint32_t R = 0; R < 9; ++R) {
    LeafBuilder B(9, R, 0);
    auto Call = [&](int64_t Site, std::vector<int64_t> Callers) {
      B.add({1, "app", Site, {word(0), word(R + 1)}, {}, std::move(Callers)});
    };
    for (unsigned I = 0; I < 6; ++I) {
      // Ranks meet them in different orders, and some in ways of their own.
      for (unsigned J = 0; J < 3; ++J)
        Call(0x10, {0x20, 0x30 + (R + J) % 3});
      Call(0x20, {0x30});
      if (R % 4 == 1)
        Call(0x10, {0x20});
      Call(0x10, {});
    }
    Leaf L{R, 0, {}, B.Lines};
    L.Data = B.take();
    Leaves.push_back(std::move(L));
  }
  auto T = mergeRanks(rankTraces(Leaves), 4, {});
  expectSame(T, Leaves, "callers");
  // The chains and what they have in common; the sites of callers that make calls themselves are among these.
  EXPECT_EQ(T.Groups[0].table(TableId::Sites).size(), 3u + 3 + 3 + 1 + 1 + 1);
}

TEST(Merge, OfModulesThatDifferNothingIsSaid) {
  auto One = [](uint32_t Rank, const char *Id) {
    LeafBuilder B(3, Rank, 0);
    TraceData T = B.take();
    T.Meta["module app"] = std::string(Id) + " /folder" + std::to_string(Rank) + "/app";
    T.Meta["module rank" + std::to_string(Rank)] = "0000000000000000 /x";
    return T;
  };
  const char *A = "0123456789abcdef", *B = "0123456789abcdee";
  TraceData Same = One(0, A), Different = One(0, A);
  merge(Same, One(1, A));
  EXPECT_EQ(Same.Meta["module app"], std::string(A) + " /folder0/app");
  EXPECT_EQ(Same.Meta["module rank1"], "0000000000000000 /x");
  merge(Different, One(1, B));
  EXPECT_EQ(Different.Meta["module app"], "?");
  merge(Different, One(2, A));
  EXPECT_EQ(Different.Meta["module app"], "?");
  merge(Same, std::move(Different));
  EXPECT_EQ(Same.Meta["module app"], "?");
}

TEST(Merge, AStencilTakesConstantSpace) {
  for (unsigned D : {1u, 2u, 3u}) {
    std::map<uint32_t, size_t> Sizes;
    for (uint32_t N : {4u, 8u}) {
      auto Leaves = stencil(D, N);
      auto T = mergeRanks(rankTraces(Leaves), N, {});
      expectSame(T, Leaves, "stencil");
      EXPECT_EQ(calls(T.Groups[0]).Items.size(), 1u);
      Sizes[N] = encodeSections(T).Tables.size();
    }
    EXPECT_LE(Sizes[8], Sizes[4] + 6 * D) << D << " dimensions";
  }
}

TEST(Merge, RanksOfOneRowCommunicatorFold) {
  // Own rank and size come from the communicator: the ring in each row is one
  // explanation for all rows.
  std::map<uint32_t, size_t> Sizes;
  for (uint32_t Rows : {4u, 16u}) {
    uint32_t World = Rows * 8;
    std::vector<Leaf> Leaves;
    for (uint32_t R = 0; R < World; ++R) {
      LeafBuilder B(World, R, 0);
      for (int I = 0; I < 10; ++I) {
        ModelCall C;
        C.Function = 2;
        C.Slots = {word(0), object({Kind::Comm, "", {1, R % 8, 8, R / 8 * 8, -1}}), word((R + 1) % 8)};
        B.add(C);
      }
      Leaf L{R, 0, {}, B.Lines};
      L.Data = B.take();
      Leaves.push_back(std::move(L));
    }
    auto T = mergeRanks(rankTraces(Leaves), Rows, {});
    expectSame(T, Leaves, "rows");
    const Variant &V = T.Groups[0].table(TableId::Signatures)[0][0];
    EXPECT_TRUE(V.Words[1].isSingle());
  }
}

/// Ranks in a square: each exchanges with those beside it, if there are some.
static std::vector<Leaf> square(uint32_t Side) {
  std::vector<Leaf> Leaves;
  uint32_t World = Side * Side;
  for (uint32_t R = 0; R < World; ++R) {
    LeafBuilder B(World, R, 0);
    for (int I = 0; I < 10; ++I) {
      auto Exchange = [&](bool Has, int64_t Site, int64_t Step) {
        if (Has)
          for (uint32_t Function : {1, 2})
            B.add({Function, "app", Site + Function, {word(0), word(R + Step), word(7)}, {}});
      };
      Exchange(R % Side > 0, 0x10, -1);
      Exchange(R % Side < Side - 1, 0x20, 1);
      Exchange(R >= Side, 0x30, -int64_t(Side));
      Exchange(R < World - Side, 0x40, Side);
      B.add({0, "app", 0x50, {word(0)}, {}});
    }
    Leaf L{R, 0, {}, B.Lines};
    L.Data = B.take();
    Leaves.push_back(std::move(L));
  }
  return Leaves;
}

TEST(Merge, WhoLacksNeighboursSharesTheSequence) {
  for (uint32_t Side : {3u, 8u}) {
    auto Leaves = square(Side);
    auto T = mergeRanks(rankTraces(Leaves), Side, {});
    expectSame(T, Leaves, "square");
    const NodeData &Root = T.Groups[0].Nodes[0];
    ASSERT_EQ(Root.Events.size(), 1u);
    const auto &Items = Root.Events.begin()->second.Items;
    EXPECT_EQ(Items.size(), 1u);
    EXPECT_EQ(Items[0].Items.size(), 9u);
    EXPECT_EQ(Items[0].Order.length(), 90u);
  }
}

TEST(Merge, WhatWasNotJoinedAtFirstIsJoinedAtTheEnd) {
  // Ranks with calls of all functions come last. Of those before, which have little in common, each is joined once.
  constexpr uint32_t World = 5;
  const std::vector<std::pair<uint32_t, uint32_t>> Own{{0, 2}, {2, 6}, {6, 12}, {0, 12}, {0, 12}};
  std::vector<Leaf> Leaves;
  for (uint32_t R = 0; R < World; ++R) {
    LeafBuilder B(World, R, 0);
    for (int I = 0; I < 10; ++I)
      for (uint32_t Site = Own[R].first; Site < Own[R].second; ++Site)
        B.add({Site % 3, "app", 16 + Site, {word(0), word(7)}, {}});
    Leaf L{R, 0, {}, B.Lines};
    L.Data = B.take();
    Leaves.push_back(std::move(L));
  }
  std::vector<TraceData> Parts = rankTraces(Leaves);
  for (TraceData &T : Parts) {
    measureCalls(T.Groups[0], 10, 1000);
    deriveCandidates(T);
  }
  for (uint32_t R = 1; R < World; ++R)
    merge(Parts[0], std::move(Parts[R]));
  TraceData &T = Parts[0];
  EXPECT_GT(calls(T.Groups[0]).Items.size(), 1u);
  auto Sum = [&] {
    uint64_t N = 0;
    for (const Measure &M : calls(T.Groups[0]).Measures)
      N += M.calls();
    return N;
  };
  const uint64_t Before = Sum();
  chooseCandidates(T);
  EXPECT_EQ(Sum(), Before);
  EXPECT_EQ(calls(T.Groups[0]).Items.size(), 1u);
  EXPECT_EQ(calls(T.Groups[0]).Items[0].Items.size(), 12u);
  T.Groups[0].Timed = false;
  expectSame(T, Leaves, "at the end");
}

TEST(Merge, CallsThatAreEqualInDifferentWaysShareTheSequence) {
  // To three ranks, of which two may be the same.
  std::vector<Leaf> Leaves;
  for (uint32_t R = 0; R < 12; ++R) {
    LeafBuilder B(12, R, 0);
    for (int I = 0; I < 50; ++I)
      for (int64_t To : {R % 3, R % 2, R % 4})
        B.add({1, "app", 0x10, {word(0), word(To)}, {}});
    Leaf L{R, 0, {}, B.Lines};
    L.Data = B.take();
    Leaves.push_back(std::move(L));
  }
  auto T = mergeRanks(rankTraces(Leaves), 1, {});
  expectSame(T, Leaves, "equal");
  const auto &Items = T.Groups[0].Nodes[0].Events.begin()->second.Items;
  EXPECT_EQ(Items.size(), 1u);
  EXPECT_EQ(Items[0].Items.size(), 3u);
}

/// Loops in loops, as often as functions of the rank say.
static std::vector<Leaf> unequal(uint32_t World, unsigned Seed) {
  std::mt19937 Random(Seed);
  // Per level: begin, by rank, by rank modulo.
  int64_t Counts[3][3];
  for (auto &C : Counts) {
    C[0] = 2 + Random() % 4;
    C[1] = Random() % 3;
    C[2] = 1 + Random() % 5;
  }
  auto Count = [&](int Level, uint32_t R) {
    return Counts[Level][0] + (Counts[Level][1] == 1 ? R : Counts[Level][1] == 2 ? R * R % Counts[Level][2] : 0);
  };
  std::vector<Leaf> Leaves;
  for (uint32_t R = 0; R < World; ++R) {
    LeafBuilder B(World, R, 0);
    for (int64_t I = 0; I < Count(0, R); ++I) {
      for (int64_t J = 0; J < Count(1, R); ++J)
        B.add({1, "app", 0x10, {word(0), word(R + 1)}, {}});
      for (int64_t J = 0; J < Count(2, R); ++J) {
        B.add({1, "app", 0x20, {word(0), word(J % 2)}, {}});
        B.add({0, "app", 0x30, {word(R)}, {}});
      }
      B.add({0, "app", 0x40, {word(0)}, {}});
    }
    Leaf L{R, 0, {}, B.Lines};
    L.Data = B.take();
    Leaves.push_back(std::move(L));
  }
  return Leaves;
}

TEST(Merge, LoopsMayBeRunThroughUnequallyOften) {
  for (unsigned Seed = 0; Seed < 80 && !HasFatalFailure(); ++Seed)
    for (const Ways &W :
         {Ways{}, Ways{.ThroughBytes = false}, Ways{.InMemory = false}, Ways{.Shards = true}, Ways{.Choose = false}}) {
      auto Leaves = unequal(1 + Seed % 20, Seed);
      auto T = mergeRanks(rankTraces(Leaves), Seed, W);
      expectSame(T, Leaves, "unequal, seed " + std::to_string(Seed));
    }
}

TEST(Merge, WhoRepeatsMoreSharesTheSequence) {
  for (uint32_t World : {5u, 40u}) {
    std::vector<Leaf> Leaves;
    for (uint32_t R = 0; R < World; ++R) {
      LeafBuilder B(World, R, 0);
      for (int I = 0; I < 6; ++I) {
        for (uint32_t J = 0; J < 10 + R; ++J)
          for (uint32_t Function : {1, 2})
            B.add({Function, "app", 0x10 + Function, {word(0), word(R + 1), word(7)}, {}});
        B.add({0, "app", 0x50, {word(0)}, {}});
      }
      Leaf L{R, 0, {}, B.Lines};
      L.Data = B.take();
      Leaves.push_back(std::move(L));
    }
    auto T = mergeRanks(rankTraces(Leaves), World, {});
    expectSame(T, Leaves, "repeats");
    const auto &Items = T.Groups[0].Nodes[0].Events.begin()->second.Items;
    ASSERT_EQ(Items.size(), 1u);
    EXPECT_EQ(Items[0].Items.size(), 3u);
    ASSERT_EQ(Items[0].Functions.size(), 1u);
    EXPECT_TRUE(Items[0].Functions.begin()->second.isSingle());
  }
}

TEST(Merge, ARanksOwnEndIsSaidBeforeThoseThatFollowIt) {
  auto Ended = [](const std::vector<std::string> &Ends) {
    std::vector<TraceData> Parts;
    const auto World = static_cast<uint32_t>(Ends.size());
    for (uint32_t R = 0; R < World; ++R) {
      LeafBuilder B(World, R, 0);
      B.add({0, "", 0, {word(0)}, {}});
      Parts.push_back(B.take());
      if (!Ends[R].empty())
        Parts.back().Meta[std::string(EndedKey)] = Ends[R];
    }
    std::string Forth;
    for (const bool IsFromTheRight : {false, true}) {
      std::vector<TraceData> Left = Parts;
      while (Left.size() > 1) {
        const size_t At = IsFromTheRight ? Left.size() - 2 : 0;
        merge(Left[At], std::move(Left[At + 1]));
        Left.erase(Left.begin() + static_cast<ptrdiff_t>(At) + 1);
      }
      if (IsFromTheRight) {
        EXPECT_EQ(Left[0].Meta[std::string(EndedKey)], Forth);
      }
      Forth = Left[0].Meta[std::string(EndedKey)];
    }
    return Forth;
  };
  const std::string Stops = " stops, as another rank ends the run",
                    Recording = " stops recording, as another rank ends the run";
  EXPECT_EQ(Ended({"", "rank 1" + Stops, "rank 2" + Recording, "rank 3 was ended by MPI in MPI_Send"}),
            "rank 3 was ended by MPI in MPI_Send");
  EXPECT_EQ(Ended({"rank 0 was ended by SIGSEGV", "rank 1" + Stops}), "rank 0 was ended by SIGSEGV");
  EXPECT_EQ(
      Ended({"rank 0" + Recording, "rank 1 was ended by SIGSEGV", "rank 2" + Stops, "rank 3 was ended by SIGTERM", ""}),
      "rank 1 was ended by SIGSEGV, and others");
  EXPECT_EQ(Ended({"", "rank 1" + Stops, "rank 2" + Recording}), "rank 1" + Stops);
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

TEST(Merge, TimesOfWhoRepeatsMoreAreMeansOfAllCalls) {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 3; ++R) {
    LeafBuilder B(3, R, 0);
    const uint64_t Calls = 5 + 10 * R;
    for (uint64_t I = 0; I < Calls; ++I)
      B.add({0, "", 0, {word(0)}, {}});
    Parts.push_back(B.take());
    Group &G = Parts.back().Groups[0];
    measureCalls(G, 1000 * (R + 1), 100);
  }
  auto T = mergeRanks(std::move(Parts), 1, {});
  auto Read = Trace::fromBytes(writeTrace(T));
  ASSERT_TRUE(Read);
  for (uint32_t R = 0; R < 3; ++R) {
    CallCursor Calls = Trace::calls(Read->view(R, 0));
    unsigned I = 0;
    for (Call C; Calls.next(C); ++I) {
      // 5 calls of 1, 15 of 2, 25 of 3 microseconds.
      EXPECT_NEAR(C.Duration, 110e-6 / 45, 1e-9);
    }
    EXPECT_EQ(I, 5 + 10 * R);
  }
}

TEST(Merge, TimesAddUpAndAreReadAsMeans) {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 4; ++R) {
    LeafBuilder B(4, R, 0);
    for (int I = 0; I < 10; ++I)
      B.add({0, "", 0, {word(I % 2)}, {}});
    Parts.push_back(B.take());
    // Two terminals, five calls each.
    Group &G = Parts.back().Groups[0];
    measureCalls(G, 0, 0);
    auto &Measures = calls(G).Measures;
    Measures[0] = measureOf(Measures[0].Place, 5, 5 * 1000 * (R + 1), 5 * 100, R);
    Measures[1] = measureOf(Measures[1].Place, 5, 5 * 2000, 0, R);
  }
  auto T = mergeRanks(std::move(Parts), 1, {});
  ASSERT_EQ(T.Groups.size(), 1u);
  auto Read = Trace::fromBytes(writeTrace(T));
  ASSERT_TRUE(Read);
  for (uint32_t R = 0; R < 4; ++R) {
    CallCursor Calls = Trace::calls(Read->view(R, 0));
    double Clock = 0;
    int I = 0;
    for (Call C; Calls.next(C); ++I) {
      ASSERT_EQ(C.Timed, Call::Time::Mean);
      EXPECT_NEAR(C.Duration, I % 2 ? 2e-6 : 2.5e-6, 1e-12);
      EXPECT_NEAR(C.Start, Clock + (I % 2 ? 0 : 1e-7), 1e-12);
      Clock = C.Start + C.Duration;
    }
    EXPECT_EQ(I, 10);
  }
}
