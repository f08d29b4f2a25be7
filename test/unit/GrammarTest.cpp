// The grammar against the plain sequence that was appended.
#include "test/unit/Sequences.h"

#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;
using namespace pilgrim::test;

static std::vector<uint8_t> bytes(const GrammarData &D) {
  ByteWriter W;
  D.write(W);
  return W.Data;
}

/// Everything that can be asked of a grammar, against counting.
static void expectGenerates(const GrammarData &D, const TerminalList &S) {
  ASSERT_EQ(expand(D), S);
  EXPECT_EQ(D.length(), S.size());
  std::vector<uint64_t> Counts;
  for (uint32_t T : S) {
    if (T >= Counts.size())
      Counts.resize(T + 1, 0);
    ++Counts[T];
  }
  EXPECT_EQ(D.terminals(), Counts.size());
  EXPECT_EQ(D.terminalCounts(), Counts);
  for (size_t R = 0; R < D.Rules.size(); ++R)
    for (const GrammarSymbol &Y : D.Rules[R])
      EXPECT_TRUE(Y.Count >= 1 && (!Y.IsRule || Y.Value > R));
  auto B = bytes(D);
  ByteReader In(B);
  GrammarData Read = GrammarData::read(In);
  ASSERT_TRUE(In.ok() && In.atEnd());
  EXPECT_TRUE(Read == D);
}

static void check(const TerminalList &S) { expectGenerates(build(S), S); }

TEST(Grammar, EmptySequence) {
  Grammar G;
  EXPECT_TRUE(G.empty());
  expectGenerates(G.data(), {});
}

TEST(Grammar, EveryShortSequence) {
  for (uint32_t Base : {2u, 3u})
    for (uint32_t Length = 0; Length <= (Base == 2 ? 14u : 9u); ++Length) {
      uint64_t All = 1;
      for (uint32_t I = 0; I < Length; ++I)
        All *= Base;
      for (uint64_t Code = 0; Code < All; ++Code) {
        TerminalList S;
        uint64_t C = Code;
        for (uint32_t I = 0; I < Length; ++I, C /= Base)
          S.push_back(static_cast<uint32_t>(C % Base));
        check(S);
        if (HasFatalFailure())
          return;
      }
    }
}

TEST(Grammar, RandomSequences) {
  std::mt19937 Random(7);
  for (int Round = 0; Round < 400; ++Round) {
    uint32_t Alphabet = 1 + Random() % (Round % 3 ? 4 : 300);
    TerminalList S;
    for (uint32_t I = Random() % 3000; I--;)
      S.push_back(Random() % Alphabet);
    check(S);
    if (HasFatalFailure())
      return;
  }
}

TEST(Grammar, PeriodicSequencesCutAnywhere) {
  std::mt19937 Random(8);
  for (int Round = 0; Round < 300; ++Round) {
    TerminalList Period, S;
    for (uint32_t I = 1 + Random() % 40; I--;)
      Period.push_back(Random() % 5);
    for (uint32_t I = 0, N = Random() % 2000; I < N; ++I)
      S.push_back(Period[I % Period.size()]);
    for (uint32_t I = Random() % 4; I--;)
      S.push_back(Random() % 5); // a disturbance, and on it goes
    for (uint32_t I = 0, N = Random() % 1000; I < N; ++I)
      S.push_back(Period[I % Period.size()]);
    check(S);
    if (HasFatalFailure())
      return;
  }
}

/// A random nest of loops whose trip counts vary from visit to visit.
static void nest(std::mt19937 &Random, unsigned Level, uint32_t &Next, TerminalList &S) {
  std::mt19937 Shape = Random; // the same body each time
  uint32_t Trips = 1 + Random() % 6;
  for (uint32_t I = 0; I < Trips && S.size() < 20000; ++I) {
    std::mt19937 Body = Shape;
    for (uint32_t N = 1 + Body() % 4; N--;)
      if (Level && Body() % 2)
        nest(Random, Level - 1, Next, S);
      else
        S.push_back(Body() % 12);
  }
}

TEST(Grammar, NestedLoopsWithVaryingTripCounts) {
  for (unsigned Seed = 0; Seed < 300; ++Seed) {
    std::mt19937 Random(Seed);
    TerminalList S;
    uint32_t Next = 0;
    nest(Random, 4, Next, S);
    check(S);
    if (HasFatalFailure())
      return;
  }
}

