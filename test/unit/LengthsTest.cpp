// trace/model/Lengths.h, Lengths.cpp: passes over events, with one path and with several, against those counted one by
// one.
#include "trace/model/Lengths.h"
#include "test/unit/Sequences.h"
#include "test/unit/Tables.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
constexpr uint32_t World = 6, Events = 5;

struct Visited {
  Group G;
  NodeData N;

  /// A sequence of paths of some ranks, each of which they all take.
  void add(const RankSet &Ranks, const TerminalList &Order, const std::vector<std::vector<uint32_t>> &Paths) {
    RankedItems X{Ranks, build(Order), {}};
    for (const auto &P : Paths)
      X.Items.push_back({false, test::add(G, TableId::Paths, {variant(Ranks, P)})});
    N.Paths.push_back(std::move(X));
    N.Ranks.unite(Ranks);
  }

  uint64_t passes(uint32_t Event, uint32_t Rank) const {
    uint64_t Out = 0;
    for (const RankedItems &X : N.Paths)
      for (uint32_t T : X.Ranks.contains(Rank) ? expand(X.Order) : TerminalList())
        if (const Variant *V = G.find(TableId::Paths, X.Items[T].Index, Rank))
          Out += Event ? static_cast<uint64_t>(std::ranges::count(V->Tokens, Event)) : 1;
    return Out;
  }

  void expectCounted() const {
    const EventPasses Passes = countPasses(G, N, World);
    for (uint32_t E = 0; E <= Events; ++E)
      for (uint32_t R = 0; R < World; ++R)
        EXPECT_EQ(Passes.of(E).of(R), passes(E, R)) << "event " << E << ", rank " << R;
  }
};
} // namespace

TEST(Lengths, OnePathOfAll) {
  Visited V;
  V.add(RankSet::between(1, 4), {0, 0, 0}, {{1, 3}});
  V.expectCounted();
}

TEST(Lengths, EventsOfOnePathThatComeAgainOrBackwards) {
  for (const std::vector<uint32_t> &Path : {std::vector<uint32_t>{3, 1}, {2, 2, 4}}) {
    Visited V;
    V.add(RankSet::below(World), {0, 0}, {Path});
    V.expectCounted();
  }
}

TEST(Lengths, SeveralPaths) {
  Visited V;
  V.add(RankSet::below(3), {0, 1, 0, 1, 1}, {{1, 2}, {1, 4, 5}});
  V.add(RankSet::between(3, 5), {0, 0}, {{1, 5}});
  V.expectCounted();
}

TEST(Lengths, OnePathThatDiffersBetweenRanks) {
  Visited V;
  V.add(RankSet::below(World), {0, 0, 0, 0}, {{}});
  V.G.table(TableId::Paths)[0] = {variant(RankSet::below(2), {1, 2}), variant(RankSet::between(2, 4), {3})};
  V.expectCounted();
  V.G.table(TableId::Paths)[0] = {variant(RankSet::below(2), {1, 2})};
  V.expectCounted();
}
