// Histograms as models: rounded, shared by contexts, added, written, read, damaged.
#include "trace/times/TimeModel.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace pilgrim;

using Counted = std::map<TimeKey, uint64_t>;

static std::vector<TimeCount> listOf(const Counted &C) {
  std::vector<TimeCount> Out;
  for (const auto &[Key, Count] : C)
    Out.push_back({Key, Count});
  return Out;
}

/// Times of a context that lie around Middle.
static void addBell(Counted &To, TimeKind Kind, uint32_t Context, uint32_t Middle, uint64_t Times,
                    std::mt19937_64 &Random, unsigned Class = 0) {
  std::binomial_distribution<uint32_t> Bell(20);
  for (uint64_t I = 0; I < Times; ++I)
    ++To[TimeKey(Kind, Context, Class, Middle + Bell(Random))];
}

static Counted randomCounts(std::mt19937_64 &Random, unsigned Contexts) {
  Counted C;
  for (unsigned I = 0; I < Contexts; ++I) {
    const auto Kind = static_cast<TimeKind>(Random() % 2);
    const uint32_t Sign = Kind == TimeKind::Gap && Random() % 8 == 0 ? TimeKey::Negative : 0;
    addBell(C, Kind, static_cast<uint32_t>(Random() % 1000), Sign + Random() % 180, Random() % 2000, Random,
            Random() % 16);
  }
  return C;
}

/// Shares of a row are a partition, and are found again.
static void checkRow(const TimeModel &M, const TimeModel::Row &R) {
  uint32_t Share = 0;
  while (Share < R.Escape) {
    const TimeModel::Found F = M.find(R, Share);
    ASSERT_EQ(F.Shares.Start, Share);
    ASSERT_GE(F.Shares.Size, 1u);
    const auto S = M.shares(R, F.Symbol);
    ASSERT_TRUE(S && S->Start == Share && S->Size == F.Shares.Size);
    ASSERT_EQ(M.find(R, Share + F.Shares.Size - 1).Symbol, F.Symbol);
    Share += F.Shares.Size;
  }
  ASSERT_EQ(Share, R.Escape);
  ASSERT_LT(R.Escape, TimeShares::All); // there is always a way out
  ASSERT_EQ(M.find(R, R.Escape).Symbol, TimeModel::Escaped);
  ASSERT_EQ(M.find(R, TimeShares::All - 1).Symbol, TimeModel::Escaped);
}

static double bits(const TimeModel &M, const Counted &C) {
  double Sum = 0;
  for (const auto &[Key, Count] : C)
    Sum += static_cast<double>(Count) * static_cast<double>(M.path(Key, 0).bits());
  return Sum;
}

static std::vector<uint8_t> written(const TimeModel &M) {
  ByteWriter W;
  M.write(W);
  return W.Data;
}

TEST(TimeModel, IsReadAsItWasWritten) {
  std::mt19937_64 Random(1);
  const TimeBounds Bounds;
  for (int Round = 0; Round < 60; ++Round) {
    const Counted C = randomCounts(Random, Round);
    const TimeModel M(listOf(C), Bounds, 1 + Random() % 100);
    const auto Bytes = written(M);
    ByteReader R(Bytes);
    const TimeModel Read = TimeModel::read(R);
    ASSERT_TRUE(R.ok() && R.atEnd()) << R.reason();
    EXPECT_EQ(written(Read), Bytes);
    EXPECT_EQ(Read.unit(), M.unit());
    EXPECT_EQ(Read.counts(), M.counts());
    for (const auto &[Key, Count] : C) {
      const TimeModel::Path A = M.path(Key, 0), B = Read.path(Key, 0);
      ASSERT_EQ(A.Size, B.Size);
      for (unsigned I = 0; I < A.Size; ++I)
        ASSERT_TRUE(A.Steps[I].Start == B.Steps[I].Start && A.Steps[I].Size == B.Steps[I].Size);
      const TimeModel::Row *Row = M.row(Key.kind(), Key.context(), Key.group() % 16);
      if (Row)
        checkRow(M, *Row);
      checkRow(M, M.fallback(Key.kind(), 0));
      if (HasFatalFailure())
        return;
    }
  }
}

