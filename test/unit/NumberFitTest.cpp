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

TEST(NumberFit, FacesOfBlocks) {
  // 10 faces of 1536 / q + 1 points a side, for each of q blocks.
  EXPECT_EQ(fit(Shape::Square, Squares, 16384, {2979920, 1505440, 768320}), 216320);
  // (1536 / x + 2)^2, and a curve through the same three numbers without edges.
  EXPECT_EQ(fit(Shape::Square, Squares, 16384, {37636, 9604, 2500}), 196);
  EXPECT_EQ(fit(Shape::Square, Squares, 16384, {37636, 9604, 2501}), std::nullopt);
  // Of a side with two lengths it is not known, unless another side has shown it.
  const Numbers Cubes{64, 256, 1024, 4096};
  NumberFit F(Shape::Cube, Cubes, 16384);
  EXPECT_EQ(F.at(Numbers{148996, 37636, 37636, 9605}), std::nullopt);
  NumberFit G(Shape::Cube, Cubes, 16384);
  G.learn(Numbers{148996, 37636, 9604, 9604}); // by the longest side
  EXPECT_EQ(G.at(Numbers{148996, 37636, 37636, 9604}), 2500);
}

TEST(NumberFit, TheFormThatNeedsLess) {
  // 36,000 (q - 1) / q^2; and 7,800 / q + 7,200 - 600 q, which is a product of edges by q, too.
  EXPECT_EQ(fit(Shape::Square, {9, 16, 25}, 100, {8000, 6750, 5760}), 3240);
  EXPECT_EQ(fit(Shape::Square, {9, 16, 25}, 36, {8000, 6750, 5760}), 5000);
}

TEST(NumberFit, OtherSidesDoAsOneDid) {
  const Numbers Counts{16, 32, 64, 128};
  NumberFit F(Shape::Square, Counts, 256);
  EXPECT_EQ(F.at(Numbers{75, 75, 35, 35}), std::nullopt); // of the shorter side: 4, 4, 8, 8
  NumberFit G(Shape::Square, Counts, 256);
  G.learn(Numbers{75, 35, 35, 15}); // 320 / x - 5
  EXPECT_EQ(G.at(Numbers{75, 75, 35, 35}), 15);
}

TEST(NumberFit, GuessesAreTheClosestRule) {
  // Parts of 60, rounded up: about 60 / p.
  const NumberFit Parts(Shape::Line, Numbers{4, 8, 16}, 32);
  EXPECT_EQ(Parts.at(Numbers{15, 8, 4}), std::nullopt);
  const auto G = Parts.guess(Numbers{15, 8, 4});
  EXPECT_EQ(G.Value, 2);
  EXPECT_NEAR(G.Error, 0.04, 0.005);
  // No line is closer than the last number.
  const auto Last = NumberFit(Shape::Line, Numbers{4, 8, 16}, 32).guess(Numbers{100, 3, 99});
  EXPECT_EQ(Last.Value, 99);
  EXPECT_NEAR(Last.Error, 32, 1e-9);
  const auto Zero = Parts.guess(Numbers{0, 5, 0});
  EXPECT_EQ(Zero.Value, 0);
  EXPECT_NEAR(Zero.Error, 1, 1e-9);
}

/// Shares that are rounded look like N / s + b, and like faces of blocks.
TEST(NumberFit, WhatMayBeRounded) {
  // 8 * (306 / s), rounded up, is also 2400 / s + 16: 408 or 416.
  EXPECT_EQ(fit(Shape::Square, {9, 16, 25}, 36, {816, 616, 496}), std::nullopt);
  // 2 * (101 / s), rounded up, is also (20 - s) * (9 + s) / s: 34 or 35.
  EXPECT_EQ(fit(Shape::Square, {9, 16, 25}, 36, {68, 52, 42}), std::nullopt);
  // 60 / s + 2 may be 66 / s, rounded up: 12 or 11.
  EXPECT_EQ(fit(Shape::Square, {9, 16, 25}, 36, {22, 17, 14}), std::nullopt);
  EXPECT_EQ(fit(Shape::Square, {9, 16, 25}, 36, {110, 85, 70}), std::nullopt);
  // On 20 ranks a side 60 / s + 50 is far from any 1 / s.
  EXPECT_EQ(fit(Shape::Square, {9, 16, 25}, 400, {70, 65, 62}), 53);
  // What divides stays so.
  EXPECT_EQ(fit(Shape::Square, {9, 16, 25}, 36, {20, 15, 12}), 10);
}

TEST(NumberFit, SeveralModelsThatDiffer) {
  // 16, 36 and 64 ranks are squares, and do not tell the sides apart; 32 are 8 x 4.
  NumberFit F(Shape::Square, Numbers{16, 36, 64}, 32);
  EXPECT_EQ(F.at(Numbers{4, 6, 8}), std::nullopt);
  EXPECT_TRUE(F.isAmbiguous(Numbers{4, 6, 8}));
  EXPECT_EQ(fit(Shape::Square, {16, 36, 64}, 100, {4, 6, 8}), 10);
  // Four times the longest side, or the product of the other two.
  NumberFit G(Shape::Cube, Squares, 4096);
  EXPECT_TRUE(G.isAmbiguous(Numbers{16, 32, 64}));
  EXPECT_FALSE(G.isAmbiguous(Numbers{7, 7, 7}));
}

