#include "proxygen/RequestLayout.h"

#include <gtest/gtest.h>
#include <set>

using namespace pilgrim;

static std::vector<uint32_t> placesIn(const RequestLayout &L, uint32_t Count) {
  std::vector<uint32_t> Out;
  for (uint32_t N = 0; N < Count; ++N)
    Out.push_back(L.place(N));
  return Out;
}

static std::vector<uint32_t> places(const std::vector<std::vector<int64_t>> &Arrays, uint32_t Count) {
  const auto Out = placesIn(RequestLayout(Arrays), Count);
  EXPECT_EQ(std::set<uint32_t>(Out.begin(), Out.end()).size(), Count) << "two numbers have one place";
  return Out;
}

static std::vector<uint32_t> asNumbered(uint32_t Count) { return placesIn(RequestLayout(), Count); }

TEST(RequestLayout, NumbersArePlacesWhereArraysAreRows) {
  EXPECT_EQ(asNumbered(4), (std::vector<uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(places({}, 8), asNumbered(8));
  EXPECT_EQ(places({{0, 1, 2}, {3, 4, 5}, {4, 5}, {6}}, 8), asNumbered(8));
}

TEST(RequestLayout, WhatIsByNumberIsEqual) {
  const std::vector<std::vector<int64_t>> Rows{{0, 1, 2}, {3, 4}}, Others{{1, 0}};
  EXPECT_TRUE(RequestLayout(Rows).isByNumber());
  EXPECT_EQ(RequestLayout(Rows), RequestLayout());
  EXPECT_FALSE(RequestLayout(Others).isByNumber());
  EXPECT_FALSE(RequestLayout(Others) == RequestLayout());
}

TEST(RequestLayout, ArraysInAnotherOrderBecomeRows) {
  EXPECT_EQ(places({{1, 0, 2}, {4, 3, 5}}, 7), (std::vector<uint32_t>{1, 0, 2, 4, 3, 5, 6}));
  EXPECT_EQ(places({{0, 2, 4}, {1, 3, 5}}, 7), (std::vector<uint32_t>{0, 3, 1, 4, 2, 5, 6}));
}

TEST(RequestLayout, LongerArraysComeFirst) {
  EXPECT_EQ(places({{1, 0}, {2, 1, 0}}, 3), (std::vector<uint32_t>{2, 1, 0}));
}

TEST(RequestLayout, RowsStayWhereTheyAre) {
  EXPECT_EQ(places({{5, 0}, {0, 1, 2}}, 6), asNumbered(6)) << "0 has its place";
  EXPECT_EQ(places({{5, 3}, {2, 3}, {6, 5}}, 8), (std::vector<uint32_t>{0, 1, 2, 3, 4, 6, 5, 7}));
}

TEST(RequestLayout, PlacesBehindTheLastNumber) {
  EXPECT_EQ(places({{1, 2}, {4, 5}, {0, 3, 6}}, 8), (std::vector<uint32_t>{6, 1, 2, 7, 4, 5, 8, 9}));
}

TEST(RequestLayout, NullsTakeNoPlace) {
  EXPECT_EQ(places({{0, -1, 2}, {-1, 3}, {-1, 0}}, 4), asNumbered(4));
  EXPECT_EQ(places({{3, -1, 0}, {-1, 1, 2}}, 5), (std::vector<uint32_t>{5, 1, 2, 3, 6})) << "1, 2 are a row";
  EXPECT_EQ(places({{-1, 0, 1}}, 2), (std::vector<uint32_t>{1, 2})) << "there is no place before the first";
}

TEST(RequestLayout, WhatIsNoArrayOfNumbers) {
  EXPECT_EQ(places({{1, -2, 0}, {2, 2}, {RequestLayout::MostNumbers, 3}, {int64_t(1) << 32, 4}}, 6), asNumbered(6));
}
