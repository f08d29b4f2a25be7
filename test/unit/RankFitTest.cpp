// proxygen/extrapolate/RankFit.h: functions of the rank by where ranks stand.
#include "proxygen/extrapolate/RankFit.h"

#include <gtest/gtest.h>

#include <functional>

using namespace pilgrim;

namespace {
using Counts = std::vector<int64_t>;
const Counts Squares{16, 64, 256};

/// Rows and columns of the most even grid, rows of the longer side.
struct Grid {
  int64_t Rows, Columns;
  explicit Grid(int64_t Ranks) : Rows(gridSides(Ranks, 2)[0]), Columns(gridSides(Ranks, 2)[1]) {}
};
/// What a rank has at a place of such a grid.
using Rule = std::function<int64_t(int64_t I, int64_t J, const Grid &G)>;

std::vector<int64_t> valuesAt(int64_t Ranks, const Rule &Of) {
  const Grid G(Ranks);
  std::vector<int64_t> Out;
  for (int64_t R = 0; R < Ranks; ++R)
    Out.push_back(Of(R / G.Columns, R % G.Columns, G));
  return Out;
}
std::vector<int64_t> valuesOf(const RankFn &F, int64_t Ranks) {
  std::vector<int64_t> Out;
  for (int64_t R = 0; R < Ranks; ++R)
    Out.push_back(F.eval(static_cast<uint32_t>(R), {R, Ranks}));
  return Out;
}
RankSet everyone(int64_t Ranks) { return RankSet::below(static_cast<uint32_t>(Ranks)); }

std::optional<std::vector<int64_t>> fit(const Counts &Of, int64_t To, const Rule &R, Shape S = Shape::Square,
                                        bool ArePlaces = false) {
  NumberFit Numbers(S, Of, To);
  RankFit Fit(S, Of, To, Numbers);
  std::vector<RankFn> Functions;
  std::vector<RankSet> Ranks;
  for (int64_t N : Of) {
    Ranks.push_back(everyone(N));
    Functions.push_back(RankFn::ofValues(valuesAt(N, R), Ranks.back()));
  }
  const auto F = Fit.function(Functions, Ranks, everyone(To), ArePlaces, true);
  return F ? std::optional(valuesOf(*F, To)) : std::nullopt;
}

TEST(RankFit, SharesOfWhatDoesNotDivide) {
  // Of 101 points among columns, and 52 among rows.
  const Rule Columns = [](int64_t, int64_t J, const Grid &G) { return 8 * (101 / G.Columns + (J < 101 % G.Columns)); };
  const Rule Rows = [](int64_t I, int64_t, const Grid &G) { return 52 / G.Rows + (I < 52 % G.Rows) + 2; };
  const Rule Begins = [](int64_t I, int64_t, const Grid &G) { return 100 + 8 * (I * 52 / G.Rows); };
  for (const Rule &R : {Columns, Rows, Begins})
    EXPECT_EQ(fit({9, 16, 25}, 49, R), valuesAt(49, R));
  const Rule Faces = [&](int64_t I, int64_t J, const Grid &G) { return Columns(I, J, G) * (Rows(I, J, G) - 2) + 24; };
  EXPECT_EQ(fit({9, 16, 25}, 49, Faces), valuesAt(49, Faces));
  // Edges that are longer than the share are no such product.
  const Rule Halos = [&](int64_t I, int64_t J, const Grid &G) { return Columns(I, J, G) * Rows(I, J, G); };
  EXPECT_FALSE(fit({9, 16, 25}, 49, Halos));
  // Of three lengths of a side two are equal.
  EXPECT_FALSE(fit({9, 12, 16}, 49, Columns));
}

/// The first rank of a chain receives nothing.
TEST(RankFit, SharesOfAllButOneRank) {
  auto Fit = [](const Counts &Of, int64_t To, Shape S) -> std::optional<std::vector<int64_t>> {
    NumberFit Numbers(S, Of, To);
    RankFit Fit(S, Of, To, Numbers);
    std::vector<RankFn> Functions;
    std::vector<RankSet> Ranks;
    auto Last = [](int64_t N) { return RankSet::between(1, static_cast<uint32_t>(N - 1)); };
    for (int64_t N : Of) {
      Ranks.push_back(Last(N));
      std::vector<int64_t> Values;
      for (int64_t R = 1; R < N; ++R)
        Values.push_back(8 * (50 / N + (R < 50 % N)));
      Functions.push_back(RankFn::ofValues(Values, Ranks.back()));
    }
    const auto F = Fit.function(Functions, Ranks, Last(To), false, true);
    return F ? std::optional(valuesOf(*F, To)) : std::nullopt;
  };
  // What the first one has does not matter.
  const std::vector<int64_t> Then{32, 32, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24};
  for (const Counts &Of : {Counts{4, 8, 12}, Counts{4, 6, 8}}) {
    auto Got = Fit(Of, 16, Shape::Line);
    ASSERT_TRUE(Got);
    (*Got)[0] = Then[0];
    EXPECT_EQ(*Got, Then);
  }
  // 2 x 2, 3 x 2 and 4 x 2 ranks have rows of two, among which 25 points may be divided: 7 of them on 4 x 4.
  EXPECT_EQ(Fit({4, 6, 8}, 16, Shape::Square), std::nullopt);
}

TEST(RankFit, CornersEdgesAndInside) {
  // The number of neighbours.
  const Rule Neighbours = [](int64_t I, int64_t J, const Grid &G) {
    return (I > 0) + (I + 1 < G.Rows) + (J > 0) + (J + 1 < G.Columns);
  };
  EXPECT_EQ(fit(Squares, 1024, Neighbours), valuesAt(1024, Neighbours));
  EXPECT_EQ(fit({9, 16, 25}, 36, Neighbours), valuesAt(36, Neighbours));
  // Of 2 x 2 ranks all are corners, which says nothing of what is between; two more say the same.
  EXPECT_EQ(fit({4, 16, 64}, 256, Neighbours), valuesAt(256, Neighbours));
  // Of 3 x 3 ranks one is between, so that 4 x 4 ranks alone say how values grow there.
  EXPECT_EQ(fit({4, 9, 16}, 64, Neighbours), std::nullopt);
}

TEST(RankFit, TwoPlacesAtEachEnd) {
  const Rule Depth = [](int64_t I, int64_t J, const Grid &G) {
    return std::min<int64_t>({2, I, J, G.Rows - 1 - I, G.Columns - 1 - J});
  };
  EXPECT_EQ(fit(Squares, 1024, Depth), valuesAt(1024, Depth));
  const Rule Deeper = [](int64_t I, int64_t J, const Grid &G) {
    return std::min<int64_t>({3, I, J, G.Rows - 1 - I, G.Columns - 1 - J});
  };
  EXPECT_EQ(fit({64, 256, 1024}, 4096, Deeper), std::nullopt);
}

TEST(RankFit, Slopes) {
  // The rank at the transposed place, and one around a torus.
  const Rule Transposed = [](int64_t I, int64_t J, const Grid &G) { return J * G.Columns + I; };
  EXPECT_EQ(fit(Squares, 1024, Transposed), valuesAt(1024, Transposed));
  const Rule Around = [](int64_t I, int64_t J, const Grid &G) {
    return (I + G.Rows - 1) % G.Rows * G.Columns + (J + 1) % G.Columns;
  };
  EXPECT_EQ(fit(Squares, 1024, Around), valuesAt(1024, Around));
  const Rule Curved = [](int64_t I, int64_t J, const Grid &) { return I * J; };
  EXPECT_EQ(fit(Squares, 1024, Curved), std::nullopt);
}

TEST(RankFit, NumbersThatFollowFromTheSide) {
  const Rule Sizes = [](int64_t I, int64_t, const Grid &G) { return 4096 / G.Rows + (I ? 2 : 1); };
  EXPECT_EQ(fit(Squares, 1024, Sizes), valuesAt(1024, Sizes));
  const Rule Other = [](int64_t I, int64_t, const Grid &G) { return G.Rows == 8 ? 7 : 4096 / G.Rows + I; };
  EXPECT_EQ(fit(Squares, 1024, Other), std::nullopt);
}

TEST(RankFit, NumbersOfOtherCells) {
  // 2 x 2 ranks have no edges. What is there on more ranks, is as in most corners.
  auto Of = [](int64_t Last2, int64_t Last4, int64_t Last8) {
    return [=](int64_t I, int64_t J, const Grid &G) {
      const bool IsLast = I + 1 == G.Rows && J == 0;
      return !IsLast ? G.Rows : G.Rows == 2 ? Last2 : G.Rows == 4 ? Last4 : G.Rows == 8 ? Last8 : 5;
    };
  };
  EXPECT_EQ(fit({4, 16, 64}, 256, Of(5, 5, 5)), valuesAt(256, Of(5, 5, 5)));
  // Or as in the last one, where it is p / 12 + 8 / 3.
  EXPECT_EQ(fit({4, 16, 64}, 256, Of(3, 4, 8)), std::nullopt);
}

TEST(RankFit, WhichSideIsWhich) {
  // Of squares it is not known which side of 8 x 4 ranks a row is.
  const Rule First = [](int64_t I, int64_t, const Grid &) { return I == 0; };
  EXPECT_EQ(fit(Squares, 128, First), std::nullopt);
  EXPECT_EQ(fit({16, 32, 64, 128}, 512, First), valuesAt(512, First));
}

TEST(RankFit, NoRule) {
  unsigned Seed = 1;
  const Rule Random = [&](int64_t, int64_t, const Grid &) { return rand_r(&Seed) % 2; };
  EXPECT_EQ(fit({4, 9, 16}, 25, Random), std::nullopt);
  EXPECT_EQ(fit(Squares, 1024, Random), std::nullopt);
  // A fifth kind of rank on the largest count alone.
  const Rule Late = [](int64_t I, int64_t J, const Grid &G) { return G.Rows == 16 && I == 7 && J == 7; };
  EXPECT_EQ(fit(Squares, 1024, Late), std::nullopt);
}

TEST(RankFit, PlacesAreThoseOfTheLargest) {
  // Two variables, whose addresses no rule gives.
  const std::map<int64_t, int64_t> Base{{4, 1000}, {8, 77777}, {16, 4321}, {32, 4321}};
  const Rule Buffer = [&](int64_t I, int64_t, const Grid &G) { return Base.at(G.Rows) + (I == 0 ? 640 : 0); };
  EXPECT_EQ(fit(Squares, 1024, Buffer), std::nullopt);
  EXPECT_EQ(fit(Squares, 1024, Buffer, Shape::Square, true), valuesAt(1024, Buffer));
  // An array, of which each rank has another element: where these are is not known of more ranks.
  const Rule Element = [&](int64_t I, int64_t, const Grid &G) { return Base.at(G.Rows) + 8 * I; };
  EXPECT_EQ(fit(Squares, 1024, Element, Shape::Square, true), std::nullopt);
}

TEST(RankFit, ExplanationsStay) {
  // In a communicator that is not known: the rank there and four more; nobody behind the last ones.
  const Counts Of{16, 64, 256};
  NumberFit Numbers(Shape::Square, Of, 1024);
  RankFit Fit(Shape::Square, Of, 1024, Numbers);
  auto FunctionOf = [](int64_t Ranks) {
    const auto Side = static_cast<uint32_t>(Grid(Ranks).Columns), N = static_cast<uint32_t>(Ranks);
    Candidates More, None;
    More.Mask = Candidates::Offset;
    More.Off = Side;
    None.C = -1;
    return RankFn::ofPieces({{RankSet::below(N - Side), More}, {RankSet::between(N - Side, N - 1), None}});
  };
  std::vector<RankFn> Functions;
  std::vector<RankSet> Ranks;
  for (int64_t N : Of) {
    Functions.push_back(FunctionOf(N));
    Ranks.push_back(everyone(N));
  }
  const auto F = Fit.function(Functions, Ranks, everyone(1024), false, false);
  ASSERT_TRUE(F);
  for (int64_t Own : {0, 5, 700}) // the rank there
    EXPECT_EQ(F->eval(3, {Own, 2000}), Own + 32);
  EXPECT_EQ(F->eval(1000, {5, 2000}), -1);
  // Not explained in the same way everywhere, though by the same numbers.
  Functions[0] = RankFn::ofLevels({{4, RankSet::below(12)}, {-1, RankSet::between(12, 15)}});
  EXPECT_FALSE(Fit.function(Functions, Ranks, everyone(1024), false, false));
}

TEST(RankFit, NumbersAreNoRanksOfAnotherCommunicator) {
  // A neighbour in a torus, as numbers; the communicator is not known.
  const Counts Of{16, 64, 256};
  NumberFit Numbers(Shape::Square, Of, 1024);
  RankFit Fit(Shape::Square, Of, 1024, Numbers);
  const Rule Next = [](int64_t I, int64_t J, const Grid &G) {
    return (I + 1) % G.Rows * G.Columns + (J + 1) % G.Columns;
  };
  std::vector<RankFn> Functions;
  std::vector<RankSet> Ranks;
  for (int64_t N : Of) {
    Ranks.push_back(everyone(N));
    Functions.push_back(RankFn::ofValues(valuesAt(N, Next), Ranks.back()));
  }
  const auto F = Fit.function(Functions, Ranks, everyone(1024), false, false);
  ASSERT_TRUE(F);
  EXPECT_EQ(F->eval(3, {77, 99}), 36);
  EXPECT_EQ(F->eval(1023, {0, 5}), 0);
}

TEST(RankFit, Sets) {
  auto Fit = [](const Counts &Of, int64_t To, const Rule &Is, Shape S = Shape::Square) {
    NumberFit Numbers(S, Of, To);
    std::vector<RankSet> Sets;
    for (int64_t N : Of) {
      auto &Set = Sets.emplace_back();
      const auto Values = valuesAt(N, Is);
      for (uint32_t R = 0; R < Values.size(); ++R)
        if (Values[R])
          Set.unite(RankSet(R));
    }
    return RankFit(S, Of, To, Numbers).set(Sets);
  };
  auto Wanted = [](int64_t To, const Rule &Is) {
    RankSet Out;
    const auto Values = valuesAt(To, Is);
    for (uint32_t R = 0; R < Values.size(); ++R)
      if (Values[R])
        Out.unite(RankSet(R));
    return Out;
  };
  const Rule Inside = [](int64_t I, int64_t J, const Grid &G) {
    return I > 0 && J > 0 && I + 1 < G.Rows && J + 1 < G.Columns;
  };
  EXPECT_EQ(Fit(Squares, 1024, Inside), Wanted(1024, Inside));
  const Rule Corner = [](int64_t I, int64_t J, const Grid &G) { return I + 1 == G.Rows && J == 0; };
  EXPECT_EQ(Fit(Squares, 1024, Corner), Wanted(1024, Corner));
  const Rule Diagonal = [](int64_t I, int64_t J, const Grid &) { return I == J; };
  EXPECT_EQ(Fit(Squares, 1024, Diagonal), std::nullopt);
  const Rule Half = [](int64_t I, int64_t, const Grid &G) { return 2 * I < G.Rows; };
  EXPECT_EQ(Fit(Squares, 1024, Half), Wanted(1024, Half));
  const Rule InTurns = [](int64_t, int64_t J, const Grid &) { return J % 4 == 1; };
  EXPECT_EQ(Fit({16, 32, 64}, 256, InTurns, Shape::Line), Wanted(256, InTurns));
  const Rule Irregular = [](int64_t I, int64_t J, const Grid &) { return (I * I + 3 * J) % 5 < 2; };
  EXPECT_EQ(Fit(Squares, 1024, Irregular), std::nullopt);
}
} // namespace
