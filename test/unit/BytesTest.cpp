// Primitive values of the format: what is written is read back, and nothing is
// read that is not there.
#include "trace/base/Bytes.h"

#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;

static const uint64_t Edges[] = {
    0, 1, 127, 128, 16383, 16384, UINT32_MAX, 1ull << 32, (1ull << 63) - 1, 1ull << 63, UINT64_MAX};

TEST(Bytes, ValuesComeBack) {
  std::mt19937_64 Random(1);
  std::vector<uint64_t> Values(std::begin(Edges), std::end(Edges));
  for (int I = 0; I < 2000; ++I)
    Values.push_back(Random() >> (Random() % 64));
  ByteWriter W;
  for (uint64_t V : Values) {
    W.varint(V);
    W.svarint(static_cast<int64_t>(V));
    W.u32(static_cast<uint32_t>(V));
    W.u64(V);
    W.byte(static_cast<uint8_t>(V));
    W.string(std::string(V % 5, 'x'));
  }
  ByteReader R(W.Data);
  for (uint64_t V : Values) {
    EXPECT_EQ(R.varint(), V);
    EXPECT_EQ(R.svarint(), static_cast<int64_t>(V));
    EXPECT_EQ(R.u32(), static_cast<uint32_t>(V));
    EXPECT_EQ(R.u64(), V);
    EXPECT_EQ(R.byte(), static_cast<uint8_t>(V));
    EXPECT_EQ(R.string(), std::string(V % 5, 'x'));
  }
  EXPECT_TRUE(R.ok() && R.atEnd());
}

TEST(Bytes, SmallMagnitudesAreShort) {
  for (int64_t V = -64; V < 64; ++V) {
    ByteWriter W;
    W.svarint(V);
    EXPECT_EQ(W.Data.size(), 1u) << V;
    EXPECT_EQ(unzigzag(zigzag(V)), V);
  }
  EXPECT_EQ(unzigzag(zigzag(INT64_MIN)), INT64_MIN);
  EXPECT_EQ(unzigzag(zigzag(INT64_MAX)), INT64_MAX);
}

TEST(Bytes, CutValuesFailAndStayFailed) {
  ByteWriter W;
  W.varint(UINT64_MAX);
  W.u32(7);
  for (size_t N = 0; N < W.Data.size(); ++N) {
    ByteReader R(std::span(W.Data).first(N));
    R.varint();
    R.u32();
    EXPECT_FALSE(R.ok()) << N;
    EXPECT_EQ(R.byte(), 0);
    EXPECT_EQ(R.string(), "");
    EXPECT_EQ(R.remaining(), 0u);
    EXPECT_LE(R.offset(), N);
  }
}

TEST(Bytes, OverlongVarintsFail) {
  std::vector<uint8_t> Ten(10, 0xff);
  Ten[9] = 0x02; // bit 64
  ByteReader R(Ten);
  EXPECT_EQ(R.varint(), 0u);
  EXPECT_FALSE(R.ok());
  std::vector<uint8_t> Eleven(11, 0x80);
  Eleven[10] = 0;
  ByteReader S(Eleven);
  S.varint();
  EXPECT_FALSE(S.ok());
}

TEST(Bytes, LengthsBeyondTheEndFail) {
  ByteWriter W;
  W.varint(UINT64_MAX);
  W.byte('a');
  ByteReader R(W.Data);
  EXPECT_TRUE(R.blob().empty());
  EXPECT_FALSE(R.ok());
  ByteReader C(W.Data);
  EXPECT_EQ(C.count(), 0u);
  EXPECT_FALSE(C.ok());
  ByteWriter Five;
  Five.varint(5);
  Five.u64(0);
  ByteReader Fits(Five.Data);
  EXPECT_EQ(Fits.count(), 5u);
  ByteReader Wide(Five.Data);
  EXPECT_EQ(Wide.count(2), 0u);
  EXPECT_FALSE(Wide.ok());
}

TEST(Bytes, SpendingMoreThanThereIsFails) {
  std::vector<uint8_t> None;
  ByteReader R(None, 100);
  R.spend(60);
  EXPECT_TRUE(R.ok());
  EXPECT_EQ(R.memoryLeft(), 40u);
  R.spend(41);
  EXPECT_FALSE(R.ok());
}

TEST(Bytes, AFailureSaysWhereItWas) {
  std::vector<uint8_t> Data{1, 2, 0xff};
  ByteReader R(Data);
  R.byte();
  R.varintMax(1);
  EXPECT_FALSE(R.ok());
  EXPECT_EQ(R.offset(), 2u);
  R.fail();
  EXPECT_EQ(R.offset(), 2u);
}

TEST(Bytes, AFailureSaysWhy) {
  std::vector<uint8_t> Data{1, 2, 200};
  ByteReader Early(Data);
  Early.bytes(4);
  EXPECT_STREQ(Early.reason(), "it ends early");
  EXPECT_FALSE(Early.isTooLarge());
  ByteReader Max(Data);
  Max.varintMax(0, "one is too much");
  Max.fail("something later");
  EXPECT_STREQ(Max.reason(), "one is too much");
  ByteReader Varint(Data);
  Varint.bytes(2);
  Varint.varint();
  EXPECT_STREQ(Varint.reason(), "it ends early");
  ByteReader Plain(Data);
  Plain.fail();
  EXPECT_STREQ(Plain.reason(), "a value is out of range");
}

TEST(Bytes, WhatIsTooLargeIsNotDamage) {
  std::vector<uint8_t> None;
  ByteReader R(None, 100, 1000);
  R.spend(100);
  EXPECT_FALSE(R.isTooLarge());
  R.spend(1);
  EXPECT_TRUE(R.isTooLarge());
  EXPECT_EQ(R.limit(), 1000u);
  // The first failure counts.
  ByteReader Damaged(None, 0);
  Damaged.fail();
  Damaged.spend(1);
  EXPECT_FALSE(Damaged.ok() || Damaged.isTooLarge());
  ByteReader Nothing(None, 0);
  Nothing.spend(1);
  EXPECT_TRUE(Nothing.isTooLarge());
}
