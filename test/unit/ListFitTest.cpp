// proxygen/extrapolate/ListFit.h: lists that are longer on more ranks.
#include "proxygen/extrapolate/ListFit.h"

#include <gtest/gtest.h>

using namespace pilgrim;

namespace {
using Numbers = std::vector<int64_t>;
const Numbers Squares{64, 256, 1024};

/// Values of up to 3, 4 and 5 steps on 64, 256 and 1,024 ranks; of 7 on 16,384.
std::optional<Numbers> steps(const std::vector<Numbers> &Values, size_t Wanted = 7) {
  return stepsAt(NumberFit(Shape::Square, Squares, 16384), Values, Wanted);
}

TEST(ListFit, Steps) {
  EXPECT_EQ(steps({{4, 6, 8}, {4, 6, 8, 10}, {4, 6, 8, 10, 12}}), (Numbers{4, 6, 8, 10, 12, 14, 16}));
  EXPECT_EQ(steps({{1, 2, 4}, {1, 2, 4, 8}, {1, 2, 4, 8, 16}}), (Numbers{1, 2, 4, 8, 16, 32, 64}));
  // Half of the side first.
  EXPECT_EQ(steps({{4, 2, 1}, {8, 4, 2, 1}, {16, 8, 4, 2, 1}}), (Numbers{64, 32, 16, 8, 4, 2, 1}));
  // Half of what does not depend on the ranks.
  EXPECT_EQ(steps({{512, 256, 128}, {512, 256, 128, 64}, {512, 256, 128, 64, 32}}),
            (Numbers{512, 256, 128, 64, 32, 16, 8}));
}

TEST(ListFit, StepsThatFollowNothing) {
  EXPECT_EQ(steps({{4, 6, 8}, {4, 6, 8, 11}, {4, 6, 8, 10, 12}}), std::nullopt);
  EXPECT_EQ(steps({{1, 2, 4}, {1, 2, 4, 8}, {1, 2, 4, 8, 15}}), std::nullopt);
  // 16 does not halve seven times.
  EXPECT_EQ(steps({{16, 8, 4}, {16, 8, 4, 2}, {16, 8, 4, 2, 1}}), std::nullopt);
  // Three values are too few for a ratio, unless no more are wanted.
  EXPECT_EQ(steps({{1}, {1, 2}, {1, 2, 4}}), std::nullopt);
  EXPECT_EQ(steps({{1, 2}, {1, 2, 4}, {1, 2, 4}}, 3), (Numbers{1, 2, 4}));
}

/// Records of one number each; a letter before the number is their form.
PlainList listOf(std::initializer_list<std::pair<char, int64_t>> Records) {
  PlainList L;
  for (auto [Form, V] : Records)
    L.Records.push_back({{{PlainValue::Fixed, Form}, {PlainValue::Natural, V}}});
  return L;
}
std::string textOf(const std::optional<std::vector<PlainRecord>> &Records) {
  std::string Out;
  for (const PlainRecord &R : Records.value_or(std::vector<PlainRecord>()))
    Out += (Out.empty() ? "" : " ") + std::string(1, static_cast<char>(R.Values[0].V)) + std::to_string(R.Values[1].V);
  return Records ? Out : "none";
}
std::string longer(const std::vector<PlainList> &Lists) {
  std::vector<const PlainList *> Pointers;
  for (const PlainList &L : Lists)
    Pointers.push_back(&L);
  RecordFit Fit(Shape::Square, Squares, 4096);
  return textOf(longerList(Fit, Pointers));
}

TEST(ListFit, AButterflyBetweenOtherCalls) {
  EXPECT_EQ(
      longer(
          {listOf({{'i', 64}, {'s', 4}, {'r', 4}, {'s', 2}, {'r', 2}, {'s', 1}, {'r', 1}, {'b', 8}}),
           listOf(
               {{'i', 256}, {'s', 8}, {'r', 8}, {'s', 4}, {'r', 4}, {'s', 2}, {'r', 2}, {'s', 1}, {'r', 1}, {'b', 16}}),
           listOf({{'i', 1024},
                   {'s', 16},
                   {'r', 16},
                   {'s', 8},
                   {'r', 8},
                   {'s', 4},
                   {'r', 4},
                   {'s', 2},
                   {'r', 2},
                   {'s', 1},
                   {'r', 1},
                   {'b', 32}})}),
      "i4096 s32 r32 s16 r16 s8 r8 s4 r4 s2 r2 s1 r1 b64");
}

TEST(ListFit, TwoRunsInOneList) {
  auto Of = [](int64_t Steps) {
    PlainList L = listOf({{'i', 0}});
    for (int64_t I = 0; I < Steps; ++I)
      L.Records.push_back({{{PlainValue::Fixed, 's'}, {PlainValue::Natural, int64_t(1) << I}}});
    L.Records.push_back({{{PlainValue::Fixed, 'b'}, {PlainValue::Natural, 7}}});
    for (int64_t I = 0; I < Steps; ++I)
      L.Records.push_back({{{PlainValue::Fixed, 's'}, {PlainValue::Natural, 10 * I}}});
    return L;
  };
  EXPECT_EQ(longer({Of(3), Of(4), Of(5)}), "i0 s1 s2 s4 s8 s16 s32 b7 s0 s10 s20 s30 s40 s50");
}

TEST(ListFit, LongListsAreBounded) {
  // Equal records, which can be divided in very many ways; and lists that are too long to be looked at.
  auto Of = [](size_t Records) {
    return PlainList{"", std::vector<PlainRecord>(Records, {{{PlainValue::Fixed, 's'}, {PlainValue::Natural, 7}}})};
  };
  EXPECT_EQ(longer({Of(300), Of(340), Of(380)}).size(), 420 * 3u - 1); // 64, 256, 1,024 to 4,096 ranks
  EXPECT_EQ(longer({Of(3000), Of(3300), Of(3600)}), "none");
}

TEST(ListFit, WhatFollowsNothingIsRefused) {
  EXPECT_EQ(longer({listOf({{'s', 5}, {'s', 1}}), listOf({{'s', 3}, {'s', 1}, {'s', 4}}),
                    listOf({{'s', 2}, {'s', 7}, {'s', 1}, {'s', 8}})}),
            "none");
  // Another call in the middle of the longest.
  EXPECT_EQ(longer({listOf({{'s', 1}, {'s', 2}, {'s', 3}}), listOf({{'s', 1}, {'s', 2}, {'s', 3}, {'s', 4}}),
                    listOf({{'s', 1}, {'s', 2}, {'x', 3}, {'s', 4}, {'s', 5}})}),
            "none");
  // Fewer on more ranks.
  EXPECT_EQ(longer({listOf({{'s', 1}, {'s', 2}, {'s', 3}}), listOf({{'s', 1}, {'s', 2}}), listOf({{'s', 1}})}), "none");
}
} // namespace
