// trace/ranks/Tally.h, Tally.cpp: numbers by rank against a plain map.
#include "trace/ranks/Tally.h"
#include "test/unit/Ranks.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
struct Model {
  std::map<uint32_t, uint64_t> Numbers;
  uint64_t of(uint32_t R) const {
    auto It = Numbers.find(R);
    return It == Numbers.end() ? 0 : It->second;
  }
  void add(const RankSet &Ranks, uint64_t N) {
    Ranks.forEach([&](uint32_t R) { Numbers[R] = std::min(of(R) + N, Tally::Unknown); });
  }
};
} // namespace

/// Whether T says of Ranks what M says.
static void check(const Tally &T, const Model &M, const RankSet &Ranks, uint64_t Factor) {
  uint64_t Sum = 0, Members = 0;
  std::set<uint64_t> Numbers;
  bool AreMultiples = true;
  Ranks.forEach([&](uint32_t R) {
    const uint64_t N = M.of(R);
    ASSERT_EQ(T.of(R), N) << "rank " << R;
    Sum = Sum > UINT64_MAX - N ? UINT64_MAX : Sum + N; // stays at the limit
    Numbers.insert(N);
    AreMultiples &= N && N < Tally::Unknown && N % Factor == 0;
  });
  RankSet Seen;
  T.forEach(Ranks, [&](const RankSet &Own, uint64_t N) {
    EXPECT_TRUE(Seen.common(Own).empty());
    Seen.unite(Own);
    Members += Own.size();
    Own.forEach([&](uint32_t R) { EXPECT_EQ(M.of(R), N) << "rank " << R; });
  });
  EXPECT_EQ(Seen, Ranks);
  EXPECT_EQ(Members, Ranks.size());
  EXPECT_EQ(T.sum(Ranks), Sum);
  const bool IsOne = Numbers.size() == 1;
  EXPECT_EQ(T.always(Ranks), IsOne ? std::optional(*Numbers.begin()) : std::nullopt);
  EXPECT_EQ(T.isAlways(Ranks, *Numbers.begin()), IsOne && *Numbers.begin() < Tally::Unknown);
  EXPECT_FALSE(T.isAlways(Ranks, *Numbers.begin() + 1));
  EXPECT_EQ(T.isMultiple(Ranks, Factor), AreMultiples);
  const RankFn F = T.function(Ranks, Factor);
  Ranks.forEach([&](uint32_t R) { EXPECT_EQ(F.eval(R, {}), static_cast<int64_t>(M.of(R) / Factor)); });
}

/// Adds sets at random, and what was added so far to another one. Singles: many sets are told apart.
static void checkRandom(uint32_t World, bool Singles, unsigned Seed) {
  std::mt19937 Random(Seed);
  Tally T, Other;
  Model M, OtherModel;
  const RankSet All = RankSet::below(World);
  for (unsigned I = Singles ? 2 * World : 12; I--;) {
    const RankSet Ranks = Singles ? RankSet(Random() % World) : randomRanks(Random, World);
    const uint64_t N = Random() % 20 == 0 ? Tally::Unknown - Random() % 3 : Random() % (Singles ? 1000 : 5);
    const bool ToOther = Random() % 2;
    (ToOther ? Other : T).add(Ranks, N);
    (ToOther ? OtherModel : M).add(Ranks, N);
  }
  for (const RankSet &Ranks : {All, randomRanks(Random, World), randomRanks(Random, World)}) {
    check(T, M, Ranks, 1 + Random() % 4);
    bool IsSame = true;
    Ranks.forEach([&](uint32_t R) { IsSame &= M.of(R) == OtherModel.of(R) && M.of(R) < Tally::Unknown; });
    EXPECT_EQ(T.isSame(Other, Ranks), IsSame);
    T.add(Other, Ranks);
    Ranks.forEach([&](uint32_t R) { M.add(RankSet(R), OtherModel.of(R)); });
    check(T, M, All, 2);
  }
}

TEST(Tally, FewSetsAgreeWithAMap) {
  for (unsigned Seed = 0; Seed < 500 && !::testing::Test::HasFailure(); ++Seed)
    checkRandom(1 + Seed % 40, false, Seed);
}

TEST(Tally, ANumberForEachRankAgreesWithAMap) {
  for (unsigned Seed = 0; Seed < 8 && !::testing::Test::HasFailure(); ++Seed)
    checkRandom(250 + Seed * 60, true, Seed);
}

