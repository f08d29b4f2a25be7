// The comparison of totals behind --verify: true durations agree with the measures and histograms that are made of
// them, and no wrong one does.
#include "test/unit/Samples.h"
#include "trace/file/Format.h"
#include "trace/times/TimeBins.h"
#include "verify/CompareTotals.h"

#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
constexpr uint32_t Error = 100'000;

/// A trace whose measures are of these durations, by measure and rank.
struct Timed {
  TraceData Data = histogram();
  std::vector<std::vector<std::pair<uint32_t, uint64_t>>> Durations;
  std::vector<uint32_t> Ranks;

  Timed() {
    std::mt19937_64 Random(7);
    const TimeBins Bins(TimeBound{Error, 0});
    Data.Ranks.forEach([&](uint32_t R) { Ranks.push_back(R); });
    forEachMeasure([&](Measure &M) {
      auto &Own = Durations.emplace_back();
      Spread S;
      for (uint64_t I = 0; I < M.calls(); ++I) {
        Own.emplace_back(Ranks[I % Ranks.size()], 100 + Random() % (uint64_t(1) << (10 + Random() % 16)));
        S.add(Spread::of(Own.back().second, Own.back().first));
      }
      for (const auto &[Rank, Nano] : Own) {
        S.Bins.Error = Error;
        S.Bins.count(Bins.symbol(Nano));
      }
      M.Duration = S;
    });
  }
  void forEachMeasure(const std::function<void(Measure &)> &F) {
    for (Group &G : Data.Groups)
      for (NodeData &N : G.Nodes)
        for (auto &[Id, E] : N.Events)
          for (Measure &M : E.Measures)
            F(M);
  }
  /// What comparing says, after the true durations of one measure were changed.
  std::string compared(const std::function<void(std::vector<std::pair<uint32_t, uint64_t>> &)> &Change = nullptr) {
    auto T = Trace::fromBytes(writeTrace(Data));
    EXPECT_TRUE(T) << T.error().What;
    auto Changed = Durations;
    if (Change)
      Change(Changed[longest()]);
    std::vector<uint64_t> All;
    std::vector<uint32_t> In;
    for (uint32_t Rank : Ranks) {
      TrueTotals Totals(*T, 1);
      size_t Which = 0;
      for (const Group &G : T->data().Groups)
        for (const NodeData &N : G.Nodes)
          for (const auto &[Id, E] : N.Events)
            for (const Measure &M : E.Measures)
              for (const auto &[Of, Nano] : Changed[Which++])
                if (Of == Rank)
                  Totals.add(&M, Nano);
      All.insert(All.end(), Totals.words().begin(), Totals.words().end());
      In.push_back(Rank);
    }
    return TrueTotals(*T, 1).compare(All, In);
  }
  size_t longest() const {
    size_t Best = 0;
    for (size_t I = 0; I < Durations.size(); ++I)
      if (Durations[I].size() > Durations[Best].size())
        Best = I;
    return Best;
  }
};
} // namespace

TEST(VerifyTotalsTest, WhatIsTrueAgrees) {
  Timed T;
  ASSERT_GT(T.Durations[T.longest()].size(), 15u);
  ASSERT_GT(T.Ranks.size(), 1u);
  EXPECT_EQ(T.compared(), "");
}

TEST(VerifyTotalsTest, WhatIsNotIsNoticed) {
  using List = std::vector<std::pair<uint32_t, uint64_t>>;
  Timed T;
  auto ByTime = [](const auto &A, const auto &B) { return A.second < B.second; };
  EXPECT_NE(T.compared([](List &L) { L.pop_back(); }).find("calls"), std::string::npos);
  EXPECT_NE(T.compared([](List &L) { L[3].second += 1 << 26; }).find("sum"), std::string::npos);
  // The sum stays as it is from here on.
  EXPECT_NE(T.compared([&](List &L) {
               std::ranges::sort(L, ByTime);
               L[0].second = 10;
             }).find("least"),
            std::string::npos);
  EXPECT_NE(T.compared([&](List &L) {
               std::ranges::sort(L, ByTime);
               L[L.size() - 2].second += L.back().second / 2;
               L.back().second -= L.back().second / 2;
             }).find("largest"),
            std::string::npos);
  // All of another rank's.
  EXPECT_NE(T.compared([&](List &L) {
               const auto Most = std::ranges::max_element(L, ByTime);
               Most->first = T.Ranks[Most->first == T.Ranks[0]];
             }).find("on its rank"),
            std::string::npos);
  // Nearer to each other than they were, but for the extremes.
  EXPECT_NE(T.compared([&](List &L) {
               std::ranges::sort(L, ByTime);
               uint64_t Sum = 0;
               for (size_t I = 1; I + 1 < L.size(); ++I)
                 Sum += L[I].second;
               for (size_t I = 1; I + 1 < L.size(); ++I)
                 L[I].second = Sum / (L.size() - 2);
             }).find("histogram"),
            std::string::npos);
  // Of a call that was not timed nothing is known.
  EXPECT_EQ(T.compared([](List &L) { L[3].second = 0; }), "");
}
