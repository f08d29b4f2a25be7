// trace/sequences/ChunkCodec.h, RangeCoder.h: what is written is read, near the entropy; damage gives other numbers.
#include "trace/sequences/ChunkCodec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

using namespace pilgrim;

namespace {
using Items = std::vector<RepeatedTerminal>;
using Values = std::vector<int64_t>;

Items itemsOf(size_t N, const std::function<uint32_t(size_t)> &Next) {
  Items Out;
  for (size_t I = 0; I < N; ++I)
    if (const uint32_t T = Next(I); !Out.empty() && Out.back().Value == T)
      ++Out.back().Count;
    else
      Out.push_back({T, 1});
  return Out;
}

/// Bytes; the form is chosen anew, and kept for a second time.
size_t check(const Items &In) {
  ChunkForm Form;
  const auto Bytes = encodeItems(In, Form);
  const auto Again = encodeItems(In, Form);
  EXPECT_EQ(Bytes, Again);
  const auto Out = decodeItems(Bytes, 1u << 31);
  EXPECT_TRUE(Out && *Out == In);
  return Bytes.size();
}

size_t check(const Values &In) {
  ChunkForm Form;
  const auto Bytes = encodeValues(In, Form);
  const auto Out = decodeValues(Bytes);
  EXPECT_TRUE(Out && *Out == In);
  for (uint8_t F = 1; F <= 3; ++F) {
    ChunkForm Given{F, 2, 1};
    const auto Other = decodeValues(encodeValues(In, Given));
    EXPECT_TRUE(Other && *Other == In) << int(F);
  }
  return Bytes.size();
}

Values valuesOf(size_t N, const std::function<int64_t(size_t)> &Next) {
  Values Out;
  for (size_t I = 0; I < N; ++I)
    Out.push_back(Next(I));
  return Out;
}
} // namespace

TEST(ChunkCodec, ItemsNearTheEntropy) {
  std::mt19937_64 R(1);
  constexpr size_t N = 16384;
  EXPECT_LT(check(itemsOf(N, [&](size_t) { return R() % 50; })), 1.03 * N * std::log2(50) / 8);
  EXPECT_LT(check(itemsOf(N, [&](size_t) { return R() % 4; })), 1.03 * N * 2 / 8);
  EXPECT_LT(check(itemsOf(N, [&](size_t) { return R() % 2; })), 1.03 * N / 8);
  // Three of four follow from the one before, in one of two ways.
  uint32_t Last = 0;
  EXPECT_LT(check(itemsOf(N, [&](size_t) { return Last = (Last * 5 + 1 + R() % 2) % 200; })), 1.25 * N / 8);
  // A program that polls: each number of times costs what it says.
  unsigned Left = 0;
  EXPECT_LT(check(itemsOf(N * 100,
                          [&](size_t) {
                            if (Left)
                              return --Left, 0;
                            Left = R() % 1024;
                            return 1;
                          })),
            1.1 * N * 100 / 512 * 10 / 8);
}

TEST(ChunkCodec, ValuesNearTheEntropy) {
  std::mt19937_64 R(2);
  constexpr size_t N = 16384;
  EXPECT_LT(check(valuesOf(N, [&](size_t) { return 77 + 8 * int64_t(R() % 1000); })), 1.02 * N * std::log2(1000) / 8);
  EXPECT_LT(check(valuesOf(N, [&](size_t) { return int64_t(R() % (1 << 20)); })), 1.02 * N * 20 / 8);
  EXPECT_LT(check(valuesOf(N, [&](size_t) { return int64_t(R()); })), 1.01 * N * 8);
  int64_t Sum = -5;
  EXPECT_LT(check(valuesOf(N, [&](size_t) { return Sum += R() % 16; })), 1.04 * N * 4 / 8);
  const int64_t Few[] = {INT64_MIN, -1, 0, 1234567, INT64_MAX};
  EXPECT_LT(check(valuesOf(N, [&](size_t) { return Few[R() % 5]; })), 1.04 * N * std::log2(5) / 8);
  EXPECT_LT(check(valuesOf(N, [](size_t) { return 7; })), 20u);
}

