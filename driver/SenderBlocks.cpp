//===- SenderBlocks.cpp - many senders at once ----------------------------===//
#include "driver/SenderBlocks.h"
#include "trace/ranks/GridBoxes.h"

namespace pilgrim {

/// The bits in which receivers differ from senders, if that is what the function says.
static std::optional<uint64_t> flipOf(const RankFn::Piece &P) {
  if (P.isExplained() && P.Cand.Mask == Candidates::Xor && P.Cand.Flip >= 0)
    return P.Cand.Flip;
  return std::nullopt;
}

void forEachBlock(const RankFn::Piece &P, uint64_t First, uint64_t Last, uint32_t World,
                  const std::function<bool(const SenderBlock &)> &OnBlock) {
  if (const auto Flip = flipOf(P)) {
    forEachAligned(First, Last, [&](uint64_t From, uint64_t N) {
      const uint64_t To = (From ^ *Flip) & ~(N - 1);
      return OnBlock({N, From, From + N - 1, To, To + N - 1});
    });
    return;
  }
  if (P.In) {
    // Numbers of the grid are ranks, less where the interval begins.
    const uint64_t Place = P.In->Of == Grid::Place ? P.Ranks.indexOf(static_cast<uint32_t>(First)) : First;
    const bool IsDone = forEachBox(*P.In, Place, Place + (Last - First), World, [&](const GridBox &B) {
      return OnBlock({B.Count, B.First - Place + First, B.Last - Place + First, B.Least, B.Most});
    });
    if (IsDone)
      return;
  }
  for (uint64_t Rank = First; Rank <= Last; ++Rank) {
    const int64_t To = P.eval(static_cast<uint32_t>(Rank), {static_cast<int64_t>(Rank), World});
    OnBlock({1, Rank, Rank, To, To});
  }
}

RankSet stretchOf(const RankFn::Piece &P, const RankSet &Ranks) {
  constexpr size_t Few = 8;
  if (!P.In || P.In->Of == Grid::Place || Ranks.intervals().size() <= Few)
    return Ranks;
  const uint64_t All = uint64_t(Ranks.last()) - Ranks.first() + 1;
  return All - Ranks.size() < All / 4 ? RankSet::between(Ranks.first(), Ranks.last()) : Ranks;
}

bool leadsInto(const RankFn::Piece &P, const RankSet &Ranks, uint32_t World) {
  auto Leads = [&](const RankSet &Asked) {
    bool IsInside = true;
    for (const RankSet::Interval &I : Asked.intervals())
      forEachBlock(P, I.First, I.Last, World, [&](const SenderBlock &B) {
        const bool IsIn = B.Least >= 0 && B.Most < World;
        IsInside &= IsIn || B.Count > 1;
        return IsIn || !IsInside;
      });
    return IsInside;
  };
  return Leads(stretchOf(P, Ranks)) || Leads(Ranks); // a gap may lead elsewhere
}

} // namespace pilgrim
