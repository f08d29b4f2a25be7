// trace/ranks/RankSet.h, RankSet.cpp: rank sets against std::set.
#include "trace/ranks/RankSet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

using namespace pilgrim;

using Model = std::set<uint32_t>;

static RankSet make(const Model &M) {
  RankSet S;
  for (uint32_t R : M)
    S.unite(RankSet(R));
  return S;
}

static Model members(const RankSet &S) {
  Model M;
  S.forEach([&](uint32_t R) { M.insert(R); });
  return M;
}

static std::vector<uint8_t> bytes(const RankSet &S) {
  ByteWriter W;
  S.write(W);
  return W.Data;
}

static void check(const RankSet &S, const Model &M, uint32_t Limit) {
  ASSERT_EQ(members(S), M);
  EXPECT_EQ(S.size(), M.size());
  EXPECT_EQ(S.empty(), M.empty());
  auto B = bytes(S);
  ByteReader R(B);
  EXPECT_TRUE(RankSet::read(R, Limit) == S);
  EXPECT_TRUE(R.ok() && R.atEnd());
  if (!M.empty()) {
    EXPECT_EQ(S.first(), *M.begin());
    ByteReader Low(B);
    RankSet::read(Low, *M.rbegin());
    EXPECT_FALSE(Low.ok()) << "a rank at the limit";
  }
}

static Model randomModel(std::mt19937 &Random, uint32_t Limit) {
  Model M;
  switch (Random() % 4) {
  case 0:
    for (uint32_t I = Random() % 40; I--;)
      M.insert(Random() % Limit);
    break;
  case 1:
    for (uint32_t I = 0; I < Limit; ++I)
      if (Random() % 3)
        M.insert(I);
    break;
  case 2: {
    uint32_t Stride = 1 + Random() % 9, Length = 1 + Random() % Stride;
    for (uint32_t I = Random() % Limit; I < Limit; I += Stride)
      for (uint32_t J = 0; J < Length && I + J < Limit; ++J)
        M.insert(I + J);
    break;
  }
  default: {
    uint32_t First = Random() % Limit;
    for (uint32_t I = First; I < Limit && I < First + 30; ++I)
      M.insert(I);
  }
  }
  return M;
}

TEST(RankSet, AgreesWithASet) {
  std::mt19937 Random(1);
  for (int Round = 0; Round < 3000; ++Round) {
    uint32_t Limit = 1 + Random() % 200;
    Model A = randomModel(Random, Limit), B = randomModel(Random, Limit), U, D;
    RankSet SA = make(A), SB = make(B), SU = SA;
    check(SA, A, Limit);
    std::set_union(A.begin(), A.end(), B.begin(), B.end(), std::inserter(U, U.end()));
    std::set_difference(A.begin(), A.end(), B.begin(), B.end(), std::inserter(D, D.end()));
    SU.unite(SB);
    check(SU, U, Limit);
    check(SA.without(SB), D, Limit);
    EXPECT_EQ(SA == SB, A == B);
    for (uint32_t R = 0; R < Limit; ++R) {
      EXPECT_EQ(SA.contains(R), A.count(R) == 1);
      EXPECT_EQ(SA.indexOf(R), static_cast<uint64_t>(std::distance(A.begin(), A.lower_bound(R))));
    }
    if (HasFatalFailure())
      return;
  }
}

TEST(RankSet, Bounds) {
  EXPECT_TRUE(RankSet::below(0).empty());
  EXPECT_EQ(RankSet::below(5).size(), 5u);
  EXPECT_TRUE(RankSet::below(5).contains(4));
  EXPECT_FALSE(RankSet::below(5).contains(5));
  uint32_t Top = (1u << 24) - 1;
  check(RankSet(Top), {Top}, Top + 1);
}

/// Ranks of an N^D grid that are inside, or on the face where coordinate 0 is
/// 0.
static RankSet grid(unsigned D, uint32_t N, bool Interior) {
  uint32_t All = 1;
  for (unsigned I = 0; I < D; ++I)
    All *= N;
  RankSet S;
  for (uint32_t R = 0; R < All; ++R) {
    bool Inside = true;
    for (uint32_t I = 0, X = R; I < D; ++I, X /= N)
      Inside &= X % N > 0 && X % N < N - 1;
    if (Interior ? Inside : R % N == 0)
      S.unite(RankSet(R));
  }
  return S;
}

TEST(RankSet, PartsOfGridsTakeALevelPerDimension) {
  for (unsigned D = 1; D <= 4; ++D)
    for (uint32_t N : {5u, 8u, 11u}) {
      EXPECT_LE(bytes(grid(D, N, true)).size(), 5 + 3 * (D - 1)) << D << N;
      EXPECT_LE(bytes(grid(D, N, false)).size(), 6u);
      check(grid(D, N, true), members(grid(D, N, true)), 20000);
    }
}
