// trace/ranks/RankSetBytes.cpp: what a reader makes of bytes. What is written is read again in the test of RankSet
// itself.
#include "trace/ranks/RankSet.h"

#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;

TEST(RankSetBytes, DamagedSetsAreRefused) {
  auto Reads = [](std::initializer_list<int64_t> Values, uint32_t Limit) {
    // First the number of blocks; then svarint start, the rest varints.
    ByteWriter W;
    size_t I = 0;
    for (int64_t V : Values)
      I++ == 1 ? W.svarint(V) : W.varint(static_cast<uint64_t>(V));
    ByteReader R(W.Data);
    RankSet::read(R, Limit);
    return R.ok();
  };
  EXPECT_TRUE(Reads({1, 3, 1 << 2}, 5));
  EXPECT_FALSE(Reads({1, 3, 2 << 2}, 5)) << "beyond the limit";
  EXPECT_FALSE(Reads({1, -1, 0}, 5)) << "below 0";
  EXPECT_TRUE(Reads({1, 0, 1, 2, 0}, 5));
  EXPECT_FALSE(Reads({1, 0, 1, 0, 0}, 5)) << "stride 0";
  EXPECT_FALSE(Reads({1, 0, 1 << 2 | 1, 1, 0}, 5)) << "overlapping";
  EXPECT_FALSE(Reads({1, 0, 1, 2, 2}, 5)) << "a repetition beyond the limit";
  EXPECT_FALSE(Reads({2, 0, 0}, 5)) << "a block that is not there";
  EXPECT_FALSE(Reads({1, 0, INT64_MAX}, 5)) << "a length that wraps";
  EXPECT_FALSE(Reads({1, 0, 1, INT64_MAX, INT64_MAX}, 5));
  std::mt19937 Random(2);
  for (int Round = 0; Round < 20000; ++Round) {
    std::vector<uint8_t> B;
    for (uint32_t I = Random() % 20; I--;)
      B.push_back(static_cast<uint8_t>(Random() % (Round % 2 ? 256 : 12)));
    ByteReader R(B);
    RankSet S = RankSet::read(R, 1000);
    uint64_t N = 0;
    S.forEach([&](uint32_t Rank) {
      EXPECT_LT(Rank, 1000u);
      ++N;
    });
    EXPECT_EQ(N, S.size());
  }
}

TEST(RankSetBytes, AFewBytesCannotAskForAllMemory) {
  // 2^24 ranks as nested blocks of stride 2, as often as the bytes allow.
  ByteWriter W;
  W.varint(1000);
  for (int I = 0; I < 1000; ++I) {
    W.svarint(0);
    W.varint(1);
    W.varint(2);
    W.varint((1u << 22) - 2);
  }
  ByteReader R(W.Data);
  RankSet::read(R, 1u << 24);
  EXPECT_FALSE(R.ok());
}

TEST(RankSetBytes, TheSameBytesAreTheSameSetInMemory) {
  ByteWriter W;
  for (int Times = 0; Times < 2; ++Times) {
    RankSet Even;
    for (uint32_t Rank = 0; Rank < 100; Rank += 2)
      Even.unite(RankSet(Rank));
    Even.write(W);
  }
  EXPECT_LE(W.Data.size(), 10u) << "100 ranks are one nested block";
  RankSetPool Sets;
  ByteReader R(W.Data);
  const RankSet A = RankSet::read(R, {100, &Sets}), B = RankSet::read(R, {100, &Sets});
  EXPECT_TRUE(R.ok());
  EXPECT_EQ(A.size(), 50u);
  EXPECT_TRUE(A.isShared(B));
}