TEST(NumberFit, TwoDifferentNumbersConfirmNothing) {
  // The sides of 4, 8 and 16 ranks are 2, 4, 4 and 2, 2, 4.
  EXPECT_EQ(fit(Shape::Square, {4, 8, 16}, 32, {5, 9, 9}), std::nullopt);
  EXPECT_EQ(fit(Shape::Square, {4, 8, 16}, 32, {5, 5, 9}), std::nullopt);
}

TEST(NumberFit, LogarithmOfASide) { EXPECT_EQ(fit(Shape::Square, {4, 8, 16, 32}, 64, {1, 2, 2, 3}), 3); }

TEST(NumberFit, PartsThatGetNoSmaller) {
  EXPECT_EQ(fit(Shape::Square, Squares, 4096, {10, 5, 5}), 5); // of 16 points a side
  EXPECT_EQ(fit(Shape::Square, Squares, 25, {10, 5, 5}), std::nullopt);
  // 16 points a side, or 5 * (9 / s), rounded up.
  EXPECT_EQ(fit(Shape::Square, Squares, 16, {10, 5, 5}), std::nullopt);
  // On a line they may be parts of the longer side, too: 4, 4 and 2, 4, 4 of 4, 8 and 16 ranks.
  EXPECT_EQ(fit(Shape::Line, {4, 8, 16}, 32, {200, 100, 100}), std::nullopt);
  EXPECT_EQ(fit(Shape::Square, Squares, 4096, {10, 4, 4}), std::nullopt);
  EXPECT_EQ(fit(Shape::Square, Squares, 4096, {10, 5, 4}), std::nullopt);
  EXPECT_EQ(fit(Shape::Square, Squares, 4096, {15, 5, 5}), std::nullopt);
}

/// Each of these follows some function of the count, which has more to choose than the numbers have to say.
TEST(NumberFit, WhatMayFollowByChance) {
  EXPECT_EQ(fit(Shape::Line, {4, 8, 16}, 32, {0, 1, 3}), std::nullopt);     // p / 5; or p / 4 - 1
  EXPECT_EQ(fit(Shape::Line, {4, 8, 16}, 32, {0, 1, 2}), std::nullopt);     // p / 8; or log2(p) - 2
  EXPECT_EQ(fit(Shape::Line, {8, 16, 32}, 64, {3, 1, 4}), std::nullopt);    // nothing
  EXPECT_EQ(fit(Shape::Square, {4, 9, 16}, 25, {0, 1, 2}), std::nullopt);   // p / 6; or s - 2
  EXPECT_EQ(fit(Shape::Square, {4, 9, 16}, 25, {1, 3, 5}), std::nullopt);   // p / 3; or 2 s - 3
  EXPECT_EQ(fit(Shape::Square, {4, 9, 16}, 25, {0, 2, 0}), std::nullopt);   // 128 % p
  EXPECT_EQ(fit(Shape::Line, {4, 8, 16}, 32, {120, 80, 60}), std::nullopt); // 240 / log2(p); or 320 / p + 40
  // The side, or the logarithm rounded down; a trace more tells.
  EXPECT_EQ(fit(Shape::Square, {4, 9, 16}, 25, {2, 3, 4}), std::nullopt);
  EXPECT_EQ(fit(Shape::Square, {4, 9, 16, 25}, 36, {2, 3, 4, 5}), 6);
  EXPECT_EQ(fit(Shape::Square, {4, 9, 16, 25}, 36, {120, 80, 60, 60}), std::nullopt); // 240 / s, and 60 at least
  // A few do, of which nobody would say so.
  EXPECT_EQ(fit(Shape::Line, {4, 8, 16}, 32, {1, 2, 4}), 8);
  EXPECT_EQ(fit(Shape::Line, {4, 8, 16}, 32, {1, 2, 3}), 4); // log2(p) - 1
  EXPECT_EQ(fit(Shape::Line, {4, 8, 16}, 32, {3, 7, 15}), 31);
  EXPECT_EQ(fit(Shape::Square, {4, 9, 16}, 25, {1, 2, 3}), 4); // s - 1
}

/// A hundred numbers more on each side change nothing.
TEST(NumberFit, WhatIsAddedConfirmsNothing) {
  size_t Answers = 0;
  NumberFit F(Shape::Line, Numbers{4, 8, 16}, 32), G(Shape::Line, Numbers{4, 8, 16}, 32);
  for (int64_t N = 0; N < 512; ++N) {
    Answers += F.at(Numbers{N % 8, N / 8 % 8, N / 64}).has_value();
    Answers += G.at(Numbers{1000 + N % 8, 1000 + N / 8 % 8, 1000 + N / 64}).has_value();
  }
  EXPECT_LT(Answers, 16 + 50u); // 16 of 1,024 are three times the same
}

TEST(NumberFit, WhatFollowsNothingIsRefused) {
  EXPECT_EQ(fit(Shape::Line, Squares, 4096, {10, 5, 5}), std::nullopt);
  EXPECT_EQ(fit(Shape::Square, Squares, 4096, {1, 17, 1000}), std::nullopt);
}
} // namespace
