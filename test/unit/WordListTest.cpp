// Lists of words that are kept as numbers say what the same functions say.
#include "trace/model/WordList.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace pilgrim;

static std::vector<int64_t> numbers(size_t N, int64_t First) {
  std::vector<int64_t> Out(N);
  std::iota(Out.begin(), Out.end(), First);
  return Out;
}

/// A function that is no number.
static RankFn offset() {
  RankFn F(5);
  const RankContext At{2, 8};
  F.derive(&At);
  return F;
}

static std::vector<int64_t> valuesOf(const WordSpan &L) {
  std::vector<int64_t> Out;
  for (const RankFn F : L)
    Out.push_back(F.eval(3, {3, 8}));
  return Out;
}

TEST(WordList, ManyNumbersAreKeptAsNumbers) {
  EXPECT_FALSE(WordList::ofNumbers(numbers(WordList::Many - 1, 0)).areNumbers());
  for (const size_t N : {size_t(1), WordList::Many - 1, WordList::Many, WordList::Many + 1}) {
    const WordList L = WordList::ofNumbers(numbers(N, -3));
    EXPECT_EQ(L.areNumbers(), N >= WordList::Many);
    EXPECT_EQ(L.size(), N);
    EXPECT_EQ(valuesOf(L), numbers(N, -3));
    EXPECT_EQ(valuesOf(WordSpan(L).subspan(N / 2, N - N / 2)), numbers(N - N / 2, -3 + static_cast<int64_t>(N / 2)));
    WordList Same;
    L.forEach([&](const RankFn &F) { Same.pushNumber(F); });
    EXPECT_EQ(Same.numbers(), numbers(N, -3));
    Same.own();
    EXPECT_FALSE(Same.areNumbers());
    EXPECT_EQ(valuesOf(Same), numbers(N, -3));
    Same.pack();
    EXPECT_EQ(Same.areNumbers(), N >= WordList::Many);
    EXPECT_EQ(valuesOf(Same), numbers(N, -3));
    EXPECT_LE(L.memory(), N * (N >= WordList::Many ? sizeof(int64_t) : sizeof(RankFn)));
  }
}

TEST(WordList, OneFunctionKeepsAllAsFunctions) {
  for (const size_t At : {size_t(0), size_t(50), size_t(99)}) {
    WordList L;
    for (size_t I = 0; I < 100; ++I)
      L.pushNumber(I == At ? offset() : RankFn(static_cast<int64_t>(I)));
    L.pack();
    EXPECT_FALSE(L.areNumbers());
    ASSERT_EQ(L.size(), 100u);
    EXPECT_TRUE(L[At].isSame(offset()));
    for (size_t I = 0; I < 100; ++I)
      if (I != At)
        EXPECT_TRUE(L[I].isSame(RankFn(static_cast<int64_t>(I))));
  }
}

/// Numbers of one rank and of another one, as functions and as they are kept.
TEST(WordList, JoiningIsThatOfFunctions) {
  const RankSet A(0u), B(1u);
  auto Context = [](uint32_t R) { return RankContext{R, 2}; };
  for (const int64_t Other : {int64_t(0), int64_t(7)}) {
    WordList L = WordList::ofNumbers(numbers(100, 0));
    std::vector<int64_t> Its = numbers(100, 0);
    Its[40] += Other;
    RankSetUnions Unions;
    joinWords(L, WordList::ofNumbers(Its),
              [&](RankFn &To, const RankFn &Of) { To.merge(Of, A, B, Context, Context, Unions); });
    EXPECT_EQ(L.areNumbers(), Other == 0);
    for (size_t I = 0; I < 100; ++I) {
      EXPECT_EQ(L[I].eval(0, Context(0)), static_cast<int64_t>(I));
      EXPECT_EQ(L[I].eval(1, Context(1)), Its[I]);
    }
  }
}
