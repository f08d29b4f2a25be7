// Sums over blocks of ranks against pair by pair, for all forms of flows. Covers driver/MatrixCells.cpp.
#include "driver/MatrixCells.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

using namespace pilgrim;

namespace {
using Pairs = std::map<std::pair<uint32_t, uint32_t>, uint64_t>;

/// Every second member of S, or all.
RankSet thinned(const RankSet &S, bool IsThin) {
  RankSet Out;
  uint32_t Place = 0;
  S.forEach([&](uint32_t Rank) {
    if (!IsThin || ++Place % 2)
      Out.unite(RankSet(Rank));
  });
  return Out;
}

/// The ranks of the world, without one of eight.
RankSet allBut(std::mt19937 &Random, uint32_t World) {
  RankSet Out = RankSet::below(World);
  for (uint32_t I = 0; I < World / 8; ++I)
    Out = Out.without(RankSet(static_cast<uint32_t>(Random() % World)));
  return Out;
}

class Flows {
public:
  explicit Flows(uint32_t World) : World(World) {}

  Flow &add(const RankSet &From, Flow::Target T, int64_t To = 0) {
    Flow F;
    F.From = From;
    F.T = T;
    F.To = To;
    F.Messages = 1 + All.size();
    F.Bytes = 3 * F.Messages;
    return All.emplace_back(std::move(F));
  }

  /// The members of From whose receiver would be in the world.
  void flip(const RankSet &From, uint32_t Bits) {
    RankSet In;
    From.forEach([&](uint32_t Rank) {
      if ((Rank ^ Bits) < World)
        In.unite(RankSet(Rank));
    });
    if (In.empty())
      return;
    Flow &F = add(In, Flow::Function);
    F.Of.Cand.Mask = Candidates::Xor;
    F.Of.Cand.Flip = Bits;
    In.forEach([&](uint32_t Rank) { expect(F, Rank, Rank ^ Bits); });
  }

  /// The members of From whose receiver in a random grid would be in the world.
  void grid(const RankSet &From, std::mt19937 &Random) {
    Grid G;
    G.Of = static_cast<Grid::Basis>(Random() % 3);
    G.Dimensions = 2;
    const uint64_t Extent = 1 + Random() % World;
    if (G.Of == Grid::Own) {
      G.In[0] = {Extent, Random() % Extent, 1};
      G.In[1] = {1, Random() % 3, static_cast<int64_t>(Extent)};
    } else {
      G.In[0] = {Extent, 0, static_cast<int64_t>(Random() % 9) - 4};
      G.In[1] = {1, 0, static_cast<int64_t>(Random() % 9) - 4};
      G.First = Random() % World;
    }
    RankFn::Piece P;
    P.Ranks = From;
    P.In = std::make_shared<const Grid>(G);
    RankSet In;
    From.forEach([&](uint32_t Rank) {
      const int64_t To = P.eval(Rank, {Rank, World});
      if (To >= 0 && To < World)
        In.unite(RankSet(Rank));
    });
    if (In.empty())
      return;
    Flow &F = add(In, Flow::Function);
    F.Of = P;
    In.forEach([&](uint32_t Rank) { expect(F, Rank, static_cast<uint32_t>(P.eval(Rank, {Rank, World}))); });
  }

  /// The partner in the transposed grid.
  void transpose(uint32_t Rows) {
    const RankSet From = RankSet::below(World / Rows * Rows);
    Flow &F = add(From, Flow::Function);
    Grid G;
    G.Of = Grid::World;
    G.Dimensions = 2;
    G.In[0] = {Rows, 0, World / Rows};
    G.In[1] = {1, 0, 1};
    F.Of.In = std::make_shared<const Grid>(G);
    From.forEach([&](uint32_t Rank) { expect(F, Rank, Rank % Rows * (World / Rows) + Rank / Rows); });
  }

