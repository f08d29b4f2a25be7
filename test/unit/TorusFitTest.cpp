// proxygen/extrapolate/TorusFit.h: values by distances around a torus, step by step.
#include "proxygen/extrapolate/TorusFit.h"

#include <gtest/gtest.h>

#include <functional>

using namespace pilgrim;

namespace {
using Rule = std::function<int64_t(int64_t I, int64_t J, int64_t Step, int64_t Side)>;

TorusValues valuesAt(int64_t Side, size_t Steps, const Rule &Of) {
  TorusValues Out(Steps);
  for (size_t S = 0; S < Steps; ++S)
    for (int64_t R = 0; R < Side * Side; ++R)
      Out[S].push_back(Of(R / Side, R % Side, static_cast<int64_t>(S), Side));
  return Out;
}

/// From tori of 3, 4 and 5 ranks a side, of as many steps less one, to one of 10.
std::optional<TorusValues> fit(const Rule &Of) {
  const std::vector<int64_t> Sides{3, 4, 5, 10}, Counts{9, 16, 25};
  std::vector<TorusValues> Values;
  for (int64_t Side : {3, 4, 5})
    Values.push_back(valuesAt(Side, static_cast<size_t>(Side) - 1, Of));
  return torusSteps(NumberFit(Shape::Square, Counts, 100), Sides, Values, 9);
}

int64_t around(int64_t V, int64_t Side) { return (V % Side + Side) % Side; }

TEST(TorusFit, TagsOfCellsOnDiagonals) {
  const Rule Tag = [](int64_t I, int64_t J, int64_t Step, int64_t Side) {
    return 3000 + around(J - I - Step - 1, Side) + Side * around(Step + I, Side);
  };
  EXPECT_EQ(fit(Tag), valuesAt(10, 9, Tag));
}

TEST(TorusFit, PartnersThatChangeWithTheStep) {
  const Rule Partner = [](int64_t I, int64_t J, int64_t Step, int64_t Side) {
    return around(I + Step, Side) * Side + around(J - 1, Side);
  };
  EXPECT_EQ(fit(Partner), valuesAt(10, 9, Partner));
}

TEST(TorusFit, OtherValuesAreRefused) {
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
} // namespace
