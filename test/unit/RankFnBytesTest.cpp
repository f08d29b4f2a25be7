// trace/ranks/RankFnBytes.cpp: functions of the rank in a file.
#include "test/unit/Ranks.h"
#include "trace/ranks/Affine.h"

#include <gtest/gtest.h>

#include <bit>

using namespace pilgrim;
using namespace pilgrim::test;

using Bytes = std::vector<uint8_t>;

TEST(RankFnBytes, ExplanationsHaveTheirMasksAsHeads) {
  EXPECT_EQ(written(Candidates{Candidates::Const, 5, 0, 0, 0}), (Bytes{1, 10}));
  EXPECT_EQ(written(Candidates{Candidates::Offset, 9, -1, 9, 9}), (Bytes{2, 1}));
  EXPECT_EQ(written(Candidates{Candidates::Modulo, 9, 9, 2, 9}), (Bytes{4, 4}));
  EXPECT_EQ(written(Candidates{Candidates::Xor, 9, 9, 9, 3}), (Bytes{16, 6}));
  EXPECT_EQ(written(Candidates{Candidates::All, 1, 2, 3, 4}), (Bytes{23, 2, 4, 6, 8}));
  unsigned Masks = 0;
  for (unsigned Mask = 0; Mask < 256; ++Mask) {
    const Bytes B{static_cast<uint8_t>(Mask), 2, 4, 6, 8};
    ByteReader R(B);
    const Candidates C = Candidates::read(R);
    EXPECT_EQ(R.ok(), Candidates::isMask(static_cast<uint8_t>(Mask)));
    EXPECT_TRUE(Candidates::isMask(C.Mask)) << "even of damaged input";
    Masks += R.ok();
    if (R.ok()) {
      EXPECT_EQ(written(C), Bytes(B.begin(), B.begin() + 1 + std::popcount(Mask)));
      EXPECT_EQ(R.remaining(), 4u - static_cast<size_t>(std::popcount(Mask)));
    }
  }
  EXPECT_EQ(Masks, 15u);
}

TEST(RankFnBytes, TheLastPieceHasTheRestOfTheRanks) {
  // Three levels on sets that lie between each other.
  const RankSet All = RankSet::below(12), Odd = setOf(std::set{1, 3, 5, 7, 9, 11}), Some = setOf(std::set{2, 6});
  const RankFn F = RankFn::ofLevels({{5, All.without(Odd).without(Some)}, {6, Odd}, {7, Some}});
  ByteWriter W;
  W.bytes(Bytes{8, 3});
  All.without(Odd).without(Some).write(W);
  W.bytes(Bytes{1, 10});
  Odd.write(W);
  W.bytes(Bytes{1, 12, 1, 14});
  EXPECT_EQ(written(F), W.Data);
  RankSetPool Pool;
  for (RankSetPool *Sets : {static_cast<RankSetPool *>(nullptr), &Pool, &Pool}) {
    ByteReader R(W.Data);
    const RankFn Read = RankFn::read(R, All, {12, Sets});
    EXPECT_TRUE(R.ok() && R.atEnd());
    ASSERT_EQ(Read.pieces().size(), 3u);
    EXPECT_EQ(Read.pieces()[2].Ranks, Some);
    All.forEach([&](uint32_t Rank) { EXPECT_EQ(Read.eval(Rank, {}), F.eval(Rank, {})); });
  }
}

TEST(RankFnBytes, APieceMayBeAListOrAGrid) {
  const RankSet All = RankSet::below(8);
  ByteWriter W;
  W.bytes(Bytes{8, 3});
  RankSet::below(2).write(W);
  W.bytes(Bytes{2, 20}); // the rank and ten
  RankSet::between(2, 4).write(W);
  ValueList({4, 4, 9}).write(W, RankSet::between(2, 4));
  Grid{Grid::Place, 1, 100, {{1, 0, 7}}}.write(W);
  ByteReader R(W.Data);
  const RankFn F = RankFn::read(R, All, 8);
  ASSERT_TRUE(R.ok() && R.atEnd());
  const int64_t Wanted[] = {10, 11, 4, 4, 9, 100, 107, 114};
  for (uint32_t Rank = 0; Rank < 8; ++Rank)
    EXPECT_EQ(F.eval(Rank, {Rank, 8}), Wanted[Rank]);
  EXPECT_EQ(written(F), W.Data);
}

