// trace/file/Vectors.h, Vectors.cpp: arrays that follow from others, against the values of each rank.
#include "trace/file/Vectors.h"
#include "test/unit/Tables.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
/// Values of an array: by element, then by rank.
using Elements = std::vector<std::vector<int64_t>>;
} // namespace

/// A call with these arrays, of ranks from 3 on in steps of 2; of whatever ranks if there is one value each.
static Variant callWith(const std::vector<Elements> &Arrays) {
  Variant V = variant({}, {1, 0, 0});
  if (const size_t N = Arrays[0][0].size(); N > 1)
    for (uint32_t R = 0; R < N; ++R)
      V.Ranks.unite(RankSet(3 + 2 * R));
  for (const Elements &A : Arrays) {
    V.Tokens.insert(V.Tokens.end(), {static_cast<uint32_t>(Tag::Array), static_cast<uint32_t>(A.size())});
    for (const auto &Values : A)
      V.Words.push_back(RankFn::ofValues(Values, V.Ranks));
  }
  return V;
}

/// What follows is made again from what it follows from. Gives the first one.
static std::optional<DerivedVector> derived(const std::vector<Elements> &Arrays) {
  const Variant V = callWith(Arrays);
  const auto Found = findDerived(V, !V.Ranks.empty());
  for (const DerivedVector &D : Found) {
    size_t FromWord = 0;
    for (size_t I = 0; I < D.From; ++I)
      FromWord += Arrays[I].size();
    std::vector<RankFn> Out;
    EXPECT_TRUE(deriveVector(D, V, FromWord, Arrays[D.From].size(), [&](const RankFn &F) { Out.push_back(F); }));
    EXPECT_EQ(Out.size(), Arrays[D.Slot].size());
    for (size_t I = 0; I < Out.size(); ++I)
      for (size_t C = 0; C < Arrays[D.Slot][I].size(); ++C)
        EXPECT_EQ(Out[I].eval(static_cast<uint32_t>(3 + 2 * C), {}), Arrays[D.Slot][I][C]) << I << ", " << C;
  }
  return Found.empty() ? std::nullopt : std::optional(Found[0]);
}

static Elements sums(const Elements &Of, int64_t Base, int64_t Scale) {
  Elements Out{std::vector<int64_t>(Of[0].size(), Base)};
  for (size_t I = 0; I + 1 < Of.size(); ++I) {
    Out.push_back(Out.back());
    for (size_t C = 0; C < Of[I].size(); ++C)
      Out.back()[C] = static_cast<int64_t>(uint64_t(Out.back()[C]) + uint64_t(Of[I][C]) * uint64_t(Scale));
  }
  return Out;
}

static Elements transposed(const Elements &Of) {
  Elements Out(Of[0].size(), std::vector<int64_t>(Of.size()));
  for (size_t I = 0; I < Of.size(); ++I)
    for (size_t C = 0; C < Of[I].size(); ++C)
      Out[C][I] = Of[I][C];
  return Out;
}

static Elements random(std::mt19937 &Random, size_t Length, size_t Ranks) {
  Elements Out(Length);
  for (auto &Values : Out)
    for (size_t C = 0; C < Ranks; ++C)
      Values.push_back(static_cast<int64_t>(1 + Random() % 100));
  return Out;
}

TEST(Vectors, SumsAndTranspositionsAreFound) {
  std::mt19937 Random(1);
  for (int Round = 0; Round < 300; ++Round) {
    const size_t Length = 3 + Random() % 6, Ranks = 1 + Random() % 6;
    const Elements From = random(Random, Length, Ranks);
    const int64_t Base = static_cast<int64_t>(Random() % 9) - 4, Scale = static_cast<int64_t>(Random() % 9) - 4;
    auto D = derived({From, sums(From, Base, Scale)});
    ASSERT_TRUE(D) << Round;
    EXPECT_EQ(D->Code, SumsCode);
    EXPECT_EQ(D->Base, Base);
    const Elements Square = random(Random, Length, Length);
    D = derived({random(Random, Length, Length), Square, transposed(Square)});
    ASSERT_TRUE(D) << Round;
    EXPECT_EQ(D->Code, TransposedCode);
    EXPECT_EQ(D->Slot, 2u);
    EXPECT_EQ(D->From, 1u);
    // The last element, of the last rank alone.
    Elements Other = sums(From, Base, Scale);
    Other.back().back() += 1;
    EXPECT_FALSE(derived({From, Other})) << Round;
    Other = transposed(Square);
    Other.front().back() += 1;
    EXPECT_FALSE(derived({Square, Other})) << Round;
  }
}

TEST(Vectors, SomeDoNotFollow) {
  const Elements From{{1, 2}, {3, 4}, {5, 6}};
  EXPECT_TRUE(derived({From, sums(From, 7, 2)}));
  Elements Other = sums(From, 7, 2);
  for (auto &Values : Other)
    ++Values[1];
  EXPECT_FALSE(derived({From, Other})) << "they begin differently";
  EXPECT_FALSE(derived({{{1}, {2}}, {{0}, {1}}})) << "too short";
  EXPECT_FALSE(derived({{{1}, {2}, {3}}, {{0}, {1}, {3}, {6}}})) << "not as long";
  EXPECT_FALSE(derived({{{2}, {2}, {3}}, {{0}, {1}, {3}}})) << "half as much is no whole number";
  EXPECT_FALSE(derived({From, transposed(From)})) << "no square";
  EXPECT_TRUE(derived({{{0}, {0}, {3}}, {{7}, {7}, {7}}})) << "nothing is added";
  EXPECT_FALSE(derived({{{0}, {0}, {3}}, {{7}, {7}, {8}}}));
  // The smallest number divided by -1 is none.
  EXPECT_FALSE(derived({{{-1}, {0}, {0}}, {{0}, {INT64_MIN}, {INT64_MIN}}}));
  EXPECT_TRUE(derived({{{INT64_MAX}, {2}, {0}}, sums({{INT64_MAX}, {2}, {0}}, INT64_MAX, 1)})) << "it wraps round";
  // Of two that it follows from, the first is said, once.
  const auto Once = findDerived(callWith({From, From, sums(From, 7, 2)}), true);
  ASSERT_EQ(Once.size(), 1u);
  EXPECT_EQ(Once[0].From, 0u);
  // What is shorter than values stays.
  Variant V = callWith({From, sums(From, 7, 2)});
  ASSERT_EQ(findDerived(V, true).size(), 1u);
  V.Words.own()[0] = offset(-2, 8);
  EXPECT_TRUE(findDerived(V, true).empty());
}

TEST(Vectors, DamagedOnesAreRefused) {
  const Elements Square{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  const Variant V = callWith({Square}), Single = callWith({{{1}, {2}, {3}}});
  auto Out = [](const RankFn &) {};
  DerivedVector D{1, 0, TransposedCode};
  EXPECT_TRUE(deriveVector(D, V, 0, 3, Out));
  EXPECT_FALSE(deriveVector(D, V, 0, 2, Out)) << "no square";
  EXPECT_FALSE(deriveVector(D, Single, 0, 3, Out)) << "whose ranks are not known";
  D.Code = SumsCode;
  EXPECT_TRUE(deriveVector(D, Single, 0, 3, Out));
  EXPECT_FALSE(deriveVector(D, Single, 0, 0, Out));
  Variant ByOffset = V;
  ByOffset.Words.own()[1] = offset(0, 8);
  EXPECT_FALSE(deriveVector(D, ByOffset, 0, 3, Out));
}
