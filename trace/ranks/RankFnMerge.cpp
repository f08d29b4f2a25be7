//===- RankFnMerge.cpp - taking in the values of other ranks --------------===//
#include "trace/ranks/RankFn.h"

#include <algorithm>

namespace pilgrim {

/// Pieces as one list.
RankFn::Piece RankFn::listed(const std::vector<Piece> &Pieces, const ContextFn &Ctx) {
  Piece Out;
  bool InOrder = true;
  for (const Piece &P : Pieces) {
    InOrder &= Out.Ranks.empty() || P.Ranks.first() > Out.Ranks.last();
    Out.Ranks.unite(P.Ranks);
  }
  std::vector<int64_t> Values(Out.Ranks.size());
  size_t Next = 0;
  for (const Piece &P : Pieces)
    P.forEachValue(Ctx, [&](uint32_t R, int64_t V) { Values[InOrder ? Next++ : Out.Ranks.indexOf(R)] = V; });
  Out.List = std::make_shared<const ValueList>(std::move(Values));
  return Out;
}

/// Whether a piece came from a file, and would take much memory as a list of values.
static bool isLongAndRead(const RankFn::Piece &P) {
  constexpr uint64_t Long = 1u << 16; // ranks
  return (P.In || (P.List && !P.List->isPlain())) && P.Ranks.size() > Long;
}

void RankFn::merge(const RankFn &Other, const RankSet &Ranks, const RankSet &OtherRanks, const ContextFn &Ctx,
                   const ContextFn &OtherCtx, RankSetUnions &Unions) {
  if (mergeSingle(Other))
    return;
  // What nobody else has need not be copied.
  if (!More || More.use_count() > 1)
    set(piecesFor(Ranks));
  std::vector<Piece> &A = *More;
  const Piece OtherPiece{OtherRanks, Other.One};
  for (const Piece &P : Other.More ? Other.pieces() : std::span<const Piece>(&OtherPiece, 1)) {
    bool Found = false;
    for (Piece &Q : A) {
      if (!P.isExplained() || !Q.isExplained() || !Q.Cand.meets(P.Cand))
        continue;
      Q.Cand = Q.Cand.intersect(P.Cand);
      Unions.unite(Q.Ranks, P.Ranks);
      Found = true;
      break;
    }
    if (!Found)
      A.push_back(P);
  }
  // What is beside a list or a grid is listed, and so are too many pieces. What is long and was read stays as it is if
  // it can.
  ptrdiff_t Kept = 0;
  if (std::any_of(A.begin(), A.end(), isLongAndRead)) // asks for no memory if there are none
    Kept = std::stable_partition(A.begin(), A.end(), isLongAndRead) - A.begin();
  const bool HasList = std::any_of(A.begin() + Kept, A.end(), [](const Piece &P) { return !P.isExplained(); });
  auto ListFrom = [&](ptrdiff_t First) {
    const std::vector<Piece> Listed(std::move_iterator(A.begin() + First), std::move_iterator(A.end()));
    A.resize(static_cast<size_t>(First));
    A.push_back(listed(Listed, [&](uint32_t R) { return OtherRanks.contains(R) ? OtherCtx(R) : Ctx(R); }));
  };
  if ((HasList || A.size() > MaxPieces) && A.size() > static_cast<size_t>(Kept) + 1)
    ListFrom(Kept);
  if (A.size() > MaxPieces)
    ListFrom(0);
}

bool RankFn::explainsPieces(const RankFn &Other) const {
  auto Has = [&](const Candidates &C) {
    if (!More)
      return One.meets(C);
    return std::any_of(More->begin(), More->end(), [&](const Piece &P) { return P.isExplained() && P.Cand.meets(C); });
  };
  if (!Other.More)
    return Has(Other.One);
  return std::all_of(Other.More->begin(), Other.More->end(),
                     [&](const Piece &P) { return P.isExplained() && Has(P.Cand); });
}

void RankFn::derive(const RankContext *Ctx) {
  if (!More && One.Mask == Candidates::Const)
    One = Candidates::of(One.C, Ctx);
}

// What a finished trace has.

static void chooseOne(Candidates &C) {
  C.Mask = C.Mask & -C.Mask; // the lowest bit is the simplest explanation
  if (C.Mask != Candidates::Const)
    C.C = 0;
  if (C.Mask != Candidates::Offset)
    C.Off = 0;
  if (C.Mask != Candidates::Modulo)
    C.Mod = 0;
  if (C.Mask != Candidates::Xor)
    C.Flip = 0;
}

void RankFn::choose() {
  if (!More) {
    chooseOne(One);
    return;
  }
  std::vector<Piece> Pieces = *More;
  for (Piece &P : Pieces)
    chooseOne(P.Cand);
  set(std::move(Pieces));
}

/// Whether it is the same neighbour of all ranks.
bool RankFn::becomeNeighbour(const RankSet &Ranks, const ContextFn &Ctx) {
  if (More->size() > 1 && std::all_of(More->begin(), More->end(), [](const Piece &P) { return P.isConst(); }))
    return false;
  // Values that are not ranks are seen at once.
  const RankContext At = Ctx(Ranks.first());
  const int64_t V = eval(Ranks.first(), At);
  if (At.Size < 4 || V < 0 || V >= At.Size)
    return false;
  std::vector<int64_t> Own, Values;
  int64_t Size = At.Size;
  Ranks.forEach([&](uint32_t R) {
    RankContext C = Ctx(R);
    Size = Size == C.Size ? Size : 0;
    Own.push_back(C.Rank);
    Values.push_back(eval(R, C));
  });
  auto G = findNeighbour(Own, Size, Values);
  if (G)
    set({{Ranks, {}, nullptr, std::make_shared<const Grid>(*G)}});
  return G.has_value();
}

void RankFn::shorten(const RankSet &Ranks, const ContextFn &Ctx) {
  // A function of a part of Ranks is of a damaged trace.
  uint64_t Members = 0;
  for (const Piece &P : pieces()) {
    if (!P.Ranks.isIn(Ranks) || isLongAndRead(P))
      return;
    Members += P.Ranks.size();
  }
  if (!More || Members != Ranks.size() || (More->size() == 1 && More->front().In) || becomeNeighbour(Ranks, Ctx))
    return;
  const bool IsList = More->size() == 1 && More->front().List;
  const size_t Bytes = IsList ? SIZE_MAX : bytesOf(*this).size();
  // A value takes a byte or more, unless they are partners, which many pieces may be.
  if (!IsList && Members > Bytes && More->size() < 4)
    return;
  RankFn Listed;
  Listed.set({listed(*More, Ctx)});
  std::vector<int64_t> Values;
  Listed.values(Ranks, Values);
  if (auto G = findGrid({Ranks, Values}))
    Listed.set({{Ranks, {}, nullptr, std::make_shared<const Grid>(*G)}});
  else
    Listed = Listed.compressed();
  if (bytesOf(Listed).size() < Bytes)
    *this = std::move(Listed);
}

} // namespace pilgrim
