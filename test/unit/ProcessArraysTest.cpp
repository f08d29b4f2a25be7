// proxygen/extrapolate/ProcessArrays.h: arrays of as many elements as there are processes, as runs.
#include "proxygen/extrapolate/ProcessArrays.h"
#include "trace/model/Signature.h"

#include <gtest/gtest.h>
#include <random>

using namespace pilgrim;

namespace {
std::vector<RankFn> constants(std::initializer_list<int64_t> Values) { return {Values.begin(), Values.end()}; }

std::vector<RankFn> expanded(const std::vector<ElementRun> &Runs, size_t Most) {
  std::vector<RankFn> Out;
  for (const ElementRun &R : Runs)
    EXPECT_TRUE(append(R, Most, Out));
  return Out;
}

RankFn ownRank() {
  RankFn F(5);
  const RankContext Context{5, 8};
  F.derive(&Context);
  F.mergeSingle([] {
    RankFn G(6);
    const RankContext Other{6, 8};
    G.derive(&Other);
    return G;
  }());
  F.choose();
  return F;
}
} // namespace

TEST(ProcessArrays, RunsAreLinesAndEqualFunctions) {
  EXPECT_EQ(runsOf(constants({4, 4, 4, 4})).size(), 1u);
  EXPECT_EQ(runsOf(constants({0, 3, 6, 9})).size(), 1u);
  EXPECT_EQ(runsOf(constants({5, 0, 0, 0})).size(), 2u);
  EXPECT_EQ(runsOf(constants({})).size(), 0u);
  std::vector<RankFn> Own(6, ownRank());
  ASSERT_FALSE(Own[0].isConst());
  EXPECT_EQ(runsOf(Own).size(), 1u);
  Own[2] = RankFn(7);
  EXPECT_EQ(runsOf(Own).size(), 3u);
}

TEST(ProcessArrays, ThereAndBack) {
  std::mt19937 Random(1);
  for (int Round = 0; Round < 500; ++Round) {
    std::vector<RankFn> All;
    for (unsigned N = Random() % 20; N--;)
      All.push_back(Random() % 5 ? RankFn(Random() % 3) : Random() % 2 ? RankFn(INT64_MAX) : ownRank());
    const auto Runs = runsOf(All);
    const auto Again = expanded(Runs, All.size());
    ASSERT_EQ(Again.size(), All.size());
    for (size_t I = 0; I < All.size(); ++I)
      EXPECT_TRUE(Again[I].isSame(All[I]));
    for (size_t I = 1; I < Runs.size(); ++I)
      EXPECT_TRUE(Runs[I].Count);
  }
}

TEST(ProcessArrays, WhatIsNoRunIsRefused) {
  std::vector<RankFn> To;
  EXPECT_FALSE(append({RankFn(1), 0, 9}, 8, To));
  EXPECT_FALSE(append({ownRank(), 1, 2}, 8, To));
  EXPECT_FALSE(append({RankFn(INT64_MAX - 1), 5, 8}, 8, To));
  EXPECT_TRUE(To.empty());
}

TEST(ProcessArrays, AreThoseOfBuffers) {
  FunctionSchema F;
  F.Id = 197;
  F.Name = "MPI_Alltoallv";
  F.IsCollective = true;
  F.Slots.resize(5);
  F.Slots[1].K = Kind::Buffer;
  F.Slots[2] = {.Name = "sendcounts", .K = Kind::Count, .IsArray = true};
  F.Slots[3] = {.Name = "sdispls", .K = Kind::Displacement, .IsArray = true};
  F.Slots[4] = {.Name = "dims", .K = Kind::Int, .IsArray = true};
  F.Slots[1].Said = {{Relation::Count, 2}, {Relation::Displacements, 3}};
  const auto Of = [](Tag T) { return static_cast<uint32_t>(T); };
  const std::vector<uint32_t> Tokens{
      197, 0, 0, Of(Tag::Word), Of(Tag::Null), Of(Tag::Array), 3, Of(Tag::Array), 2, Of(Tag::Array), 4};
  const auto All = processArrays(F, Tokens);
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].LengthToken, 6u);
  EXPECT_EQ(All[0].FirstWord, 1u);
  EXPECT_EQ(All[0].Length, 3u);
  EXPECT_EQ(All[1].FirstWord, 4u);
  F.IsCollective = false;
  EXPECT_TRUE(processArrays(F, Tokens).empty());
}
