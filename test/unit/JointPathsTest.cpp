// trace/file/JointPaths.h, JointPaths.cpp: one sequence of paths for all ranks, against the paths of each.
#include "trace/file/JointPaths.h"
#include "test/unit/Sequences.h"
#include "test/unit/Tables.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

static constexpr uint32_t World = 12;
using Path = std::vector<uint32_t>;

namespace {
struct Paths {
  Group G;
  NodeData N;

  /// The ranks' paths, visit by visit: each by its number, which is the event that it has too.
  void add(const RankSet &Ranks, const TerminalList &Of) {
    RankedItems &X = N.Paths.emplace_back();
    X.Ranks = Ranks;
    N.Ranks.unite(Ranks);
    std::map<uint32_t, uint32_t> Known;
    TerminalList S;
    for (uint32_t P : Of) {
      auto [It, New] = Known.try_emplace(P, static_cast<uint32_t>(X.Items.size()));
      if (New)
        X.Items.push_back({false, test::add(G, TableId::Paths, {variant(Ranks, {1, 2 + P})})});
      S.push_back(It->second);
    }
    X.Order = build(S);
  }
  std::optional<JointPaths> join(uint64_t Work = 1 << 20) const { return joinPaths(G, N, World, Work); }
};
} // namespace

TEST(JointPaths, EachRankKeepsItsPaths) {
  for (unsigned Seed = 0; Seed < 300; ++Seed) {
    std::mt19937 Random(Seed);
    const size_t Length = 1 + Random() % 40;
    Paths P;
    std::vector<std::pair<RankSet, TerminalList>> Of;
    for (uint32_t R = 0; R < World; R += 3) {
      TerminalList S;
      for (size_t I = 0; I < Length; ++I)
        S.push_back(I % 3 == 0 ? 0 : Random() % 3);
      Of.push_back({RankSet::between(R, R + 2), S});
      P.add(Of.back().first, S);
    }
    const auto Joint = P.join();
    ASSERT_TRUE(Joint);
    EXPECT_EQ(Joint->Sequence.Ranks, P.N.Ranks);
    EXPECT_EQ(Joint->Paths.size(), Joint->Sequence.Items.size());
    const TerminalList Order = expand(Joint->Sequence.Order);
    ASSERT_EQ(Order.size(), Length);
    std::set<TerminalList> Different;
    for (size_t I = 0; I < Length; ++I) {
      const Entry &E = Joint->Paths[Joint->Sequence.Items[Order[I]].Index];
      RankSet All;
      for (const Variant &V : E) {
        EXPECT_TRUE(All.common(V.Ranks).empty());
        All.unite(V.Ranks);
        for (const auto &[Ranks, S] : Of)
          if (!Ranks.common(V.Ranks).empty()) {
            EXPECT_EQ(V.Tokens, (Path{1, 2 + S[I]}));
          }
      }
      EXPECT_EQ(All, P.N.Ranks);
      TerminalList Row;
      for (const auto &[Ranks, S] : Of)
        Row.push_back(S[I]);
      Different.insert(Row);
    }
    EXPECT_EQ(Joint->Paths.size(), Different.size()) << "what is the same for all ranks is one";
  }
}

TEST(JointPaths, CountsByRankAreFollowed) {
  // Twice the rank the first path, then the second up to 30.
  Paths P;
  P.add(RankSet::below(World), {0, 0, 1, 1});
  P.N.Paths[0].Functions = {{0, offset(2, World)}, {1, RankFn(0)}};
  std::vector<int64_t> Rest;
  for (int64_t R = 0; R < World; ++R)
    Rest.push_back(28 - R);
  P.N.Paths[0].Functions[1] = RankFn::ofValues(Rest, P.N.Ranks);
  const auto Joint = P.join();
  ASSERT_TRUE(Joint);
  const TerminalList Order = expand(Joint->Sequence.Order);
  ASSERT_EQ(Order.size(), 30u);
  for (uint32_t I = 0; I < 30; ++I)
    for (const Variant &V : Joint->Paths[Order[I]])
      V.Ranks.forEach([&](uint32_t R) { EXPECT_EQ(V.Tokens[1], I < R + 2 ? 2u : 3u) << I << ", rank " << R; });
  // Not equally long.
  P.N.Paths[0].Functions.erase(1);
  EXPECT_FALSE(P.join());
}

TEST(JointPaths, SomeAreNotJoined) {
  Paths P;
  P.add(RankSet(0), {0, 1, 0});
  EXPECT_FALSE(P.join()) << "one sequence";
  P.add(RankSet(1), {0, 0, 1});
  EXPECT_TRUE(P.join());
  P.N.Ranks.unite(RankSet(2));
  EXPECT_FALSE(P.join()) << "a rank without";
  P.add(RankSet(2), {0, 0});
  EXPECT_FALSE(P.join()) << "not as long";
  Paths None;
  EXPECT_FALSE(None.join());
}

TEST(JointPaths, WorkIsLimited) {
  Paths P;
  P.add(RankSet(0), {0, 1, 0, 2});
  P.add(RankSet(1), {0, 0, 1, 2});
  uint64_t Work = 7;
  EXPECT_FALSE(joinPaths(P.G, P.N, World, Work));
  EXPECT_EQ(Work, 7u) << "nothing was done";
  Work = 20;
  EXPECT_TRUE(joinPaths(P.G, P.N, World, Work));
  EXPECT_EQ(Work, 20u - 8);
  // 2^16 different ones side by side are the most.
  for (uint32_t N : {1u << 15, (1u << 15) + 1}) {
    Paths Many;
    TerminalList A(N), B(N);
    for (uint32_t I = 0; I < N; ++I) {
      A[I] = I % 256;
      B[I] = I / 256;
    }
    Many.add(RankSet(0), A);
    Many.add(RankSet(1), B);
    EXPECT_EQ(Many.join().has_value(), N == 1u << 15);
  }
}
