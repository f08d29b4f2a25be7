// Integer streams against the plain sequence that was appended.
#include "trace/sequences/IntStream.h"
#include "test/unit/Ranks.h"
#include "test/unit/Sequences.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

static void check(const Numbers &S) {
  IntStreamData D = streamOf(S);
  ASSERT_EQ(expand(D), S);
  EXPECT_EQ(D.length(), S.size());
  auto B = written(D);
  ByteReader R(B);
  IntStreamData Read = IntStreamData::read(R);
  ASSERT_TRUE(R.ok() && R.atEnd());
  EXPECT_TRUE(Read == D);
  ByteWriter W; // what ranks send to each other: the same, maybe in more bytes
  W.IsInTransit = true;
  D.write(W);
  ByteReader Sent(W.Data);
  EXPECT_TRUE(IntStreamData::read(Sent) == D && Sent.ok() && Sent.atEnd());
  EXPECT_GE(W.Data.size(), B.size());
}

TEST(IntStream, Extremes) {
  int64_t Low = INT64_MIN, High = INT64_MAX;
  check({});
  check({Low});
  check({High});
  check({Low, High});
  check({Low, High, Low, High, Low});
  check({High, Low, Low, Low, High, High});
  check({Low, 0, High});
  check({-1, High, Low, -1, 0});
  // A stride that wraps round.
  Numbers S;
  uint64_t V = 5;
  for (int I = 0; I < 100; ++I, V += 0x9000000000000000ull)
    S.push_back(static_cast<int64_t>(V));
  check(S);
}

TEST(IntStream, EveryShortSequence) {
  const int64_t Values[] = {0, 1, 2, INT64_MIN, INT64_MAX};
  for (unsigned Length = 0; Length <= 6; ++Length) {
    unsigned All = 1;
    for (unsigned I = 0; I < Length; ++I)
      All *= 5;
    for (unsigned Code = 0; Code < All; ++Code) {
      Numbers S;
      unsigned C = Code;
      for (unsigned I = 0; I < Length; ++I, C /= 5)
        S.push_back(Values[C % 5]);
      check(S);
      if (HasFatalFailure())
        return;
    }
  }
}

TEST(IntStream, RandomMixtures) {
  std::mt19937_64 Random(3);
  for (int Round = 0; Round < 400; ++Round) {
    Numbers S;
    while (S.size() < 1500) {
      int64_t V = static_cast<int64_t>(Random() >> (Random() % 64));
      size_t N = 1 + Random() % 60;
      switch (Random() % 5) {
      case 0: // constant
        S.insert(S.end(), N, V);
        break;
      case 1: // counter
        for (size_t I = 0; I < N; ++I)
          S.push_back(static_cast<int64_t>(static_cast<uint64_t>(V) + I * 8));
        break;
      case 2: // noise
        for (size_t I = 0; I < N; ++I)
          S.push_back(static_cast<int64_t>(Random() >> (Random() % 64)));
        break;
      case 3: // periodic
        for (size_t I = 0; I < N; ++I)
          S.push_back(V + int64_t(I % 3) * 10);
        break;
      default:
        if (Random() % 20 == 0)
          Round += 1;
        S.push_back(static_cast<int64_t>(Random() % 3));
      }
    }
    check(S);
    if (HasFatalFailure())
      return;
  }
}

TEST(IntStream, LookingDoesNotChangeWhatComes) {
  std::mt19937_64 Random(4);
  for (int Round = 0; Round < 100; ++Round) {
    IntStream Watched, Plain;
    Numbers S;
    for (int I = 0; I < 300; ++I) {
      S.push_back(Random() % 4 ? I * 3 : static_cast<int64_t>(Random() % 5));
      Watched.append(S.back());
      Plain.append(S.back());
      if (Random() % 10 == 0) {
        ASSERT_EQ(expand(Watched.data()), S);
      }
    }
    EXPECT_TRUE(Watched.data() == Plain.data());
  }
}

TEST(IntStream, RegularSequencesTakeConstantSpace) {
  auto Size = [](auto &&Fn, int64_t N) {
    IntStream S;
    for (int64_t I = 0; I < N; ++I)
      S.append(Fn(I));
    return written(S.data()).size();
  };
  auto Constant = [](int64_t) { return int64_t(99); };
  auto Counter = [](int64_t I) { return I * 4096; };
  auto Sweep = [](int64_t I) { return I % 100 * 8; };
  for (int64_t N : {1000, 100000}) {
    EXPECT_LE(Size(Constant, N), 10u);
    EXPECT_LE(Size(Counter, N), 12u);
    EXPECT_LE(Size(Sweep, N), 20u);
  }
}

TEST(IntStream, DamagedStreamsAreRefused) {
  auto Reads = [](const IntStreamData &D) {
    auto B = written(D);
    ByteReader R(B);
    IntStreamData::read(R);
    return R.ok();
  };
  GrammarData One;
  One.Rules = {{{0, false, 1}}};
  GrammarData Many;
  Many.Rules = {{{0, false, 1ull << 40}}};
  EXPECT_TRUE(Reads({{{5, 1, 3}}, One}));
  EXPECT_FALSE(Reads({{}, One})) << "a run that is not there";
  EXPECT_FALSE(Reads({{{5, 1, (1ull << 48) + 1}}, One})) << "a run too long";
  EXPECT_FALSE(Reads({{{5, 1, 1ull << 40}}, Many})) << "too long together";
  std::mt19937 Random(5);
  for (int Round = 0; Round < 20000; ++Round) {
    std::vector<uint8_t> B;
    for (uint32_t I = Random() % 24; I--;)
      B.push_back(static_cast<uint8_t>(Random() % (Round % 2 ? 256 : 12)));
    ByteReader R(B);
    IntStreamData D = IntStreamData::read(R);
    IntStreamData::Cursor C(D);
    int64_t V;
    for (int I = 0; I < 100 && C.next(V); ++I)
      ;
  }
}