TEST(TimeModel, SaysWhatIsFrequentInFewBits) {
  std::mt19937_64 Random(2);
  Counted C;
  for (uint32_t I = 0; I < 10; ++I)
    addBell(C, TimeKind::Duration, I, 20 * I, 10'000, Random);
  double Entropy = 0;
  for (const auto &[Key, Count] : C)
    Entropy += static_cast<double>(Count) * std::log2(10'000. / static_cast<double>(Count));
  const TimeModel M(listOf(C), TimeBounds(), 1);
  EXPECT_LT(bits(M, C), Entropy * 1.01);
  // Each count, with its symbol, in less than a byte.
  EXPECT_LT(written(M).size(), C.size());
}

TEST(TimeModel, ContextsAlikeShareAHistogram) {
  std::mt19937_64 Random(3);
  Counted Alike, Different, Rare;
  for (uint32_t I = 0; I < 20; ++I) {
    addBell(Alike, TimeKind::Gap, I, 50, 200, Random);
    addBell(Different, TimeKind::Gap, I, 50 + 40 * I, 2000, Random);
    addBell(Rare, TimeKind::Gap, I, 50 + 5 * I, 3, Random);
  }
  auto Rows = [](const Counted &C) {
    const TimeModel M(listOf(C), TimeBounds(), 1);
    std::vector<const TimeModel::Row *> Out;
    for (uint32_t I = 0; I < 20; ++I)
      Out.push_back(M.row(TimeKind::Gap, I, 0));
    std::sort(Out.begin(), Out.end());
    Out.erase(std::unique(Out.begin(), Out.end()), Out.end());
    return Out.size();
  };
  EXPECT_EQ(Rows(Alike), 1u);
  EXPECT_EQ(Rows(Different), 20u);
  EXPECT_LT(Rows(Rare), 4u);
}

TEST(TimeModel, ContextsOfOtherBoundsShareNothing) {
  TimeBounds Bounds({100'000, 0}, {100'000, 0});
  const unsigned Other = Bounds.add({}, {});
  Bounds.assign(TimeKind::Duration, 1, Other);
  std::mt19937_64 Random(4);
  Counted C;
  addBell(C, TimeKind::Duration, 0, 50, 20, Random);
  addBell(C, TimeKind::Duration, 1, 50, 20, Random);
  const TimeModel M(listOf(C), Bounds, 1);
  EXPECT_NE(M.row(TimeKind::Duration, 0, 0), M.row(TimeKind::Duration, 1, 0));
  EXPECT_EQ(M.row(TimeKind::Duration, 1, 0)->Pair, Other);
  EXPECT_NE(&M.fallback(TimeKind::Duration, 0), &M.fallback(TimeKind::Duration, Other));
}

TEST(TimeModel, ClassesThatAreNotNamedBelongToTheNextLowerOne) {
  std::mt19937_64 Random(5);
  Counted C;
  addBell(C, TimeKind::Duration, 7, 20, 5000, Random, 3);
  addBell(C, TimeKind::Duration, 7, 90, 5000, Random, 8);
  const TimeModel M(listOf(C), TimeBounds(), 1);
  const TimeModel::Row *Low = M.row(TimeKind::Duration, 7, 3), *High = M.row(TimeKind::Duration, 7, 8);
  ASSERT_NE(Low, High);
  for (unsigned Class = 0; Class < 16; ++Class)
    EXPECT_EQ(M.row(TimeKind::Duration, 7, Class), Class < 8 ? Low : High) << Class;
  EXPECT_EQ(M.row(TimeKind::Duration, 6, 15), nullptr);
  EXPECT_EQ(M.row(TimeKind::Duration, 8, 0), nullptr);
  EXPECT_EQ(M.row(TimeKind::Gap, 7, 3), nullptr);
}

TEST(TimeModel, WhatItDoesNotHaveCanBeSaid) {
  std::mt19937_64 Random(6);
  Counted C;
  addBell(C, TimeKind::Duration, 1, 20, 5000, Random);
  addBell(C, TimeKind::Duration, 2, 90, 5000, Random);
  const TimeModel M(listOf(C), TimeBounds(), 1);
  EXPECT_EQ(M.path(TimeKey(TimeKind::Duration, 1, 0, 30), 0).Size, 1u);
  EXPECT_EQ(M.path(TimeKey(TimeKind::Duration, 1, 0, 100), 0).Size, 2u); // as in another context
  EXPECT_EQ(M.path(TimeKey(TimeKind::Duration, 1, 0, 500), 0).Size, 3u); // nowhere
  EXPECT_EQ(M.path(TimeKey(TimeKind::Duration, 3, 0, 100), 0).Size, 1u); // another context
  EXPECT_EQ(M.path(TimeKey(TimeKind::Gap, 1, 0, 8191), 0).Size, 2u);
  const TimeModel Empty;
  EXPECT_EQ(Empty.path(TimeKey(TimeKind::Gap, 1, 0, 8191), 0).Size, 2u);
  for (uint32_t S = 0; S < (1u << TimeKey::SymbolBits); ++S)
    ASSERT_EQ(TimeModel::unknownOf(TimeModel::unknown(S).Start + 1), S);
}

TEST(TimeModel, CountsAreAdded) {
  std::mt19937_64 Random(7);
  for (int Round = 0; Round < 100; ++Round) {
    Counted A = randomCounts(Random, Random() % 6);
    const Counted B = randomCounts(Random, Random() % 6);
    std::vector<TimeCount> Sum = listOf(A);
    addCounts(Sum, listOf(B));
    for (const auto &[Key, Count] : B)
      A[Key] += Count;
    ASSERT_EQ(Sum, listOf(A));
  }
}

TEST(TimeModel, ModelsAreAddedThroughTheirCounts) {
  std::mt19937_64 Random(8);
  Counted A, B, Both;
  for (uint32_t I = 0; I < 8; ++I) {
    addBell(A, TimeKind::Gap, I, 30 * I, 3000, Random);
    addBell(B, TimeKind::Gap, I, 30 * I, 3000, Random);
    addBell(B, TimeKind::Gap, I + 20, 30 * I + 9, 3000, Random);
  }
  Both = A;
  for (const auto &[Key, Count] : B)
    Both[Key] += Count;
  const TimeBounds Bounds;
  std::vector<TimeCount> Sum = TimeModel(listOf(A), Bounds, 1).counts();
  addCounts(Sum, TimeModel(listOf(B), Bounds, 1).counts());
  // About as good as the model of all times.
  const double Best = bits(TimeModel(listOf(Both), Bounds, 1), Both);
  EXPECT_LT(bits(TimeModel(Sum, Bounds, 1), Both), Best * 1.01);
}

TEST(TimeModel, LargeCountsAndManySymbols) {
  Counted C;
  for (uint32_t S = 0; S < 8192; ++S)
    C[TimeKey(TimeKind::Gap, 0, 0, S)] = S % 97 == 0 ? UINT64_MAX / 20'000 : 1;
  // More than a model has.
  for (uint32_t I = 1; I < 40; ++I)
    for (uint32_t S = 0; S < 4096; ++S)
      C[TimeKey(TimeKind::Gap, I, 0, S)] = 1 + (S < 10) * 5000;
  const TimeModel M(listOf(C), TimeBounds(), 1);
  EXPECT_LE(M.numEntries(), TimeModel::MaxModelEntries + 8192);
  const auto Bytes = written(M);
  ByteReader R(Bytes);
  const TimeModel Read = TimeModel::read(R);
  ASSERT_TRUE(R.ok());
  EXPECT_EQ(written(Read), Bytes);
  checkRow(Read, *Read.row(TimeKind::Gap, 0, 0));
}

TEST(TimeModel, DamageNeverCostsMoreThanAllowed) {
  std::mt19937_64 Random(9);
  const auto Bytes = written(TimeModel(listOf(randomCounts(Random, 12)), TimeBounds(), 26));
  auto Try = [](std::span<const uint8_t> B) {
    constexpr uint64_t Memory = uint64_t(1) << 24;
    ByteReader R(B, Memory);
    const TimeModel M = TimeModel::read(R);
    EXPECT_LE(M.memory(), 3 * Memory);
    if (R.ok()) {
      checkRow(M, M.fallback(TimeKind::Gap, 0));
      written(M);
    } else {
      EXPECT_EQ(M.numEntries(), 0u);
    }
    return R.ok();
  };
  for (size_t N = 0; N < Bytes.size(); ++N)
    EXPECT_FALSE(Try(std::span(Bytes).first(N)));
  for (size_t I = 0; I < Bytes.size(); ++I)
    for (int Round = 0; Round < 8; ++Round) {
      auto Damaged = Bytes;
      Damaged[I] ^= static_cast<uint8_t>(1u << Round);
      Try(Damaged);
    }
  for (int Round = 0; Round < 3000; ++Round) {
    std::vector<uint8_t> Any(Random() % 60);
    for (uint8_t &B : Any)
      B = static_cast<uint8_t>(Random() % 3 ? Random() : Random() % 2 * 255);
    if (!Any.empty())
      Any[0] = static_cast<uint8_t>(Any.size() - 1);
    Try(Any);
  }
}
