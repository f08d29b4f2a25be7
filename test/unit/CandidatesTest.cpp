// trace/ranks/Candidates.cpp: explanations of values, against trying each of them.
#include "test/unit/Ranks.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

TEST(Candidates, ACandidateIsOnlyWhatExplainsTheValue) {
  const int64_t Edges[] = {INT64_MIN, -2, -1, 0, 1, 4, INT32_MAX, INT64_MAX};
  for (int64_t V : Edges)
    for (int64_t Rank : Edges)
      for (int64_t Size : Edges) {
        RankContext Ctx{Rank, Size};
        Candidates All = Candidates::of(V, &Ctx);
        for (unsigned Bit : {1u, 2u, 4u, 16u}) {
          Candidates One = All;
          One.Mask &= Bit;
          if (One.Mask) {
            EXPECT_EQ(One.eval(Ctx), V) << V << " " << Rank << " " << Size;
          }
        }
        EXPECT_TRUE(All.Mask & Candidates::Const);
      }
  EXPECT_EQ(Candidates::of(5, nullptr).Mask, Candidates::Const);
}

static constexpr uint8_t EachMask[] = {Candidates::Const, Candidates::Offset, Candidates::Modulo, Candidates::Xor};

TEST(Candidates, WhatRanksHaveInCommonIsFound) {
  std::mt19937 Random(1);
  unsigned Common[32] = {};
  for (int Round = 0; Round < 4000; ++Round) {
    const auto Size = static_cast<int64_t>(1 + Random() % 12), N = static_cast<int64_t>(Random() % Size);
    std::vector<std::pair<RankContext, int64_t>> Of;
    for (unsigned I = 1 + Random() % 4; I--;) {
      const auto Rank = static_cast<int64_t>(Random() % Size);
      const int64_t Values[] = {N, Rank + N, (Rank + N) % Size, Rank ^ N, static_cast<int64_t>(Random() % 20) - 3};
      Of.push_back({{Rank, Size}, Values[Round % 5]});
    }
    // Whether one number explains all values; those that are names, below 0, are but themselves.
    auto Explains = [&](auto &&Apply, bool BelowSize) {
      for (int64_t Number = -16; Number < 32; ++Number)
        if (std::all_of(Of.begin(), Of.end(), [&](const auto &X) {
              const auto &[Ctx, V] = X;
              return Apply(Ctx.Rank, Number) == V && V >= 0 && (!BelowSize || V < Size);
            }))
          return true;
      return false;
    };
    uint8_t Wanted = 0;
    if (std::all_of(Of.begin(), Of.end(), [&](const auto &X) { return X.second == Of[0].second; }))
      Wanted |= Candidates::Const;
    if (Explains([](int64_t R, int64_t X) { return R + X; }, false))
      Wanted |= Candidates::Offset;
    if (Explains([&](int64_t R, int64_t X) { return ((R + X) % Size + Size) % Size; }, true))
      Wanted |= Candidates::Modulo;
    if (Explains([](int64_t R, int64_t X) { return R ^ X; }, true))
      Wanted |= Candidates::Xor;
    Candidates All = Candidates::of(Of[0].second, &Of[0].first);
    for (const auto &[Ctx, V] : Of)
      All = All.intersect(Candidates::of(V, &Ctx));
    ASSERT_EQ(All.Mask, Wanted) << Round;
    ++Common[Wanted];
    for (uint8_t Mask : EachMask) {
      Candidates One = All;
      One.Mask &= Mask;
      for (const auto &[Ctx, V] : Of)
        if (One.Mask) {
          EXPECT_EQ(One.eval(Ctx), V) << Round;
        }
    }
  }
  EXPECT_GT(Common[0], 100u);
  for (uint8_t Mask : EachMask)
    EXPECT_GT(Common[Mask], 20u) << int(Mask) << " alone";
}

TEST(Candidates, AStepBackIsTheSameOnAllSizes) {
  Candidates Back, Forth;
  for (int64_t Size = 3; Size < 40; ++Size)
    for (int64_t Rank = 0; Rank < Size; ++Rank) {
      const RankContext Ctx{Rank, Size};
      const Candidates B = Candidates::of((Rank + Size - 1) % Size, &Ctx), F = Candidates::of((Rank + 1) % Size, &Ctx);
      Back = Size == 3 && Rank == 0 ? B : Back.intersect(B);
      Forth = Size == 3 && Rank == 0 ? F : Forth.intersect(F);
    }
  EXPECT_EQ(Back.Mask, Candidates::Modulo);
  EXPECT_EQ(Back.Mod, -1);
  EXPECT_EQ(Forth.Mask, Candidates::Modulo);
  EXPECT_EQ(Forth.Mod, 1);
  const RankContext Four{0, 4};
  EXPECT_EQ(Candidates::of(2, &Four).Mod, 2) << "half way round is forward";
}

TEST(Candidates, OfNoSoundContextThereIsTheValueAlone) {
  for (const RankContext &Ctx : {RankContext{0, 0}, {-1, 4}, {4, 4}, {0, -4}, {0, int64_t(INT32_MAX) + 1}})
    EXPECT_EQ(Candidates::of(2, &Ctx).Mask, Candidates::Const);
  const RankContext Last{3, 4}, Large{0, INT32_MAX};
  EXPECT_EQ(Candidates::of(2, &Last).Mask, Candidates::All);
  EXPECT_EQ(Candidates::of(4, &Last).Mask, Candidates::Const | Candidates::Offset) << "no rank";
  EXPECT_EQ(Candidates::of(2, &Large).Mask, Candidates::All);
  // What is read may be evaluated anywhere.
  EXPECT_EQ((Candidates{Candidates::Modulo, 0, 0, -1, 0}.eval({0, 0})), 0);
  EXPECT_EQ((Candidates{Candidates::Modulo, 0, 0, -9, 0}.eval({0, 4})), 3);
  EXPECT_EQ((Candidates{Candidates::Offset, 0, INT64_MAX, 0, 0}.eval({1, 4})), INT64_MIN);
}
