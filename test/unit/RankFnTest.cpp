// trace/ranks/RankFn.h, RankFn.cpp: functions of the rank that are made from values, pieces and levels, and what is
// asked of them.
#include "trace/ranks/RankFn.h"

#include <gtest/gtest.h>

using namespace pilgrim;

namespace {
using Numbers = std::vector<int64_t>;

RankContext inWorld(uint32_t Rank) { return {Rank, 100}; }

Numbers valuesOf(const RankFn &F, const RankSet &Ranks) {
  Numbers Out;
  Ranks.forEach([&](uint32_t R) { Out.push_back(F.eval(R, inWorld(R))); });
  return Out;
}
Candidates offset(int64_t By) {
  Candidates C;
  C.Mask = Candidates::Offset;
  C.Off = By;
  return C;
}
Candidates constant(int64_t V) {
  Candidates C;
  C.C = V;
  return C;
}

TEST(RankFn, OfValues) {
  RankSet Ranks = RankSet::between(2, 4);
  Ranks.unite(RankSet(9));
  const RankFn Same = RankFn::ofValues({7, 7, 7, 7}, Ranks);
  EXPECT_TRUE(Same.isConst());
  EXPECT_EQ(Same.eval(3, inWorld(3)), 7);
  const RankFn Own = RankFn::ofValues({5, -1, 8, 6}, Ranks);
  EXPECT_FALSE(Own.isConst());
  EXPECT_EQ(valuesOf(Own, Ranks), (Numbers{5, -1, 8, 6}));
  EXPECT_EQ(valuesOf(Own.compressed(), Ranks), (Numbers{5, -1, 8, 6}));
  EXPECT_EQ(Own.range(Ranks, 100), std::pair(int64_t(-1), int64_t(8)));
  Numbers Out;
  EXPECT_TRUE(Own.values(Ranks, Out));
  EXPECT_EQ(Out, (Numbers{5, -1, 8, 6}));
}

TEST(RankFn, OfPieces) {
  const RankFn One = RankFn::ofPieces({{RankSet::below(4), offset(2)}});
  EXPECT_TRUE(One.isSingle());
  EXPECT_EQ(One.eval(3, {50, 60}), 52); // of the rank in the communicator
  const RankFn Two = RankFn::ofPieces({{RankSet::below(3), offset(1)}, {RankSet(3), constant(-2)}});
  EXPECT_FALSE(Two.isSingle());
  EXPECT_EQ(Two.pieces().size(), 2u);
  EXPECT_EQ(valuesOf(Two, RankSet::below(4)), (Numbers{1, 2, 3, -2}));
  Numbers Out;
  EXPECT_FALSE(Two.values(RankSet::below(4), Out)) << "some depend on the rank";
  // One list is a piece, too.
  const RankFn List = RankFn::ofPieces({{RankSet::below(3), {}, std::make_shared<const ValueList>(Numbers{4, 9, 1})}});
  EXPECT_EQ(valuesOf(List, RankSet::below(3)), (Numbers{4, 9, 1}));
}

TEST(RankFn, Levels) {
  const RankSet Ranks = RankSet::below(6);
  const std::vector<RankFn::Level> Made{{3, RankSet::below(2)}, {8, RankSet::between(2, 5)}};
  const RankFn F = RankFn::ofLevels(Made);
  EXPECT_EQ(valuesOf(F, Ranks), (Numbers{3, 3, 8, 8, 8, 8}));
  const auto Found = F.levels(Ranks, inWorld, 2);
  ASSERT_TRUE(Found);
  ASSERT_EQ(Found->size(), 2u);
  for (size_t I = 0; I < 2; ++I) {
    EXPECT_EQ((*Found)[I].Value, Made[I].Value);
    EXPECT_EQ((*Found)[I].Ranks, Made[I].Ranks);
  }
  EXPECT_FALSE(F.levels(Ranks, inWorld, 1));
  // More than a function has pieces.
  std::vector<RankFn::Level> Many;
  for (uint32_t R = 0; R < 40; ++R)
    Many.push_back({R * R, RankSet(R)});
  EXPECT_EQ(RankFn::ofLevels(Many).eval(30, inWorld(30)), 900);
}

TEST(RankFn, SameForms) {
  const RankSet Ranks = RankSet::below(3);
  const RankFn List = RankFn::ofValues({4, 9, 1}, Ranks).compressed();
  EXPECT_TRUE(List.isSame(List));
  EXPECT_TRUE(RankFn(4).isSame(RankFn(4)));
  EXPECT_FALSE(RankFn(4).isSame(RankFn(5)));
  EXPECT_FALSE(List.isSame(RankFn::ofValues({4, 9, 2}, Ranks).compressed()));
  const RankFn Plain = RankFn::ofValues({4, 9, 1}, Ranks), Equal = RankFn::ofValues({4, 9, 1}, Ranks);
  EXPECT_TRUE(Plain.isSame(Equal));
  EXPECT_EQ(Plain.hash(), Equal.hash());
  EXPECT_FALSE(Plain.isSame(List)) << "another form";
  EXPECT_FALSE(Plain.isSame(RankFn::ofValues({4, 9, 2}, Ranks)));
}

TEST(RankFn, Rescaled) {
  const RankSet Ranks = RankSet::below(4);
  const RankFn F = RankFn::ofValues({10, 16, 13, 10}, Ranks).compressed();
  const auto Scale = F.scale(Ranks);
  EXPECT_EQ(Scale.First, 10);
  EXPECT_EQ(Scale.Unit, 3u);
  EXPECT_EQ(valuesOf(F.rescaled(Scale, {100, 5}), Ranks), (Numbers{100, 110, 105, 100}));
}
} // namespace
