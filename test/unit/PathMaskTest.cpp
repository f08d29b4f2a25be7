// trace/file/PathMask.h, PathMask.cpp: any path of a region of few events has one, and comes back.
#include "trace/file/PathMask.h"

#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;

/// Arms at random, each in an earlier one or in none; events of some numbers are not known.
static Region randomRegion(std::mt19937 &Random, uint32_t Size, std::vector<uint32_t> &Known) {
  Region X;
  std::vector<uint32_t> Arms{0};
  for (uint32_t E = 1; E <= Size; ++E) {
    Region::Event New;
    if (Random() % 4) {
      New.K = Random() % 3 ? Region::Site : Region::Arm;
      New.Arm = Arms[Random() % Arms.size()];
      Known.push_back(E);
      if (New.K == Region::Arm)
        Arms.push_back(E);
    }
    X.Events.push_back(New);
  }
  return X;
}

TEST(PathMask, AnyPathComesBack) {
  std::mt19937 Random(1);
  for (unsigned Round = 0; Round < 2000; ++Round) {
    std::vector<uint32_t> Known, Path;
    Region X = randomRegion(Random, 1 + Random() % 60, Known);
    for (uint32_t E : Known)
      if (Random() % 2)
        Path.push_back(E);
    PathMask M(X, Known);
    EXPECT_EQ(M.bits(), Known.size());
    auto Mask = M.of(Path);
    ASSERT_TRUE(Mask);
    EXPECT_EQ(*Mask >> M.bits(), 0u);
    EXPECT_EQ(M.path(*Mask), Path);
    // And any mask is that of its path.
    const uint64_t Other = (uint64_t(Random()) << 32 | Random()) & ((uint64_t(1) << M.bits()) - 1);
    EXPECT_EQ(M.of(M.path(Other)), Other);
    EXPECT_EQ(M.of(Known), 0u);
  }
}

TEST(PathMask, ArmsComeFirstAndSayWhatIsInThem) {
  Region X;
  // Site, arm, site in it, arm in it, site in that, arm.
  X.Events = {{Region::Site, 0, 0, 0, ""}, {Region::Arm, 0, 0, 0, ""},  {Region::Site, 0, 2, 0, ""},
              {Region::Arm, 0, 2, 0, ""},  {Region::Site, 0, 4, 0, ""}, {Region::Arm, 0, 0, 0, ""}};
  const std::vector<uint32_t> All{1, 2, 3, 4, 5, 6};
  PathMask M(X, All);
  EXPECT_EQ(M.of({1, 6}), 1u);
  EXPECT_EQ(M.of({1, 2, 3, 6}), 2u);
  EXPECT_EQ(M.of({1, 2, 3, 4, 5}), 4u);
  EXPECT_EQ(M.of({2, 3, 4, 5, 6}), 8u);
  EXPECT_EQ(M.of({1, 5, 6}), 1u | 32u);
}

TEST(PathMask, SomeHaveNone) {
  Region X;
  std::vector<uint32_t> Known, Long;
  for (uint32_t E = 1; E <= 70; ++E) {
    X.Events.push_back({E == 70 ? Region::Arm : Region::Site, 0, 0, 0, ""});
    Known.push_back(E);
  }
  PathMask M(X, Known);
  EXPECT_EQ(M.bits(), PathMask::MaxBits);
  auto Without = [&](uint32_t Event) {
    std::vector<uint32_t> Path = Known;
    std::erase(Path, Event);
    return M.of(Path);
  };
  EXPECT_EQ(Without(70), 1u); // the arm
  EXPECT_EQ(Without(61), uint64_t(1) << 61);
  EXPECT_EQ(Without(62), std::nullopt);
  EXPECT_EQ(M.of({2, 1}), std::nullopt);
  EXPECT_EQ(M.of({1, 71}), std::nullopt);
  EXPECT_EQ(M.of({1, 1}), std::nullopt);
}
