// proxygen/extrapolate/NumberFit.h: numbers as exact functions of the number of ranks, and no others.
#include "proxygen/extrapolate/NumberFit.h"

#include <gtest/gtest.h>

using namespace pilgrim;

namespace {
using Numbers = std::vector<int64_t>;

std::optional<int64_t> fit(Shape S, const Numbers &Counts, int64_t To, const Numbers &Values) {
  return NumberFit(S, Counts, To).at(Values);
}
const Numbers Squares{64, 256, 1024};

TEST(NumberFit, ConstantNumbersStay) { EXPECT_EQ(fit(Shape::Line, {2, 4, 8}, 64, {7, 7, 7}), 7); }

TEST(NumberFit, ProportionalToRanks) {
  EXPECT_EQ(fit(Shape::Line, {2, 4, 8}, 100, {8, 16, 32}), 400);
  EXPECT_EQ(fit(Shape::Line, {3, 5, 8}, 100, {5, 9, 15}), 199); // 2 p - 1
}

TEST(NumberFit, PartsOfAWhole) {
  EXPECT_EQ(fit(Shape::Line, {2, 4, 8}, 16, {4096, 2048, 1024}), 512);
  // 1000 does not divide by 16.
  EXPECT_EQ(fit(Shape::Line, {2, 4, 8}, 16, {500, 250, 125}), std::nullopt);
}

TEST(NumberFit, LogarithmOfPowersOfTwo) { EXPECT_EQ(fit(Shape::Line, {4, 16, 64}, 1024, {2, 4, 6}), 10); }

TEST(NumberFit, SidesOfASquare) {
  EXPECT_EQ(fit(Shape::Line, Squares, 4096, {8, 16, 32}), std::nullopt);
  EXPECT_EQ(fit(Shape::Square, Squares, 4096, {8, 16, 32}), 64);
  EXPECT_EQ(fit(Shape::Square, Squares, 4096, {6, 14, 30}), 62);
  // Inner ranks twice, and zigzag codes: 4 p - 4 sqrt(p) - 4.
  EXPECT_EQ(fit(Shape::Square, Squares, 4096, {220, 956, 3964}), 4 * 4096 - 4 * 64 - 4);
}

TEST(NumberFit, SidesOfACube) {
  EXPECT_EQ(gridSides(64, 3), (Numbers{4, 4, 4}));
  EXPECT_EQ(gridSides(1024, 3), (Numbers{16, 8, 8}));
  EXPECT_EQ(fit(Shape::Cube, {64, 216, 512, 1000}, 4096, {16, 36, 64, 100}), 256);
}

TEST(NumberFit, WhatFollowsNothingIsRefused) {
  EXPECT_EQ(fit(Shape::Line, Squares, 4096, {10, 5, 5}), std::nullopt);
  EXPECT_EQ(fit(Shape::Square, Squares, 4096, {10, 5, 5}), std::nullopt);
  EXPECT_EQ(fit(Shape::Square, Squares, 4096, {1, 17, 1000}), std::nullopt);
}
} // namespace
