// Times as symbols: each integer time is decoded within its bound, at every border.
#include "test/unit/TimedCalls.h"

#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;
using namespace pilgrim::test;

static const uint32_t Relative[] = {1,      100,    999,     1000,    5000,    6000,   10'000,
                                    50'000, 99'999, 100'000, 123'457, 250'000, 500'000};
static const uint64_t Absolute[] = {1, 2, 3, 26, 1000, 999'999'937, TimeBound::MaxAbsolute};

static uint64_t decoded(const TimeBins &B, uint64_t Time) {
  const uint32_t S = B.symbol(Time);
  EXPECT_LT(S, B.numSymbols());
  const uint64_t Raw = B.raw(Time, S);
  EXPECT_EQ(B.rawBits(S) < 64 ? Raw >> B.rawBits(S) : 0, 0u);
  return B.time(S, Raw);
}

static void check(const TimeBins &B, uint64_t Time) {
  ASSERT_TRUE(isWithin(B.bound(), Time, decoded(B, Time)))
      << Time << " as " << decoded(B, Time) << " by " << B.bound().Relative << ", " << B.bound().Absolute;
}

/// Those next to Time, too.
static void checkAround(const TimeBins &B, uint64_t Time) {
  for (uint64_t T : {Time - 1, Time, Time + 1})
    check(B, T);
}

/// The first time of each symbol, found by search.
static std::vector<uint64_t> borders(const TimeBins &B) {
  std::vector<uint64_t> Out;
  for (uint32_t S = 1; S < B.numSymbols(); ++S) {
    uint64_t Low = Out.empty() ? 0 : Out.back(), High = UINT64_MAX;
    if (B.symbol(High) < S)
      break;
    while (Low < High) {
      const uint64_t Middle = Low + (High - Low) / 2;
      if (B.symbol(Middle) < S)
        Low = Middle + 1;
      else
        High = Middle;
    }
    Out.push_back(Low);
  }
  return Out;
}

TEST(TimeBins, RelativeBoundsHoldAtEveryBorder) {
  for (uint32_t E : Relative) {
    const TimeBins B({E, 0});
    check(B, 0);
    check(B, UINT64_MAX);
    uint32_t Symbol = 0;
    for (uint64_t Border : borders(B)) {
      ASSERT_EQ(B.symbol(Border), Symbol + 1); // none is left out, and they ascend
      ASSERT_EQ(B.symbol(Border - 1), Symbol);
      ++Symbol;
      checkAround(B, Border);
      if (HasFatalFailure())
        return;
    }
    for (unsigned Bit = 1; Bit < 64; ++Bit)
      checkAround(B, uint64_t(1) << Bit);
    for (uint64_t T = 0; T < 100'000; ++T)
      check(B, T);
    std::mt19937_64 Random(E);
    for (int I = 0; I < 100'000; ++I)
      check(B, Random() >> (Random() % 64));
  }
}

TEST(TimeBins, BinsAreAboutAsWideAsTheBoundAllows) {
  const TimeBins B({100'000, 0});
  // 2^64 is 233 times the square of 1.1; small integers have a bin each.
  EXPECT_LT(B.numSymbols(), 233u);
  // A bin's time is about the mean of its times.
  std::mt19937_64 Random(1);
  double True = 0, Decoded = 0;
  for (int I = 0; I < 1'000'000; ++I) {
    const uint64_t T = 100 + Random() % 900;
    True += static_cast<double>(T);
    Decoded += static_cast<double>(decoded(B, T));
  }
  EXPECT_NEAR(Decoded / True, 1, 0.01);
}

TEST(TimeBins, SmallIntegersAreExact) {
  const TimeBins B({100'000, 0});
  for (uint64_t T = 0; T <= 8; ++T)
    EXPECT_EQ(decoded(B, T), T);
}

TEST(TimeBins, AbsoluteBoundsHoldAtEveryBorder) {
  for (uint64_t A : Absolute) {
    const TimeBins B({0, A});
    for (uint64_t N = 0; N < 50'000; ++N)
      for (uint64_t T : {N, N * (2 * A + 1), N * (2 * A + 1) + A, N * (2 * A + 1) + A + 1})
        check(B, T);
    std::mt19937_64 Random(A);
    for (int I = 0; I < 100'000; ++I)
      check(B, Random() >> (1 + Random() % 63));
    check(B, uint64_t(1) << 63);
  }
}

TEST(TimeBins, ExactTimesAreExact) {
  const TimeBins B;
  for (unsigned Bit = 0; Bit < 64; ++Bit)
    for (int64_t More : {-2, -1, 0, 1, 2}) {
      const uint64_t T = (uint64_t(1) << Bit) + static_cast<uint64_t>(More);
      EXPECT_EQ(decoded(B, T), T);
    }
  for (uint64_t T = 0; T < 100'000; ++T)
    ASSERT_EQ(decoded(B, T), T);
  std::mt19937_64 Random(5);
  for (int I = 0; I < 100'000; ++I) {
    const uint64_t T = Random() >> (Random() % 64);
    ASSERT_EQ(decoded(B, T), T);
  }
  EXPECT_EQ(decoded(B, UINT64_MAX), UINT64_MAX);
}

TEST(TimeBins, WideBinsAreSaidMoreExactly) {
  std::mt19937_64 Random(6);
  for (uint32_t E : {10'000u, 100'000u, 500'000u}) {
    const TimeBins B({E, 0});
    for (uint64_t Width : {uint64_t(1), uint64_t(7), uint64_t(1000), uint64_t(1) << 30, uint64_t(1) << 62}) {
      const uint32_t First = B.firstWider(Width);
      for (int I = 0; I < 20'000; ++I) {
        const uint64_t T = Random() >> (Random() % 64);
        const uint32_t S = B.symbol(T);
        if (S < First)
          continue;
        const unsigned Bits = B.fineBits(S, Width);
        const uint64_t Fine = B.fine(T, S, Bits), Decoded = B.fineTime(S, Bits, Fine);
        ASSERT_LT(Bits, 64u);
        ASSERT_EQ(Fine >> Bits, 0u);
        ASSERT_LE(T < Decoded ? Decoded - T : T - Decoded, Width / 2 + 1);
        ASSERT_TRUE(isWithin(B.bound(), T, Decoded)) << T << " as " << Decoded;
      }
    }
  }
  EXPECT_EQ(TimeBins().firstWider(1), TimeBins().numSymbols());
}
