// trace/read/FoundGroups.h, FoundGroups.cpp: groups are complete only if all members are there and agree.
#include "trace/read/FoundGroups.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace pilgrim;

namespace {
using Key = FoundGroups::Key;

/// Members of a group, by rank in it.
void addAll(FoundGroups &G, Key K, const std::vector<uint32_t> &Ranks, Key Family = 0) {
  for (size_t I = 0; I < Ranks.size(); ++I)
    G.add(K,
          {Ranks[I], static_cast<int64_t>(I), static_cast<int64_t>(Ranks.size()),
           *std::min_element(Ranks.begin(), Ranks.end())},
          Family);
}

std::vector<Key> complete(FoundGroups &G) {
  G.endRound();
  std::vector<Key> Out;
  G.forEachComplete([&](Key K, const std::vector<uint32_t> &) { Out.push_back(K); });
  std::sort(Out.begin(), Out.end());
  return Out;
}
} // namespace

TEST(FoundGroups, AreCompleteWithEveryMemberOnce) {
  FoundGroups G;
  ASSERT_TRUE(G.beginRound());
  addAll(G, 1, {5, 2, 9});
  G.add(2, {3, 0, 2, 3}, 0); // rank 1 is not there
  G.add(3, {4, 0, 2, 4}, 0); // rank 0 is there twice
  G.add(3, {7, 0, 2, 4}, 0);
  G.add(4, {4, 0, 2, 4}, 0); // members see different smallest ranks
  G.add(4, {7, 1, 2, 7}, 0);
  G.add(5, {4, 0, 1, 3}, 0); // the smallest rank is no member
  EXPECT_EQ(complete(G), std::vector<Key>{1});
  EXPECT_TRUE(G.members(1).empty()); // as long as the round is the last one
  ASSERT_TRUE(G.beginRound());
  const auto Found = G.members(1);
  EXPECT_EQ(std::vector(Found.begin(), Found.end()), (std::vector<uint32_t>{5, 2, 9}));
  EXPECT_TRUE(G.members(2).empty());
}

TEST(FoundGroups, OfAFamilyAreAllWrongIfOneIs) {
  FoundGroups G;
  G.beginRound();
  addAll(G, 1, {0, 1}, 77);
  addAll(G, 2, {2, 3}, 78);
  G.add(3, {4, 0, 2, 4}, 77);
  EXPECT_EQ(complete(G), std::vector<Key>{2});
}

TEST(FoundGroups, FaceEachOtherIfBothComeToOneToken) {
  FoundGroups G;
  G.beginRound();
  for (Key Side : {10, 20, 10, 20})
    G.say(1, Side);
  for (Key Side : {30, 40, 50}) // three sides are none
    G.say(2, Side);
  G.say(3, 60);
  G.endRound();
  ASSERT_TRUE(G.facing(10));
  ASSERT_TRUE(G.facing(20));
  EXPECT_EQ(G.facing(10)->Other, 20u);
  EXPECT_EQ(G.facing(20)->Other, 10u);
  EXPECT_EQ(G.facing(10)->Both, G.facing(20)->Both);
  EXPECT_NE(G.facing(10)->Number, G.facing(20)->Number);
  for (Key Side : {30, 40, 50, 60})
    EXPECT_FALSE(G.facing(Side)) << Side;
  // A side that faces two others faces none.
  ASSERT_TRUE(G.beginRound());
  G.say(4, 10);
  G.say(4, 60);
  G.endRound();
  EXPECT_FALSE(G.facing(10));
}

TEST(FoundGroups, RoundsEndWhenNothingIsNew) {
  FoundGroups G;
  ASSERT_TRUE(G.beginRound());
  addAll(G, 1, {0});
  G.endRound();
  ASSERT_TRUE(G.beginRound());
  addAll(G, 1, {0});
  G.endRound();
  EXPECT_FALSE(G.beginRound());
  EXPECT_EQ(complete(G), std::vector<Key>{1});
}
