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
      EXPECT_TRUE(I == At || L[I].isSame(RankFn(static_cast<int64_t>(I))));
  }
}

/// Numbers of one rank and of another one, as they are kept and as functions. Step: by how much more of them one rank
/// has.
TEST(WordList, JoiningIsThatOfFunctions) {
  const RankSet A(2u), B(5u);
  const RankFn::ContextFn Context = [](uint32_t R) { return RankContext{R, 8}; };
  for (const int64_t Step : {0, 1, 3}) {
    const std::vector<int64_t> Own = numbers(100, 2 * Step), Its = numbers(100, 5 * Step);
    WordList L = WordList::ofNumbers(Own), Functions = L, Others = WordList::ofNumbers(Its);
    RankSetUnions Unions;
    joinWords(L, {L, A, Context}, {Others, B, Context}, Unions);
    Functions.derive(Context(2));
    Others.derive(Context(5));
    joinWords(Functions, {Functions, A, Context}, {Others, B, Context}, Unions);
    EXPECT_EQ(L.areNumbers(), Step == 0);
    for (size_t I = 0; I < 100; ++I) {
      EXPECT_EQ(L[I].eval(2, Context(2)), Own[I]);
      EXPECT_EQ(L[I].eval(5, Context(5)), Its[I]);
      EXPECT_TRUE(L[I].isSame(Functions[I])) << Step << ", " << I;
    }
    EXPECT_TRUE(Step != 1 || L[99].isSingle()) << "an offset from the rank";
  }
}
