// proxygen/extrapolate/PartFit.h: what is divided among places, against plain divisions.
#include "proxygen/extrapolate/PartFit.h"

#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;

namespace {
using Values = std::vector<int64_t>;

constexpr Division All[] = {Division::FirstMore, Division::LastMore, Division::Spread, Division::LastRest,
                            Division::Ceiling};

/// How many points each place gets, one after the other.
Values partsOf(Division D, int64_t N, int64_t Length) {
  Values Out(static_cast<size_t>(Length), N / Length);
  int64_t Left = N;
  switch (D) {
  case Division::FirstMore:
    for (int64_t I = 0; I < N % Length; ++I)
      ++Out[static_cast<size_t>(I)];
    break;
  case Division::LastMore:
    for (int64_t I = 0; I < N % Length; ++I)
      ++Out[static_cast<size_t>(Length - 1 - I)];
    break;
  case Division::Spread:
    // As a line on a screen: whenever the sum of fractions is a whole one.
    for (int64_t I = 0, Rest = 0; I < Length; ++I)
      if (Rest += N % Length; Rest >= Length) {
        Rest -= Length;
        ++Out[static_cast<size_t>(I)];
      }
    break;
  case Division::LastRest:
    Out.back() += N % Length;
    break;
  case Division::Ceiling:
    for (int64_t &V : Out)
      Left -= V = std::min(Left, (N + Length - 1) / Length);
    break;
  }
  return Out;
}

Values lineOf(Division D, bool IsBegin, int64_t N, int64_t A, int64_t B, int64_t Length) {
  Values Out = partsOf(D, N, Length);
  int64_t Begin = 0;
  for (int64_t &V : Out) {
    const int64_t Part = V;
    V = A * (IsBegin ? Begin : Part) + B;
    Begin += Part;
  }
  return Out;
}
} // namespace

TEST(PartFit, BeginsAreSumsOfParts) {
  for (const Division D : All)
    for (int64_t N : {0, 1, 7, 64, 100, 101})
      for (int64_t Length : {1, 2, 3, 7, 10, 100, 130}) {
        int64_t Sum = 0;
        const Values Parts = partsOf(D, N, Length);
        for (int64_t I = 0; I < Length; ++I) {
          EXPECT_EQ(beginOf(D, N, Length, I), Sum) << int(D) << ' ' << N << ' ' << Length << ' ' << I;
          Sum += Parts[static_cast<size_t>(I)];
        }
        EXPECT_EQ(Sum, N);
        EXPECT_EQ(beginOf(D, N, Length, Length), N);
      }
}

/// What is said is right, and mostly something is said.
TEST(PartFit, SaysTheTruthOrNothing) {
  std::mt19937_64 Random(1);
  for (const bool IsBegin : {false, true}) {
    unsigned Said = 0, Asked = 0;
    for (unsigned Case = 0; Case < 20000; ++Case) {
      const Division D = All[Random() % 5];
      const auto N = static_cast<int64_t>(50 + Random() % 2000), A = static_cast<int64_t>(1 + Random() % 40),
                 B = Random() % 2 ? 0 : static_cast<int64_t>(Random() % 200) - 50;
      std::vector<Values> Lines;
      int64_t Length = static_cast<int64_t>(1 + Random() % 5);
      for (unsigned T = 0; T < 3 + Random() % 2; ++T, Length += static_cast<int64_t>(1 + Random() % 6))
        Lines.push_back(lineOf(D, IsBegin, N, A, B, Length));
      Length += static_cast<int64_t>(Random() % 20);
      const auto Then = fitParts(Lines, Length);
      ++Asked;
      Said += Then.has_value();
      EXPECT_TRUE(!Then || *Then == lineOf(D, IsBegin, N, A, B, Length))
          << int(D) << " N " << N << " A " << A << " B " << B << " to " << Length << " begin " << IsBegin;
    }
    EXPECT_GT(Said * 3, Asked) << IsBegin;
  }
}

