//===- MatrixCells.cpp - flows summed up ----------------------------------===//
#include "driver/MatrixCells.h"
#include "driver/SenderBlocks.h"
#include "trace/base/Saturate.h"

#include <algorithm>

namespace pilgrim {

MatrixCells::MatrixCells(uint32_t World, uint32_t MaxBlocks)
    : World(World), Size(std::max<uint32_t>((World + MaxBlocks - 1) / MaxBlocks, 1)), Blocks((World + Size - 1) / Size),
      Cells(size_t(Blocks) * Blocks) {}

std::string MatrixCells::name(uint32_t Block) const {
  const uint64_t First = uint64_t(Block) * Size, Last = std::min<uint64_t>(First + Size, World) - 1;
  return First == Last ? std::to_string(First) : std::to_string(First) + "-" + std::to_string(Last);
}

void MatrixCells::add(uint32_t From, uint32_t To, const Flow &F, uint64_t Pairs) {
  if (From >= Blocks || To >= Blocks || !Pairs)
    return;
  MatrixCell &C = Cells[size_t(From) * Blocks + To];
  addProduct(C.Messages, F.Messages, Pairs);
  addProduct(C.Bytes, F.Bytes, Pairs);
}

/// How many of S are in each block.
std::vector<uint64_t> MatrixCells::members(const RankSet &S) const {
  std::vector<uint64_t> Out(Blocks);
  for (const RankSet::Interval &I : S.intervals())
    for (uint64_t B = I.First / Size; B <= I.Last / Size && B < Blocks; ++B)
      Out[B] += std::min<uint64_t>(I.Last, (B + 1) * Size - 1) - std::max<uint64_t>(I.First, B * Size) + 1;
  return Out;
}

/// Senders from First to Last. Those of a block have receivers in two blocks at most.
void MatrixCells::addDistance(uint64_t First, uint64_t Last, const Flow &F) {
  for (uint64_t At = First; At <= Last;) {
    const uint64_t To = static_cast<uint64_t>(static_cast<int64_t>(At) + F.To);
    const uint64_t N = std::min({Last - At + 1, Size - At % Size, Size - To % Size});
    add(static_cast<uint32_t>(At / Size), static_cast<uint32_t>(To / Size), F, N);
    At += N;
  }
}

/// Senders whose receivers follow from a function. They are counted before they are added, so that what a stretch has
/// too many can be taken away.
void MatrixCells::addFunction(const Flow &F) {
  std::vector<uint64_t> Pairs(Cells.size());
  auto Count = [&](const RankSet &Ranks, bool IsTooMany) {
    for (const RankSet::Interval &I : Ranks.intervals())
      forEachBlock(F.Of, I.First, I.Last, World, [&](const SenderBlock &B) {
        const uint64_t From = B.First / Size, To = static_cast<uint64_t>(B.Least) / Size;
        if (From != B.Last / Size || To != static_cast<uint64_t>(B.Most) / Size)
          return B.Count <= 1;
        if (From < Blocks && To < Blocks)
          Pairs[From * Blocks + To] += IsTooMany ? -B.Count : B.Count;
        return true;
      });
  };
  const RankSet Stretch = stretchOf(F.Of, F.From);
  Count(Stretch, false);
  Count(Stretch.without(F.From), true);
  for (uint32_t From = 0; From < Blocks; ++From)
    for (uint32_t To = 0; To < Blocks; ++To)
      add(From, To, F, Pairs[size_t(From) * Blocks + To]);
}

void MatrixCells::add(const Flow &F) {
  if (F.T == Flow::Unknown)
    return;
  if (F.T == Flow::Function) {
    addFunction(F);
    return;
  }
  if (F.T == Flow::Distance) {
    for (const RankSet::Interval &I : F.From.intervals())
      addDistance(I.First, I.Last, F);
    return;
  }
  if (F.T == Flow::Listed) {
    const uint32_t *To = F.Receivers.data();
    for (const RankSet::Interval &I : F.From.intervals())
      for (uint64_t Rank = I.First; Rank <= I.Last; ++Rank)
        add(static_cast<uint32_t>(Rank) / Size, *To++ / Size, F, 1);
    return;
  }
  const auto From = members(F.From);
  if (F.T == Flow::Rank) {
    for (uint32_t B = 0; B < Blocks; ++B)
      add(B, static_cast<uint32_t>(static_cast<uint64_t>(F.To) / Size), F, From[B]);
    return;
  }
  if (F.T == Flow::Higher) {
    const auto To = members(*F.All);
    for (uint32_t I = 0; I < Blocks; ++I) {
      if (!From[I])
        continue;
      for (uint32_t J = I + 1; J < Blocks; ++J)
        add(I, J, F, From[I] * To[J]);
      // Within a block, those between.
      const RankSet Block = RankSet::below(std::min((I + 1) * Size, World)).without(RankSet::below(I * Size));
      Flow Inner = F;
      Inner.From = F.From.common(Block);
      Inner.All = std::make_shared<const RankSet>(F.All->common(Block));
      add(I, I, F, pairsOf(Inner));
    }
    return;
  }
  // Nobody sends to itself.
  const auto To = members(*F.All), Both = members(F.From.common(*F.All));
  for (uint32_t I = 0; I < Blocks; ++I)
    for (uint32_t J = 0; From[I] && J < Blocks; ++J)
      add(I, J, F, From[I] * To[J] - (I == J ? Both[I] : 0));
}

void forEachCell(const std::vector<const Flow *> &Flows, uint32_t World, const CellFn &OnCell) {
  struct Stretch {
    uint32_t First, Last;
    const Flow *F;
    uint64_t Before; ///< senders of the flow
  };
  std::vector<Stretch> All;
  for (const Flow *F : Flows) {
    uint64_t Before = 0;
    for (const RankSet::Interval &I : F->From.intervals()) {
      All.push_back({I.First, I.Last, F, Before});
      Before += uint64_t(I.Last) - I.First + 1;
    }
  }
  std::stable_sort(All.begin(), All.end(), [](const Stretch &A, const Stretch &B) { return A.First < B.First; });
  std::vector<Stretch> Open;
  std::map<uint32_t, MatrixCell> Row;
  size_t Next = 0;
  for (uint64_t Rank = 0; Next < All.size() || !Open.empty(); ++Rank) {
    if (Open.empty())
      Rank = All[Next].First;
    for (; Next < All.size() && All[Next].First == Rank; ++Next)
      Open.push_back(All[Next]);
    Row.clear();
    MatrixCell Unknown;
    auto Add = [](MatrixCell &C, const Flow &F) {
      addProduct(C.Messages, F.Messages, 1);
      addProduct(C.Bytes, F.Bytes, 1);
    };
    for (const Stretch &S : Open) {
      const Flow &F = *S.F;
      if (F.T == Flow::Unknown)
        Add(Unknown, F);
      else if (F.T == Flow::Rank)
        Add(Row[static_cast<uint32_t>(F.To)], F);
      else if (F.T == Flow::Distance)
        Add(Row[static_cast<uint32_t>(static_cast<int64_t>(Rank) + F.To)], F);
      else if (F.T == Flow::Function)
        Add(Row[static_cast<uint32_t>(receiver(F, Rank, World))], F);
      else if (F.T == Flow::Listed)
        Add(Row[F.Receivers[S.Before + (Rank - S.First)]], F);
      else
        F.All->forEach([&](uint32_t To) {
          if (F.T == Flow::Higher ? To > Rank : To != Rank)
            Add(Row[To], F);
        });
    }
    for (const auto &[To, C] : Row)
      if (C.Messages && !OnCell(static_cast<uint32_t>(Rank), To, C))
        return;
    if (Unknown.Messages && !OnCell(static_cast<uint32_t>(Rank), std::nullopt, Unknown))
      return;
    std::erase_if(Open, [&](const Stretch &S) { return S.Last == Rank; });
  }
}

} // namespace pilgrim