TEST(RankFnBytes, TwelvePiecesAreTheMost) {
  for (uint32_t N : {1u, 2u, 12u, 13u}) {
    ByteWriter W;
    W.bytes(Bytes{8, static_cast<uint8_t>(N)});
    for (uint32_t I = 0; I < N; ++I) {
      if (I + 1 < N)
        RankSet(I).write(W);
      W.bytes(Bytes{1, static_cast<uint8_t>(2 * I)});
    }
    ByteReader R(W.Data);
    const RankFn F = RankFn::read(R, RankSet::below(20), 20);
    EXPECT_EQ(R.ok() && R.atEnd(), N == 2 || N == 12) << N;
    if (R.ok()) {
      EXPECT_EQ(F.eval(N - 2, {}), N - 2);
      EXPECT_EQ(F.eval(19, {}), N - 1);
    }
  }
}

TEST(RankFnBytes, WhatIsReadIsPaidForAndMayBeFollowed) {
  const RankSet All = RankSet::below(4);
  AffineReader Earlier;
  auto Read = [&](const Bytes &B, uint64_t Memory, AffineReader *From) {
    ByteReader R(B, Memory);
    RankFn::read(R, All, 4, From);
    return R.ok();
  };
  const Bytes OfGrid{13, 1, 2, 4}, Following{12, 0, 1, 0};
  EXPECT_FALSE(Read(OfGrid, sizeof(RankFn::Piece) + sizeof(Grid) - 1, nullptr));
  EXPECT_TRUE(Read(OfGrid, sizeof(RankFn::Piece) + sizeof(Grid), nullptr));
  EXPECT_FALSE(Read(Following, 1 << 20, &Earlier)) << "there is none";
  EXPECT_TRUE(Read(OfGrid, 1 << 20, &Earlier));
  EXPECT_TRUE(Read(Following, 1 << 20, &Earlier));
  EXPECT_FALSE(Read(Following, 1 << 20, nullptr)) << "it may not stand there";
  ByteReader R(OfGrid);
  RankFn::read(R, {}, 4);
  EXPECT_FALSE(R.ok()) << "a grid of no rank";
}

TEST(RankFnBytes, DamagedFunctionsAreRefused) {
  auto Reads = [](std::vector<uint8_t> B) {
    ByteReader R(B);
    RankFn::read(R, RankSet::below(4), 4);
    return R.ok() && R.atEnd();
  };
  EXPECT_TRUE(Reads({1, 10}));
  EXPECT_FALSE(Reads({0})) << "no explanation";
  EXPECT_FALSE(Reads({10}));
  EXPECT_FALSE(Reads({1})) << "cut";
  EXPECT_TRUE(Reads({8, 2, 1, 2, 0, 1, 10, 1, 12}));
  EXPECT_FALSE(Reads({8, 1, 1, 10})) << "one piece is none";
  EXPECT_FALSE(Reads({8, 13}));
  EXPECT_FALSE(Reads({8, 2, 1, 20, 0, 1, 10, 1, 12})) << "no such rank";
  EXPECT_TRUE(Reads({9, 2, 2, 6, 0}));
  EXPECT_TRUE(Reads({9, 2, 2, 6, 1, 1, 0}));
  EXPECT_FALSE(Reads({9, 2, 2, 4, 0})) << "a list of three for four";
  EXPECT_TRUE(Reads({11, 2, 2, 1, 1}));
  EXPECT_FALSE(Reads({11, 2, 2, 2, 1})) << "a step as long as the grid";
  EXPECT_FALSE(Reads({11, 0}));
  EXPECT_FALSE(Reads({11, 5, 2, 1, 2, 1, 2, 1, 2, 1, 1}));
  EXPECT_FALSE(Reads({11, 2, 0, 0, 1})) << "an empty grid";
  EXPECT_TRUE(Reads({14, 2, 2, 6, 0}));
  EXPECT_FALSE(Reads({14, 2, 2, 4, 0}));
  EXPECT_TRUE(Reads({13, 2, 2, 2, 8, 10}));
  EXPECT_FALSE(Reads({13, 0, 2}));
  EXPECT_FALSE(Reads({13, 5, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_FALSE(Reads({13, 2, 2, 0, 8, 10})) << "an empty extent";
  EXPECT_FALSE(Reads({12, 0, 1})) << "there is no earlier one";
  std::mt19937 Random(4);
  for (int Round = 0; Round < 20000; ++Round) {
    std::vector<uint8_t> B{static_cast<uint8_t>(Random() % 16)};
    for (uint32_t I = Random() % 20; I--;)
      B.push_back(static_cast<uint8_t>(Random() % (Round % 2 ? 256 : 12)));
    ByteReader R(B);
    RankFn F = RankFn::read(R, RankSet::below(4), 4);
    for (uint32_t I = 0; I < 4; ++I)
      F.eval(I, {I, 4});
  }
}
