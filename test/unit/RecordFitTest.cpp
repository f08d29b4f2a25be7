// proxygen/extrapolate/RecordFit.h: records with sets of ranks and functions of the rank.
#include "proxygen/extrapolate/RecordFit.h"

#include <gtest/gtest.h>

using namespace pilgrim;

namespace {
const std::vector<int64_t> Counts{16, 64, 256};
constexpr uint32_t To = 1024;

void add(PlainRecord &R, PlainPart Part, const std::vector<PlainValue> &Values) {
  Part.From = R.Values.size();
  Part.Size = Values.size();
  R.Values.insert(R.Values.end(), Values.begin(), Values.end());
  R.Parts.push_back(std::move(Part));
}
/// A set, and a function of its members, behind a number.
PlainRecord record(uint32_t World, const RankSet &Ranks, const RankFn &F, PlainPart::Kind K = PlainPart::Function) {
  PlainRecord R{{{PlainValue::Fixed, 7}, {PlainValue::Natural, World}}};
  add(R, {.K = PlainPart::Set, .Ranks = Ranks, .Values = {}}, plainValues(Ranks, World));
  add(R, {.K = K, .Ranks = Ranks, .Values = F}, plainValues(F, Ranks, World));
  return R;
}
RecordFit::Result fit(const std::vector<PlainRecord> &Records) {
  RecordFit Fit(Shape::Square, Counts, To);
  std::vector<const PlainRecord *> Own;
  for (const PlainRecord &R : Records) {
    EXPECT_TRUE(RecordFit::isAlike(Records[0], R));
    Own.push_back(&R);
  }
  return Fit.fit(Own);
}

/// 4 for the first of the ranks and 5 for the others, in one form on few ranks and in another one on more.
RankFn firstDiffers(const RankSet &Ranks, bool AsList) {
  Candidates Four, Five;
  Four.C = 4;
  Five.C = 5;
  if (!AsList)
    return RankFn::ofPieces({{RankSet(Ranks.first()), Four}, {Ranks.without(RankSet(Ranks.first())), Five}});
  std::vector<int64_t> Values(Ranks.size(), 5);
  Values[0] = 4;
  return RankFn::ofValues(Values, Ranks).compressed();
}

TEST(RecordFit, FormsThatDiffer) {
  // The first quarter: where it ends is a number, and no border of a grid.
  std::vector<PlainRecord> Records;
  for (int64_t N : Counts) {
    const RankSet Ranks = RankSet::below(static_cast<uint32_t>(N / 4));
    Records.push_back(record(static_cast<uint32_t>(N), Ranks, firstDiffers(Ranks, N == 16)));
  }
  EXPECT_FALSE(RecordFit::isSame(Records[0], Records[1]));
  const auto Out = fit(Records);
  EXPECT_TRUE(Out.Misfits.empty());
  const RankSet Ranks = RankSet::below(To / 4);
  EXPECT_EQ(Out.Record.Values, record(To, Ranks, firstDiffers(Ranks, true)).Values);
}

TEST(RecordFit, WhatFitsInNoForm) {
  std::vector<PlainRecord> Records;
  for (int64_t N : Counts) {
    const RankSet Ranks = RankSet::below(static_cast<uint32_t>(N));
    std::vector<int64_t> Values(Ranks.size(), 5);
    if (N == 64)
      Values[7] = 4;
    Records.push_back(record(static_cast<uint32_t>(N), Ranks, RankFn::ofValues(Values, Ranks).compressed()));
  }
  const auto Out = fit(Records);
  ASSERT_EQ(Out.Misfits.size(), 1u);
  EXPECT_TRUE(Out.Misfits[0].Values.empty());
  EXPECT_FALSE(Out.Misfits[0].IsSet);
}

TEST(RecordFit, PlacesInTheProgram) {
  std::vector<PlainRecord> Records;
  for (int64_t N : Counts)
    Records.push_back(record(static_cast<uint32_t>(N), RankSet::below(static_cast<uint32_t>(N)),
                             RankFn(N == 16 ? 4444 : N + 3), PlainPart::Place));
  auto Out = fit(Records);
  EXPECT_TRUE(Out.Misfits.empty());
  EXPECT_EQ(Out.Record.Values.back().V, 259);
  // The same numbers, where they are not places; and places that could be numbers.
  for (PlainRecord &R : Records)
    R.Parts[1].K = PlainPart::Function;
  Out = fit(Records);
  ASSERT_EQ(Out.Misfits.size(), 1u);
  EXPECT_EQ(Out.Misfits[0].Values, (std::vector<int64_t>{4444, 67, 259}));
  Records.erase(Records.begin());
  Records.insert(Records.begin(), record(16, RankSet::below(16), RankFn(19), PlainPart::Place));
  for (PlainRecord &R : Records)
    R.Parts[1].K = PlainPart::Place;
  EXPECT_EQ(fit(Records).Record.Values.back().V, 259);
}

TEST(RecordFit, GuessesOfParameters) {
  // Parts of 3,600 by p, rounded up. What stands in another record, or is said by several numbers, is not guessed.
  for (const bool IsCall : {true, false}) {
    std::vector<PlainRecord> Records;
    for (int64_t N : Counts) {
      Records.push_back(
          record(static_cast<uint32_t>(N), RankSet::below(static_cast<uint32_t>(N)), RankFn((3601 + N - 1) / N)));
      Records.back().Function = IsCall ? 16 : 0;
    }
    const auto Out = fit(Records);
    ASSERT_EQ(Out.Misfits.size(), 1u);
    EXPECT_EQ(Out.Misfits[0].Then.Value, IsCall ? 4 : 15);
    EXPECT_EQ(Out.Record.Values.back().V, IsCall ? 4 : 15);
  }
}

TEST(RecordFit, StepsAreOfTheRankInTheWorld) {
  RecordFit Fit(Shape::Square, Counts, To);
  for (const bool InWorld : {true, false}) {
    std::vector<std::vector<PlainRecord>> Records;
    std::vector<std::vector<const PlainRecord *>> Own;
    for (int64_t N : Counts) {
      const RankSet Ranks = RankSet::below(static_cast<uint32_t>(N));
      std::vector<int64_t> Values(Ranks.size());
      const int64_t Side = gridSides(N, 2)[0];
      for (int64_t R = 0; R < N; ++R)
        Values[static_cast<size_t>(R)] = (R / Side + R % Side) % Side;
      Records.emplace_back(2, record(static_cast<uint32_t>(N), Ranks, RankFn::ofValues(Values, Ranks)));
      auto &Steps = Own.emplace_back();
      for (PlainRecord &R : Records.back()) {
        R.Parts[1].InWorld = InWorld;
        Steps.push_back(&R);
      }
    }
    const auto Then = Fit.steps(Own, 1, 4);
    EXPECT_EQ(Then.has_value(), InWorld);
    EXPECT_EQ(Then ? Then->size() : 4, 4u);
    EXPECT_FALSE(Fit.steps(Own, 0, 4)); // a set
  }
}

TEST(RecordFit, OtherRecords) {
  const RankSet All = RankSet::below(16);
  const PlainRecord A = record(16, All, RankFn(1)), Place = record(16, All, RankFn(1), PlainPart::Place);
  EXPECT_FALSE(RecordFit::isAlike(A, Place));
  PlainRecord B = A;
  B.Values[0].V = 8; // of another form
  EXPECT_FALSE(RecordFit::isAlike(A, B));
  PlainRecord C = A;
  C.Parts.pop_back();
  EXPECT_FALSE(RecordFit::isAlike(A, C));
}
} // namespace