  void list(const RankSet &From, std::mt19937 &Random) {
    Flow &F = add(From, Flow::Listed);
    From.forEach([&](uint32_t Rank) {
      F.Receivers.push_back(static_cast<uint32_t>(Random() % World));
      expect(F, Rank, F.Receivers.back());
    });
  }

  void distance(const RankSet &From, int64_t By) {
    Flow &F = add(From, Flow::Distance, By);
    From.forEach([&](uint32_t Rank) { expect(F, Rank, static_cast<uint32_t>(Rank + By)); });
  }

  void toRank(const RankSet &From, uint32_t To) {
    Flow &F = add(From, Flow::Rank, To);
    From.forEach([&](uint32_t Rank) { expect(F, Rank, To); });
  }

  void toSet(const RankSet &From, const RankSet &To, bool OnlyHigher) {
    Flow &F = add(From, OnlyHigher ? Flow::Higher : Flow::Each);
    F.All = std::make_shared<const RankSet>(To);
    From.forEach([&](uint32_t Rank) {
      To.forEach([&](uint32_t Receiver) {
        if (OnlyHigher ? Receiver > Rank : Receiver != Rank)
          expect(F, Rank, Receiver);
      });
    });
  }

  void compare(uint32_t MaxBlocks) const {
    MatrixCells Cells(World, MaxBlocks);
    for (const Flow &F : All)
      Cells.add(F);
    const uint32_t Size = std::max((World + MaxBlocks - 1) / MaxBlocks, 1u);
    Pairs Blocks;
    for (const auto &[Pair, N] : Expected)
      Blocks[{Pair.first / Size, Pair.second / Size}] += N;
    for (uint32_t I = 0; I < Cells.blocks(); ++I)
      for (uint32_t J = 0; J < Cells.blocks(); ++J) {
        ASSERT_EQ(Cells.at(I, J).Messages, (Blocks[{I, J}])) << World << " ranks, blocks " << I << ", " << J;
        ASSERT_EQ(Cells.at(I, J).Bytes, (3 * Blocks[{I, J}]));
      }
    std::vector<const Flow *> Each;
    for (const Flow &F : All)
      Each.push_back(&F);
    Pairs Found;
    forEachCell(Each, World, [&](uint32_t From, std::optional<uint32_t> To, const MatrixCell &C) {
      Found[{From, To.value()}] = C.Messages;
      return true;
    });
    EXPECT_EQ(Found, Expected);
  }

private:
  void expect(const Flow &F, uint32_t From, uint32_t To) { Expected[{From, To}] += F.Messages; }

  uint32_t World;
  std::deque<Flow> All; ///< stay where they are
  Pairs Expected;
};

TEST(MatrixCells, BlocksHaveWhatThePairsHave) {
  for (unsigned Seed = 0; Seed < 60; ++Seed) {
    std::mt19937 Random(Seed);
    const uint32_t World = Seed % 3 ? 2 + Random() % 150 : 1u << (1 + Random() % 7);
    auto Some = [&] {
      const uint32_t A = Random() % World, B = Random() % World;
      return thinned(RankSet::between(std::min(A, B), std::max(A, B)), Random() % 3 == 0);
    };
    Flows F(World);
    for (int I = 0; I < 4; ++I) {
      F.flip(Some(), Random() % (2 * World));
      F.flip(RankSet::below(World), 1u << Random() % 7);
    }
    F.transpose(1 + Random() % World);
    F.grid(Some(), Random);
    F.grid(allBut(Random, World), Random);
    F.list(Some(), Random);
    const uint32_t By = Random() % World;
    F.distance(RankSet::below(World - By), By);
    F.distance(RankSet::between(By, World - 1), -int64_t(By));
    F.toRank(Some(), Random() % World);
    F.toSet(Some(), Some(), false);
    F.toSet(Some(), Some(), true);
    for (uint32_t MaxBlocks : {1u, 3u, 16u, 200u})
      F.compare(MaxBlocks);
  }
}

} // namespace
