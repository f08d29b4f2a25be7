// trace/merge/Rejoin.cpp: sequences that become one say what each rank's calls were.
#include "test/unit/RandomTrace.h"
#include "trace/merge/Merge.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

static TraceData merged(std::vector<TraceData> Parts) {
  for (TraceData &T : Parts)
    deriveCandidates(T);
  for (size_t I = 1; I < Parts.size(); ++I)
    merge(Parts[0], std::move(Parts[I]));
  chooseCandidates(Parts[0]);
  return std::move(*readTrace(writeTrace(Parts[0])));
}

static size_t sequencesOf(const TraceData &T) {
  size_t N = 0;
  for (const Group &G : T.Groups)
    for (const NodeData &X : G.Nodes)
      for (const auto &[Id, E] : X.Events)
        N += E.Items.size();
  return N;
}

TEST(Rejoin, AtAnyCostKeepsAllCalls) {
  size_t Joined = 0;
  for (unsigned Seed = 0; Seed < 120; ++Seed) {
    const auto Leaves = randomRun(Seed, 2 + Seed % 13);
    TraceData T = merged(rankTraces(Leaves));
    const size_t Before = sequencesOf(T);
    const bool AreOther = joinSequences(T);
    EXPECT_EQ(AreOther, sequencesOf(T) < Before) << Seed;
    Joined += AreOther;
    const auto Read = Trace::fromBytes(writeTrace(T));
    ASSERT_TRUE(Read) << Seed << ": " << Read.error().What;
    for (const Leaf &L : Leaves)
      ASSERT_EQ(callLines(*Read, L.Rank, L.Thread), L.Lines) << Seed << ", rank " << L.Rank << ", thread " << L.Thread;
  }
  EXPECT_GT(Joined, 10u);
}

/// One rank has the more calls of its own the more ranks there are.
TEST(Rejoin, TracesOfFewAndOfManyRanksHaveOneForm) {
  for (const uint32_t World : {4u, 20u}) {
    std::vector<TraceData> Parts;
    for (uint32_t R = 0; R < World; ++R) {
      LeafBuilder B(World, R, 0);
      const auto Call = [&](uint32_t Function, int64_t Word) {
        ModelCall C{Function, "app", Function * 64, {}, {}};
        C.Slots.resize(LeafBuilder::slots(Function));
        for (ModelValue &V : C.Slots)
          V.Words = {Word};
        B.add(C);
      };
      Call(4, 0);
      for (uint32_t Peer = 1; Peer < (R ? 2 : World); ++Peer)
        Call(R ? 8 : 12, Peer);
      Call(16, 0);
      Parts.push_back(B.take());
    }
    TraceData T = merged(std::move(Parts));
    EXPECT_EQ(sequencesOf(T), World == 4 ? 1u : 2u);
    EXPECT_EQ(joinSequences(T), World != 4);
    EXPECT_EQ(sequencesOf(T), 1u);
  }
}