TEST(Tally, EqualNumbersAreTheSameHoweverTheyCame) {
  std::mt19937 Random(1);
  for (uint32_t World : {8u, 600u}) {
    Tally Up, Down;
    const RankSet All = RankSet::below(World);
    for (uint32_t R = 0; R < World; ++R) {
      Up.add(RankSet(R), R * 3);
      Down.add(RankSet(World - 1 - R), (World - 1 - R) * 3);
    }
    EXPECT_TRUE(Up.isSame(Down, All));
    EXPECT_TRUE(Up.isMultiple(RankSet::between(1, World - 1), 3));
    Down.add(RankSet(World / 2), 1);
    EXPECT_FALSE(Up.isSame(Down, All));
    EXPECT_TRUE(Up.isSame(Down, RankSet::below(World / 2)));
    // What is not known is like nothing.
    Up.add(RankSet(0), Tally::Unknown);
    EXPECT_FALSE(Up.isSame(Up, All));
    EXPECT_FALSE(Up.isMultiple(RankSet(0), 1));
  }
}

TEST(Tally, OfAFunctionItIsTheMultiple) {
  for (uint32_t World : {6u, 256u, 257u, 400u})
    for (uint64_t Factor : {uint64_t(1), uint64_t(3), uint64_t(1) << 61}) {
      const RankFn Offset = offset(5, World);
      const RankSet Ranks = RankSet::below(World);
      const Tally T(Offset, Ranks, World, Factor);
      Ranks.forEach([&](uint32_t R) { EXPECT_EQ(T.of(R), tallyProduct(R + 5, Factor)); });
      EXPECT_EQ(T.of(World), 0u);
    }
}

TEST(Tally, NumbersStayAtTheLimit) {
  EXPECT_EQ(tallyProduct(uint64_t(1) << 31, (uint64_t(1) << 31) - 1), (uint64_t(1) << 62) - (uint64_t(1) << 31));
  EXPECT_EQ(tallyProduct(uint64_t(1) << 31, (uint64_t(1) << 31) + 1), Tally::Unknown);
  EXPECT_EQ(tallyProduct(UINT64_MAX, 2), Tally::Unknown);
  EXPECT_EQ(tallySum(Tally::Unknown - 1, 1), Tally::Unknown);
  EXPECT_EQ(tallySum(Tally::Unknown, Tally::Unknown), Tally::Unknown);
  const Tally T(RankSet::below(8), Tally::Unknown);
  EXPECT_EQ(T.sum(RankSet::below(3)), 3 * Tally::Unknown);
  EXPECT_EQ(T.sum(RankSet::below(8)), UINT64_MAX);
}

TEST(Tally, DamagedInputPaysForWhatItAsksFor) {
  for (uint64_t Memory : {uint64_t(1000), uint64_t(1) << 20}) {
    ByteReader R({}, Memory);
    Tally T;
    for (uint32_t Rank = 0; Rank < 300; ++Rank)
      T.add(RankSet(Rank), Rank, &R);
    EXPECT_EQ(R.ok(), Memory > 1000);
    EXPECT_EQ(R.isTooLarge(), Memory == 1000);
  }
  // A number for each rank takes eight bytes, to add to it one; and so does a copy.
  ByteReader R({}, 1 << 20);
  Tally T, Copy;
  for (uint32_t Rank = 0; Rank < 300; ++Rank)
    T.add(RankSet(Rank), Rank);
  T.add(RankSet::below(300), 1, &R);
  EXPECT_EQ(R.memoryLeft(), (1u << 20) - 300);
  T.add(RankSet::between(1000, 1099), 1, &R);
  EXPECT_EQ(R.memoryLeft(), (1u << 20) - 300 - 100 - 800);
  const RankSet All = RankSet::below(300);
  Tally Dense;
  All.forEach([&](uint32_t Rank) { Dense.add(RankSet(Rank), Rank); });
  const uint64_t Before = R.memoryLeft();
  Copy.add(Dense, All, &R);
  EXPECT_EQ(Before - R.memoryLeft(), 300 * sizeof(uint64_t));
  EXPECT_EQ(Copy, Dense);
  Tally Part;
  Part.add(Dense, RankSet::below(10));
  EXPECT_EQ(Part.of(9), 9u);
  EXPECT_EQ(Part.of(10), 0u);
  Copy.add(RankSet(7), Tally::Unknown);
  Copy.add(Copy, All);
  EXPECT_EQ(Copy.of(7), Tally::Unknown);
  EXPECT_EQ(Copy.of(8), 16u);
}
