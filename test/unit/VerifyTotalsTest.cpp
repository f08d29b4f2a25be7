// The comparison of totals behind --verify: true durations agree with the measures and histograms that are made of
// them, and no wrong one does.
#include "test/unit/Samples.h"
#include "trace/file/Format.h"
#include "trace/times/TimeBins.h"
#include "verify/CompareTotals.h"

#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
constexpr uint32_t Error = 100'000;

using List = std::vector<std::pair<uint32_t, uint64_t>>; ///< ranks and nanoseconds

/// A trace whose measures are of these durations, and of these gaps behind a call of the same measure.
struct Timed {
  TraceData Data = histogram();
  std::vector<List> Durations, Gaps; ///< by measure
  std::vector<uint32_t> Ranks;

  Timed() {
    std::mt19937_64 Random(7);
    const TimeBins Bins(TimeBound{Error, 0});
    Data.Ranks.forEach([&](uint32_t R) { Ranks.push_back(R); });
    auto Make = [&](List &Own, uint64_t Calls) {
      Spread S;
      for (uint64_t I = 0; I < Calls; ++I) {
        Own.emplace_back(Ranks[I % Ranks.size()], 100 + Random() % (uint64_t(1) << (10 + Random() % 16)));
        S.add(Spread::of(Own.back().second, Own.back().first));
      }
      for (const auto &[Rank, Nano] : Own) {
        S.Bins.Error = Error;
        S.Bins.count(Bins.symbol(Nano));
      }
      return S;
    };
    for (Group &G : Data.Groups)
      for (NodeData &N : G.Nodes)
        for (auto &[Id, E] : N.Events)
          for (uint32_t I = 0; I < E.Measures.size(); ++I) {
            Measure &M = E.Measures[I];
            const uint64_t Calls = M.calls();
            M.Duration = Make(Durations.emplace_back(), Calls);
            M.Gaps = {{{GapPath::Call, 0, I}, Make(Gaps.emplace_back(), Calls)}};
            M.GapBins = {};
          }
    addRankSums();
  }
  /// Each rank's own sums, of the measures of a place and of the calls below a node.
  void addRankSums() {
    size_t Which = 0;
    for (Group &G : Data.Groups) {
      std::vector<std::map<uint32_t, uint64_t>> InMpi(G.Nodes.size());
      for (size_t N = 0; N < G.Nodes.size(); ++N)
        for (auto &[Id, E] : G.Nodes[N].Events) {
          std::map<MeasuredPlace, std::array<std::map<uint32_t, uint64_t>, 2>> Sums;
          for (const Measure &M : E.Measures) {
            for (const auto &[Rank, Nano] : Durations[Which]) {
              Sums[M.Place][0][Rank] += Nano;
              for (size_t In = N; !M.Place.Depth && Data.isCall(M.Place.Function); In = G.Nodes[In].Parent) {
                InMpi[In][Rank] += Nano;
                if (!In)
                  break;
              }
            }
            for (const auto &[Rank, Nano] : Gaps[Which++])
              Sums[M.Place][1][Rank] += Nano;
          }
          E.Places.clear();
          for (const auto &[Place, Both] : Sums)
            E.Places[Place] = {spreadOf(Both[0]), spreadOf(Both[1])};
        }
      for (size_t N = 0; N < G.Nodes.size(); ++N) {
        G.Nodes[N].Ranks.forEach([&](uint32_t Rank) { InMpi[N][Rank]; });
        G.Nodes[N].Times.InMpi = spreadOf(InMpi[N]);
      }
    }
  }
  static Spread spreadOf(const std::map<uint32_t, uint64_t> &Sums) {
    Spread S;
    for (const auto &[Rank, Nano] : Sums)
      S.add(Spread::of(Nano, Rank));
    return S;
  }
  /// What comparing says, after the true times of one measure were changed.
  std::string compared(const std::function<void(List &)> &Change = nullptr,
                       const std::function<void(List &)> &ChangeGaps = nullptr, bool IsAfterOther = false) {
    auto T = Trace::fromBytes(writeTrace(Data));
    EXPECT_TRUE(T) << T.error().What;
    auto Changed = Durations, Between = Gaps;
    if (Change)
      Change(Changed[longest()]);
    if (ChangeGaps)
      ChangeGaps(Between[longest()]);
    std::vector<uint64_t> All;
    std::vector<uint32_t> In;
    for (uint32_t Rank : Ranks) {
      TrueTotals Totals(*T, 1);
      size_t Which = 0;
      for (const Group &G : T->data().Groups)
        for (const NodeData &N : G.Nodes)
          for (const auto &[Id, E] : N.Events)
            for (const Measure &M : E.Measures) {
              for (const auto &[Of, Nano] : Changed[Which])
                if (Of == Rank)
                  Totals.add(&M, Nano);
              const bool IsOther = IsAfterOther && Which == longest();
              for (const auto &[Of, Nano] : Between[Which++])
                if (Of == Rank)
                  Totals.addGap(&M, IsOther ? &another(T->data(), M) : &M, Nano ? std::optional(Nano) : std::nullopt);
            }
      All.insert(All.end(), Totals.words().begin(), Totals.words().end());
      In.push_back(Rank);
    }
    return TrueTotals(*T, 1).compare(All, In);
  }
  static const Measure &another(const TraceData &In, const Measure &Than) {
    for (const Group &G : In.Groups)
      for (const NodeData &N : G.Nodes)
        for (const auto &[Id, E] : N.Events)
          for (const Measure &M : E.Measures)
            if (&M != &Than)
              return M;
    return Than;
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
  // Of a call that was not timed nothing is known.
  EXPECT_EQ(T.compared([](List &L) { L[3].second = 0; }), "");
}

TEST(VerifyTotalsTest, GapsAreComparedToo) {
  Timed T;
  auto ByTime = [](const auto &A, const auto &B) { return A.second < B.second; };
  auto With = [&](const std::function<void(List &)> &Change) { return T.compared(nullptr, Change); };
  auto Says = [](const std::string &Line, const char *What) {
    return Line.find("gaps") != std::string::npos && Line.find(What) != std::string::npos;
  };
  EXPECT_PRED2(Says, With([](List &L) { L.pop_back(); }), "calls");
  EXPECT_PRED2(Says, With([](List &L) { L[3].second += 1 << 26; }), "sum");
  EXPECT_PRED2(Says, With([&](List &L) {
                 std::ranges::sort(L, ByTime);
                 L[0].second = 10;
               }),
               "least");
  EXPECT_PRED2(Says, With([&](List &L) {
                 const auto Most = std::ranges::max_element(L, ByTime);
                 Most->first = T.Ranks[Most->first == T.Ranks[0]];
               }),
               "on its rank");
  // What was before them.
  EXPECT_PRED2(Says, T.compared(nullptr, nullptr, true), "gaps of a path: calls");
  // One of which nothing is known.
  EXPECT_EQ(With([](List &L) { L[3].second = 0; }), "");
}

TEST(VerifyTotalsTest, HistogramsAreCompared) {
  for (const bool OfGaps : {false, true}) {
    Timed T;
    size_t Which = 0;
    for (Group &G : T.Data.Groups)
      for (NodeData &N : G.Nodes)
        for (auto &[Id, E] : N.Events)
          for (Measure &M : E.Measures)
            if (Which++ == T.longest()) {
              auto &Counts = (OfGaps ? M.Gaps[0].Gap : M.Duration).Bins.Counts;
              std::ranges::reverse(Counts);
            }
    const std::string Line = T.compared();
    EXPECT_NE(Line.find("histogram"), std::string::npos);
    EXPECT_EQ(Line.find("gaps") != std::string::npos, OfGaps);
  }
}

TEST(VerifyTotalsTest, DeviationsAreCompared) {
  Timed T;
  // Two numbers that are neither the least nor the largest come nearer to each other.
  EXPECT_NE(T.compared([](List &L) {
               std::ranges::sort(L, {}, &std::pair<uint32_t, uint64_t>::second);
               for (size_t I = 1, J = L.size() - 2; I < J; ++I, --J) {
                 const uint64_t Mean = (L[I].second + L[J].second) / 2;
                 L[I].second = L[J].second = Mean;
               }
             }).find("deviation"),
            std::string::npos);
}

TEST(VerifyTotalsTest, SumsOfRanksAreCompared) {
  auto Compared = [](auto &&Change) {
    Timed T;
    for (Group &G : T.Data.Groups)
      for (NodeData &N : G.Nodes)
        Change(N);
    return T.compared();
  };
  EXPECT_EQ(Compared([](NodeData &) {}), "");
  auto Places = [](auto &&Change) {
    return [=](NodeData &N) {
      for (auto &[Id, E] : N.Events)
        for (auto &[Place, Times] : E.Places)
          Change(Times);
    };
  };
  auto Says = [](const std::string &Line, const char *What) { return Line.find(What) != std::string::npos; };
  EXPECT_PRED2(Says, Compared(Places([](PlaceTimes &P) { P.Durations.Max += P.Durations.Max / 8; })),
               "largest of ranks");
  EXPECT_PRED2(Says, Compared(Places([](PlaceTimes &P) { P.Durations.Min -= P.Durations.Min / 8; })), "least of ranks");
  EXPECT_PRED2(Says, Compared(Places([](PlaceTimes &P) { P.Gaps.MaxRank = P.Gaps.MinRank; })), "on its rank");
  EXPECT_PRED2(Says, Compared(Places([](PlaceTimes &P) { P.Gaps.Squares += P.Gaps.Squares; })), "deviation of ranks");
  EXPECT_PRED2(Says, Compared([](NodeData &N) { N.Times.InMpi.Max += N.Times.InMpi.Max / 8; }), "in MPI of node");
}