TEST(Grammar, LongPeriods) {
  // Around the longest period that is predicted.
  for (uint32_t Period : {100u, 9000u, 16383u, 16384u, 16385u}) {
    TerminalList S;
    for (uint32_t I = 0; I < Period * 5 + 17; ++I)
      S.push_back(I % Period);
    check(S);
  }
}

TEST(Grammar, DataInTheMiddleDoesNotChangeTheSequence) {
  std::mt19937 Random(9);
  for (int Round = 0; Round < 200; ++Round) {
    Grammar G;
    TerminalList S, Period;
    for (uint32_t I = 1 + Random() % 12; I--;)
      Period.push_back(Random() % 4);
    for (uint32_t I = 0; I < 600; ++I) {
      S.push_back(Random() % 50 ? Period[I % Period.size()] : Random() % 4);
      G.append(S.back());
      if (Random() % 60 == 0)
        expectGenerates(G.data(), S);
    }
    expectGenerates(G.data(), S);
    expectGenerates(G.data(), S);
    if (HasFatalFailure())
      return;
  }
}

TEST(Grammar, PredictionIsWhatComesNextOfAPeriod) {
  Grammar G;
  TerminalList S;
  for (uint32_t I = 0; I < 4000; ++I) {
    uint32_t V = I % 7;
    S.push_back(V);
    if (I > 100) {
      ASSERT_TRUE(G.predicts());
      ASSERT_EQ(G.predicted(), V);
      for (unsigned Later : {1u, 2u, 9u})
        ASSERT_EQ(G.predicted(Later), (V + Later) % 7);
      G.advance();
    } else {
      G.append(V);
    }
  }
  expectGenerates(G.data(), S);
}

TEST(Grammar, ACopyLivesByItself) {
  Grammar G;
  for (uint32_t I = 0; I < 100; ++I)
    G.append(I % 3);
  Grammar Copy = G;
  for (uint32_t I = 0; I < 500; ++I)
    G.append(I % 11 + 5); // grows and predicts something else
  for (uint32_t I = 100; I < 200; ++I)
    Copy.append(I % 3);
  TerminalList S;
  for (uint32_t I = 0; I < 200; ++I)
    S.push_back(I % 3);
  expectGenerates(Copy.data(), S);
}

TEST(Grammar, EqualSequencesGiveEqualGrammars) {
  std::mt19937 Random(10);
  for (int Round = 0; Round < 50; ++Round) {
    TerminalList S;
    for (uint32_t I = Random() % 2000; I--;)
      S.push_back(Random() % 3);
    EXPECT_TRUE(build(S) == build(S));
    EXPECT_EQ(bytes(build(S)), bytes(build(S)));
  }
}

/// for N { a; for 10 { b; c; for 3 d }; e }, then f
static TerminalList loops(uint32_t N) {
  TerminalList S;
  for (uint32_t I = 0; I < N; ++I) {
    S.push_back(0);
    for (uint32_t J = 0; J < 10; ++J) {
      S.insert(S.end(), {1, 2});
      S.insert(S.end(), 3, 3);
    }
    S.push_back(4);
  }
  S.push_back(5);
  return S;
}

TEST(Grammar, SizeOfARegularLoopDoesNotGrowWithIterations) {
  // But for the digits of the count.
  size_t At100 = bytes(build(loops(100))).size();
  EXPECT_EQ(bytes(build(loops(120))).size(), At100);
  EXPECT_LE(bytes(build(loops(16000))).size(), At100 + 1);
  EXPECT_EQ(build(loops(100)).Rules.size(), build(loops(16000)).Rules.size());
}

TEST(Grammar, FewValuesAreNoLongerWithRulesThanWithout) {
  for (unsigned Seed = 0; Seed < 1000; ++Seed) {
    std::mt19937 Random(Seed);
    TerminalList S(Random() % 40);
    unsigned Values = 1 + Random() % 8;
    for (uint32_t &V : S)
      V = Random() % Values;
    GrammarData Plain, Built = build(S);
    for (uint32_t V : S) {
      auto &Body = Plain.Rules[0];
      if (!Body.empty() && Body.back().Value == V)
        ++Body.back().Count;
      else
        Body.push_back({V, false, 1});
    }
    expectGenerates(Built, S);
    EXPECT_LE(bytes(Built).size(), bytes(Plain).size());
  }
}

