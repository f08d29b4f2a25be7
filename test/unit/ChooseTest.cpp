// trace/merge/Choose.cpp: all explanations before ranks are merged, one afterwards.
#include "test/unit/Tables.h"
#include "trace/merge/Merge.h"

#include <gtest/gtest.h>

#include <array>

using namespace pilgrim;
using namespace pilgrim::test;

static RankFn word(const TraceData &T, TableId Id, uint32_t Index = 0, size_t Word = 0) {
  return T.Groups[0].table(Id)[Index][0].Words[Word];
}

/// A rank's trace: a call in the world, and one in a communicator of which the rank is number Rank / 2 of three.
static TraceData ofRank(uint32_t World, uint32_t Rank) {
  TraceData T;
  T.World = World;
  T.Ranks = RankSet(Rank);
  Group &G = T.Groups.emplace_back();
  G.Nodes[0].Ranks = T.Ranks;
  const uint32_t Comm = addObject(G, T.Ranks, Kind::Comm, "", {1, Rank / 2, 3, 0, -1});
  add(G, TableId::Signatures, {call(T.Ranks, 1, {Rank + 1})});
  Variant In = call(T.Ranks, 2, {(Rank / 2 + 1) % 3});
  In.Tokens.insert(In.Tokens.end(), {static_cast<uint32_t>(Tag::Object), Comm});
  add(G, TableId::Signatures, {In});
  RankedItems &X = G.Nodes[0].Events[0].Items.emplace_back();
  X.Ranks = T.Ranks;
  X.Order.Rules[0] = {{0, false, Rank + 2}, {1, false, 1}};
  X.Items = {{false, 0}, {false, 1}};
  G.Nodes[0].Events[0].Streams[{1, 0, 1, 0}].push_back({T.Ranks, {{{Rank * 10, 4, 8}}, {}}});
  G.Nodes[0].Events[0].Streams[{1, 0, 1, 0}][0].Values.Order.Rules[0] = {{0, false, 1}};
  return T;
}

TEST(Choose, CandidatesAreThoseOfTheCommunicator) {
  TraceData T = ofRank(6, 5);
  deriveCandidates(T);
  EXPECT_EQ(word(T, TableId::Signatures).single(), Candidates::of(6, std::array{RankContext{5, 6}}.data()));
  EXPECT_EQ(word(T, TableId::Signatures, 1).single(), Candidates::of(0, std::array{RankContext{2, 3}}.data()));
  // Of an object it is the world.
  EXPECT_EQ(word(T, TableId::Objects, 0, 1).single(), Candidates::of(2, std::array{RankContext{5, 6}}.data()));
}

TEST(Choose, WhatRanksHaveInCommonIsKept) {
  TraceData T = ofRank(6, 5);
  Variant &V = T.Groups[0].table(TableId::Signatures)[0].own()[0];
  V.Ranks.unite(RankSet(3));
  deriveCandidates(T);
  EXPECT_EQ(word(T, TableId::Signatures).single().Mask, Candidates::Const) << "two ranks have no context of one";
  EXPECT_NE(word(T, TableId::Signatures, 1).single().Mask, Candidates::Const);
}

static TraceData all(uint32_t World, uint32_t Ranks) {
  TraceData T = ofRank(World, 0);
  deriveCandidates(T);
  for (uint32_t R = 1; R < Ranks; ++R) {
    TraceData One = ofRank(World, R);
    deriveCandidates(One);
    merge(T, std::move(One));
  }
  return T;
}

TEST(Choose, OneExplanationOfEachStays) {
  for (uint32_t Ranks : {2u, 6u}) {
    TraceData Before = all(6, Ranks), T = Before;
    chooseCandidates(T);
    Group &G = T.Groups[0];
    for (TableId Id : {TableId::Signatures, TableId::Objects})
      for (uint32_t I = 0; I < G.table(Id).size(); ++I)
        for (uint32_t W = 0; W < G.table(Id)[I][0].Words.size(); ++W) {
          EXPECT_TRUE(isChosen(word(T, Id, I, W)));
          for (uint32_t R = 0; R < Ranks; ++R) {
            const RankContext Ctx = I ? RankContext{R / 2, 3} : RankContext{R, 6};
            EXPECT_EQ(word(T, Id, I, W).eval(R, Ctx), word(Before, Id, I, W).eval(R, Ctx));
          }
        }
    const EventData &E = G.Nodes[0].Events[0];
    ASSERT_EQ(E.Items.size(), 1u);
    ASSERT_EQ(E.Items[0].Functions.size(), 1u);
    EXPECT_TRUE(isChosen(E.Items[0].Functions.begin()->second));
    const RankedStreams &S = E.Streams.begin()->second;
    ASSERT_EQ(S.size(), 1u);
    ASSERT_EQ(S[0].Functions.size(), 1u);
    EXPECT_TRUE(isChosen(S[0].Functions.begin()->second));
    for (uint32_t R = 0; R < Ranks; ++R) {
      EXPECT_EQ(E.Items[0].of(R, 6).Rules[0][0].Count, R + 2);
      EXPECT_EQ(S[0].of(R, 6).Runs[0].First, R * 10);
    }
  }
}

TEST(Choose, PiecesBecomeGridsWhereThatIsShorter) {
  TraceData T;
  T.World = 64;
  T.Ranks = RankSet::below(64);
  Group &G = T.Groups.emplace_back();
  std::vector<int64_t> Values;
  for (int64_t R = 0; R < 64; ++R)
    Values.push_back(R / 8 * 1000 + R % 8 * 3);
  for (TableId Id : {TableId::Signatures, TableId::Objects}) {
    Variant V = Id == TableId::Signatures ? call(T.Ranks, 1, {0}) : variant(T.Ranks, {0, 0}, {0});
    V.Words.own()[0] = RankFn::ofValues(Values, T.Ranks);
    add(G, Id, {V});
  }
  chooseCandidates(T);
  for (TableId Id : {TableId::Signatures, TableId::Objects}) {
    ASSERT_EQ(word(T, Id).pieces().size(), 1u);
    EXPECT_TRUE(word(T, Id).pieces()[0].In);
  }
}

TEST(Choose, OnlyATraceOfAllRanksIsPruned) {
  for (uint32_t Ranks : {1u, 2u}) {
    TraceData T;
    T.World = 2;
    T.Ranks = RankSet::below(Ranks);
    T.Regions.emplace_back().Events = {{Region::Call, 1, 0, 0, "nothing"}};
    T.Groups.emplace_back().Nodes[0].Ranks = T.Ranks;
    chooseCandidates(T);
    EXPECT_EQ(T.Regions[0].Events[0].K, Ranks == 2 ? Region::Unknown : Region::Call);
  }
}