TEST(PartFit, FacesSayTheTruthOrNothing) {
  std::mt19937_64 Random(2);
  unsigned Said = 0;
  for (unsigned Case = 0; Case < 3000; ++Case) {
    const Division D = All[Random() % 5], E = All[Random() % 5];
    const auto N = static_cast<int64_t>(50 + Random() % 500), M = static_cast<int64_t>(50 + Random() % 500),
               A = static_cast<int64_t>(1 + Random() % 40),
               B = Random() % 2 ? 0 : static_cast<int64_t>(Random() % 200) - 50;
    const auto PlaneOf = [&](int64_t First, int64_t Second) {
      Plane Out;
      for (int64_t X : partsOf(D, N, First)) {
        Out.emplace_back();
        for (int64_t Y : partsOf(E, M, Second))
          Out.back().push_back(A * X * Y + B);
      }
      return Out;
    };
    std::vector<Plane> Planes;
    auto First = static_cast<int64_t>(1 + Random() % 4), Second = static_cast<int64_t>(1 + Random() % 4);
    for (unsigned T = 0; T < 3; ++T) {
      Planes.push_back(PlaneOf(First, Second));
      First += static_cast<int64_t>(1 + Random() % 4);
      Second += static_cast<int64_t>(1 + Random() % 4);
    }
    const auto Then = fitFaces(Planes, First, Second);
    Said += Then.has_value();
    EXPECT_TRUE(!Then || *Then == PlaneOf(First, Second)) << Case;
    // Two values have changed places.
    std::swap(Planes[2][0][0], Planes[2].back().back());
    if (Planes[2][0][0] != Planes[2].back().back()) {
      EXPECT_FALSE(fitFaces(Planes, First, Second)) << Case;
    }
  }
  EXPECT_GT(Said, 600u);
}

TEST(PartFit, LargeNumbers) {
  constexpr int64_t Large = int64_t(1) << 40;
  // The line through the sums leaves what a number can be; products do, too.
  EXPECT_FALSE(fitParts(std::vector<Values>{Values(3000, -Large), Values(3001, Large), Values(3002, -Large)}, 4000));
  std::vector<Plane> Planes;
  for (size_t Length : {3, 5, 7})
    Planes.push_back(Plane(Length, Values(Length, Length == 5 ? -Large : Large)));
  EXPECT_FALSE(fitFaces(Planes, 9, 9));
  // What can be said is.
  std::vector<Values> Lines;
  for (int64_t Length : {3, 5, 7})
    Lines.push_back(lineOf(Division::FirstMore, false, Large / 16 + 1, 8, 0, Length));
  EXPECT_EQ(fitParts(Lines, 11), lineOf(Division::FirstMore, false, Large / 16 + 1, 8, 0, 11));
}

TEST(PartFit, NothingElseFits) {
  // One value is off by one.
  for (size_t Off = 0; Off < 7; ++Off) {
    std::vector<Values> Lines;
    for (int64_t Length : {3, 5, 7})
      Lines.push_back(lineOf(Division::FirstMore, false, 100, 8, 4, Length));
    EXPECT_TRUE(fitParts(Lines, 11));
    ++Lines[2][Off];
    EXPECT_FALSE(fitParts(Lines, 11)) << Off;
  }
  // Two lengths confirm nothing.
  const std::vector<Values> Two{lineOf(Division::FirstMore, false, 100, 8, 4, 3),
                                lineOf(Division::FirstMore, false, 100, 8, 4, 7),
                                lineOf(Division::FirstMore, false, 100, 8, 4, 7)};
  EXPECT_FALSE(fitParts(Two, 11));
  // 67, 67, 66: either the first two have one more, or the last one has what is left.
  std::vector<Values> Three;
  for (int64_t Length : {3, 4, 5})
    Three.push_back(lineOf(Division::FirstMore, false, 200, 2, 0, Length));
  EXPECT_EQ(fitParts(Three, 8), lineOf(Division::FirstMore, false, 200, 2, 0, 8));
  EXPECT_FALSE(fitParts(Three, 6));
}