/// The models are those of the last stretches, which nothing may depend on.
TEST(ChunkCodec, NothingIsLearntFromOtherStretches) {
  std::mt19937 R(5);
  const auto Some = itemsOf(300, [&](size_t) { return R() % 9; });
  std::vector<uint8_t> First;
  for (unsigned I = 0; I < 600; ++I) {
    ChunkForm Form{0, 2, 1};
    const auto Bytes = encodeItems(Some, Form);
    if (!I)
      First = Bytes;
    EXPECT_EQ(Bytes, First) << I;
    ChunkForm Other{0, 4, 1};
    encodeItems(itemsOf(200, [&](size_t) { return R() % 9; }), Other);
  }
}

/// The longer a form was the best one, the longer it is kept; another one begins anew.
TEST(ChunkCodec, FormsAreComparedLessAndLess) {
  std::mt19937 R(6);
  ChunkForm Form;
  std::vector<unsigned> Waits;
  for (unsigned I = 0; I < 300; ++I) {
    if (!Form.Wait)
      Waits.push_back(I);
    encodeItems(itemsOf(600, [&](size_t) { return R() % 9; }), Form);
  }
  EXPECT_EQ(Waits, (std::vector<unsigned>{0, 5, 14, 31, 64, 129, 194, 259}));
  while (Form.Wait)
    encodeItems(itemsOf(600, [&](size_t) { return R() % 9; }), Form);
  encodeItems(itemsOf(6000, [&](size_t I) { return uint32_t(I) % 70; }), Form);
  EXPECT_GT(Form.Order, 0);
  EXPECT_EQ(Form.Wait, 4);
}

TEST(ChunkCodec, Extremes) {
  check(Items{{0, 1}});
  check(Items{{0, (uint64_t(1) << 61) - 1}});
  check(Items{{0x7ffffffe, 1}, {0, 3}, {0x7ffffffe, uint64_t(1) << 60}});
  check(Values{0});
  check(Values{INT64_MIN});
  check(Values{INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX, 0, 1, INT64_MIN, INT64_MIN + 1});
  check(Values{INT64_MIN, 0, INT64_MIN, 0, INT64_MIN, 0, INT64_MIN, 0});
  check(Values{3, 9, 3, -3});
}

TEST(ChunkCodec, RandomShapes) {
  for (unsigned Seed = 0; Seed < 300; ++Seed) {
    std::mt19937_64 R(Seed);
    const unsigned Shift = R() % 64;
    const uint64_t Unit = R() % 5 ? 1 : R() >> (R() % 64);
    check(valuesOf(1 + R() % 300, [&](size_t) { return int64_t((R() >> Shift) * Unit); }));
    const uint32_t Terminals = 1 + (R() >> (R() % 32 + 32)) % 1000000;
    Items In;
    for (size_t N = 1 + R() % 300; N--;)
      In.push_back({uint32_t(R() % Terminals), 1 + (R() >> (R() % 62 + 2))});
    check(In);
  }
}

/// Any bytes are read in bounded time and memory, and what is said stays within its limits.
TEST(ChunkCodec, Damage) {
  std::mt19937_64 R(3);
  for (unsigned Round = 0; Round < 300; ++Round) {
    ChunkForm Form, Other;
    auto A = encodeItems(itemsOf(500, [&](size_t) { return R() % 50; }), Form);
    auto B = encodeValues(valuesOf(500, [&](size_t) { return int64_t(R() % (Round % 2 ? 40 : 100000)); }), Other);
    for (auto *Bytes : {&A, &B}) {
      for (unsigned I = R() % 4; I--;)
        (*Bytes)[R() % Bytes->size()] = static_cast<uint8_t>(R());
      Bytes->resize(R() % 3 ? Bytes->size() : R() % Bytes->size());
    }
    if (const auto Out = decodeItems(A, 60)) {
      EXPECT_LE(Out->size(), MaxChunkElements);
      for (const RepeatedTerminal &E : *Out) {
        ASSERT_LT(E.Value, 60u);
        ASSERT_GE(E.Count, 1u);
      }
    }
    if (const auto Out = decodeValues(B)) {
      EXPECT_LE(Out->size(), MaxChunkElements);
    }
  }
}
