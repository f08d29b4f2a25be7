// proxygen/extrapolate/RankFit.h: functions of the rank that change from step to step, by distances around a torus.
#include "proxygen/extrapolate/RankFit.h"

#include <gtest/gtest.h>

#include <functional>

using namespace pilgrim;

namespace {
using Rule = std::function<int64_t(int64_t I, int64_t J, int64_t Step, int64_t Side)>;
using Values = std::vector<std::vector<int64_t>>; ///< by step and rank

Values valuesAt(int64_t Side, size_t Steps, const Rule &Of) {
  Values Out(Steps);
  for (size_t S = 0; S < Steps; ++S)
    for (int64_t R = 0; R < Side * Side; ++R)
      Out[S].push_back(Of(R / Side, R % Side, static_cast<int64_t>(S), Side));
  return Out;
}
RankSet everyone(int64_t Ranks) { return RankSet::below(static_cast<uint32_t>(Ranks)); }

/// From tori of these many ranks a side, of as many steps less one, to one of 10.
std::optional<Values> fit(const Rule &Of, const std::vector<int64_t> &Sides = {3, 4, 5}) {
  std::vector<int64_t> Counts;
  std::vector<std::vector<RankFn>> Functions;
  std::vector<RankSet> Ranks;
  for (int64_t Side : Sides) {
    Counts.push_back(Side * Side);
    Ranks.push_back(everyone(Counts.back()));
    Functions.emplace_back();
    for (const auto &Own : valuesAt(Side, static_cast<size_t>(Side) - 1, Of))
      Functions.back().push_back(RankFn::ofValues(Own, Ranks.back()));
  }
  NumberFit Numbers(Shape::Square, Counts, 100);
  const auto Then = RankFit(Shape::Square, Counts, 100, Numbers).steps(Functions, Ranks, everyone(100), 9);
  if (!Then)
    return std::nullopt;
  Values Out(Then->size());
  for (size_t S = 0; S < Out.size(); ++S)
    for (uint32_t R = 0; R < 100; ++R)
      Out[S].push_back((*Then)[S].eval(R, {R, 100}));
  return Out;
}

int64_t around(int64_t V, int64_t Side) { return (V % Side + Side) % Side; }

TEST(RankSteps, TagsOfCellsOnDiagonals) {
  const Rule Tag = [](int64_t I, int64_t J, int64_t Step, int64_t Side) {
    return 3000 + around(J - I - Step - 1, Side) + Side * around(Step + I, Side);
  };
  EXPECT_EQ(fit(Tag), valuesAt(10, 9, Tag));
}

TEST(RankSteps, PartnersThatChangeWithTheStep) {
  const Rule Partner = [](int64_t I, int64_t J, int64_t Step, int64_t Side) {
    return around(I + Step, Side) * Side + around(J - 1, Side);
  };
  EXPECT_EQ(fit(Partner), valuesAt(10, 9, Partner));
}

TEST(RankSteps, BlocksAtTheBoundaryAreSmaller) {
  const Rule Size = [](int64_t I, int64_t J, int64_t Step, int64_t Side) {
    auto Length = [&](int64_t Block) { return 60 / Side - (Block == 0) - (Block == Side - 1 ? 2 : 0); };
    return 22 * Length(around(J - I - Step, Side)) * Length(around(Step + I, Side));
  };
  EXPECT_EQ(fit(Size, {3, 4, 5, 6}), valuesAt(10, 9, Size));
}

TEST(RankSteps, OtherValuesAreRefused) {
  EXPECT_EQ(fit([](int64_t I, int64_t J, int64_t Step, int64_t) { return I * J + Step; }), std::nullopt);
  EXPECT_EQ(fit([](int64_t I, int64_t J, int64_t Step, int64_t Side) {
              return around(I + J + Step, Side) + 100 * around(J + Step, Side) + (Side == 5 && Step == 3 && !I && !J);
            }),
            std::nullopt);
  // Three distances.
  EXPECT_EQ(fit([](int64_t I, int64_t J, int64_t Step, int64_t Side) {
              return around(I + Step, Side) + 100 * around(J - Step, Side) + 10000 * around(I - J, Side);
            }),
            std::nullopt);
  // A weight that follows no rule.
  EXPECT_EQ(fit([](int64_t I, int64_t J, int64_t Step, int64_t Side) {
              return (Side == 4 ? 70 : 100) * around(I + Step, Side) + around(J - Step, Side);
            }),
            std::nullopt);
}

TEST(RankSteps, OfAllRanksOfASquareAlone) {
  const std::vector<int64_t> Counts{9, 16, 25};
  for (int64_t To : {100, 96}) {
    NumberFit Numbers(Shape::Square, Counts, To);
    RankFit Fit(Shape::Square, Counts, To, Numbers);
    std::vector<RankSet> Ranks;
    for (int64_t N : Counts)
      Ranks.push_back(everyone(N));
    const std::vector<std::vector<RankFn>> Functions(3, std::vector<RankFn>(2, RankFn(7)));
    EXPECT_EQ(Fit.steps(Functions, Ranks, everyone(To), 9).has_value(), To == 100);
    EXPECT_FALSE(Fit.steps(Functions, Ranks, everyone(To - 1), 9));
  }
}
} // namespace