TEST(Grammar, MemoryOfARegularLoopDoesNotGrowWithIterations) {
  Grammar G;
  size_t After = 0;
  for (uint32_t I = 0; I < 1000000; ++I) {
    G.append(I % 50);
    if (I == 10000)
      After = G.memory();
  }
  EXPECT_EQ(G.memory(), After);
  EXPECT_EQ(G.data().length(), 1000000u);
}

TEST(Grammar, CountsNeedNoExpansion) {
  GrammarData D;
  D.Rules = {{{1, true, 1u << 30}, {7, false, 2}}, {{2, true, 1u << 30}, {0, false, 1}}, {{1, false, 2}}};
  EXPECT_EQ(D.length(), (1ull << 30) * ((1ull << 31) + 1) + 2);
  EXPECT_EQ(D.terminalCounts()[1], 1ull << 61);
  EXPECT_EQ(D.terminalCounts()[7], 2u);
}

static bool reads(const GrammarData &D) {
  auto B = bytes(D);
  ByteReader R(B);
  GrammarData::read(R);
  return R.ok();
}

TEST(Grammar, TerminalsCanBeRenamed) {
  std::mt19937 Random(6);
  for (int Round = 0; Round < 2000; ++Round) {
    Grammar G;
    std::vector<uint32_t> New(6), Sequence, Got;
    for (uint32_t &N : New)
      N = Random() % (1 + Round % 4);
    for (uint32_t I = 0, Length = 1 + Random() % 100; I < Length; ++I) {
      uint32_t T = Round % 3 ? Random() % 6 : I % 6;
      G.append(T);
      Sequence.push_back(New[T]);
    }
    GrammarData D = G.data().renamed(New);
    GrammarData::Cursor C(D);
    for (uint32_t T; C.next(T);)
      Got.push_back(T);
    ASSERT_EQ(Got, Sequence);
    if (Round % 4 == 0) {
      EXPECT_EQ(D.Rules, (std::vector<std::vector<GrammarSymbol>>{{{0, false, Sequence.size()}}}));
    }
    EXPECT_TRUE(reads(D));
  }
}

TEST(Grammar, DamagedGrammarsAreRefused) {
  GrammarData D;
  D.Rules = {};
  EXPECT_FALSE(reads(D)) << "no start";
  D.Rules = {{{1, true, 1}}, {}};
  EXPECT_FALSE(reads(D)) << "an empty rule";
  D.Rules = {{{1, true, 1}}, {{2, true, 1}}, {{0, false, 2}}};
  EXPECT_FALSE(reads(D)) << "a rule that is another";
  D.Rules = {{{1, true, 1}}};
  EXPECT_FALSE(reads(D)) << "a rule that is not there";
  D.Rules = {{{0, true, 1}}};
  EXPECT_FALSE(reads(D)) << "a rule in itself";
  D.Rules = {{{0x80000000u, false, 1}}};
  EXPECT_FALSE(reads(D)) << "a terminal that is too large";
  D.Rules = {{{0, false, 1ull << 62}}};
  EXPECT_FALSE(reads(D)) << "too long";
  D.Rules = {{}};
  for (uint32_t I = 1; I < 64; ++I) {
    D.Rules.back().push_back({I, true, 2});
    D.Rules.push_back({{0, false, 2}});
  }
  EXPECT_FALSE(reads(D)) << "too long by doubling";
}

TEST(Grammar, AnyBytesAreReadOrRefused) {
  std::mt19937 Random(11);
  for (int Round = 0; Round < 20000; ++Round) {
    std::vector<uint8_t> B;
    for (uint32_t I = Random() % 24; I--;)
      B.push_back(static_cast<uint8_t>(Random() % (Round % 2 ? 256 : 12)));
    ByteReader R(B);
    GrammarData D = GrammarData::read(R);
    GrammarData::Cursor C(D);
    uint32_t T;
    for (int I = 0; I < 100 && C.next(T); ++I)
      EXPECT_LT(T, D.terminals());
  }
}
