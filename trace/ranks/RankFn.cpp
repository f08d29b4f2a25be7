//===- RankFn.cpp - one integer slot over all ranks -----------------------===//
#include "trace/ranks/RankFn.h"

#include <algorithm>
#include <numeric>

namespace pilgrim {

// Wrapping arithmetic: any 64-bit value may stand in a slot.
static int64_t add(int64_t A, int64_t B) {
  return static_cast<int64_t>(static_cast<uint64_t>(A) + static_cast<uint64_t>(B));
}

Candidates Candidates::of(int64_t V, const RankContext *Ctx) {
  Candidates R;
  R.C = V;
  // Negative values are names (MPI_PROC_NULL, MPI_ANY_SOURCE): an offset that
  // hits one by accident explains nothing.
  if (!Ctx || Ctx->Size <= 0 || V < 0)
    return R;
  // A shard that was read may claim any rank and size.
  if (Ctx->Rank < 0 || Ctx->Rank >= Ctx->Size || Ctx->Size > INT32_MAX)
    return R;
  R.Mask |= Offset;
  R.Off = V - Ctx->Rank;
  if (V < Ctx->Size) {
    R.Mask |= Modulo;
    R.Mod = (V - Ctx->Rank + Ctx->Size) % Ctx->Size;
    // More than half way round is a step back: that keeps the number the same
    // on communicators of different sizes.
    if (R.Mod > Ctx->Size / 2)
      R.Mod -= Ctx->Size;
    R.Mask |= Xor;
    R.Flip = V ^ Ctx->Rank;
  }
  return R;
}

Candidates Candidates::intersect(const Candidates &O) const {
  Candidates R = *this;
  R.Mask &= O.Mask;
  if (C != O.C)
    R.Mask &= ~Const;
  if (Off != O.Off)
    R.Mask &= ~Offset;
  if (Mod != O.Mod)
    R.Mask &= ~Modulo;
  if (Flip != O.Flip)
    R.Mask &= ~Xor;
  return R;
}

int64_t Candidates::eval(const RankContext &Ctx) const {
  if (Mask & Const)
    return C;
  if (Mask & Offset)
    return add(Ctx.Rank, Off);
  if (!(Mask & Modulo))
    return Ctx.Rank ^ Flip;
  if (Ctx.Size <= 0)
    return 0;
  int64_t V = add(Ctx.Rank, Mod) % Ctx.Size;
  return V < 0 ? V + Ctx.Size : V;
}

int64_t RankFn::eval(uint32_t WorldRank, const RankContext &Ctx) const {
  if (!More)
    return One.eval(Ctx);
  for (const Piece &P : More->Pieces)
    if (P.Ranks.contains(WorldRank))
      return P.Cand.eval(Ctx);
  if (More->Beside.Dimensions)
    return More->Beside.of(Ctx.Rank, Ctx.Size);
  if (More->Listed.contains(WorldRank))
    return More->Values[More->Listed.indexOf(WorldRank)];
  return 0;
}

bool RankFn::values(size_t Count, std::vector<int64_t> &Out) const {
  auto IsConst = [](const Candidates &C) { return C.Mask == Candidates::Const; };
  Out.clear();
  if (!More) {
    Out.assign(Count, One.C);
    return IsConst(One);
  }
  if (More->Pieces.empty()) {
    Out = More->Values;
    return Out.size() == Count && !More->Beside.Dimensions;
  }
  std::vector<std::pair<uint32_t, int64_t>> All;
  for (const Piece &P : More->Pieces) {
    if (!IsConst(P.Cand))
      return false;
    P.Ranks.forEach([&](uint32_t R) { All.push_back({R, P.Cand.C}); });
  }
  std::sort(All.begin(), All.end());
  for (auto &[R, V] : All)
    Out.push_back(V);
  return Out.size() == Count;
}

RankFn RankFn::ofValues(const std::vector<int64_t> &Values, const RankSet &Ranks) {
  RankFn F(Values.front());
  if (std::equal(Values.begin() + 1, Values.end(), Values.begin()))
    return F;
  auto M = std::make_shared<Many>();
  M->Listed = Ranks;
  M->Values = Values;
  F.One = {};
  F.More = std::move(M);
  return F;
}

RankFn::Many &RankFn::many(const RankSet &Ranks) {
  auto M = std::make_shared<Many>();
  if (More)
    *M = *More;
  else
    M->Pieces.push_back({Ranks, One});
  Many &Ref = *M;
  More = std::move(M);
  return Ref;
}

/// Turns pieces, or a neighbour, into a list of values.
void RankFn::list(const ContextFn &Ctx) {
  if (!More || (More->Pieces.empty() && !More->Beside.Dimensions))
    return;
  auto M = std::make_shared<Many>();
  std::vector<std::pair<uint32_t, int64_t>> All;
  for (const Piece &P : More->Pieces) {
    M->Listed.unite(P.Ranks);
    P.Ranks.forEach([&](uint32_t R) {
      All.push_back({R, P.Cand.eval((P.Cand.Mask & Candidates::Const) ? RankContext{} : Ctx(R))});
    });
  }
  if (More->Beside.Dimensions) {
    M->Listed = More->Listed;
    M->Listed.forEach([&](uint32_t R) {
      RankContext Own = Ctx(R);
      All.push_back({R, More->Beside.of(Own.Rank, Own.Size)});
    });
  }
  std::sort(All.begin(), All.end());
  for (auto &[R, V] : All)
    M->Values.push_back(V);
  More = std::move(M);
}

void RankFn::merge(const RankFn &Other, const RankSet &Ranks, const RankSet &OtherRanks, const ContextFn &Ctx,
                   const ContextFn &OtherCtx) {
  if (mergeSingle(Other))
    return;
  Many &A = many(Ranks);
  RankFn B = Other;
  B.many(OtherRanks);
  if (!A.Pieces.empty() && !B.More->Pieces.empty()) {
    for (const Piece &P : B.More->Pieces) {
      bool Found = false;
      for (Piece &Q : A.Pieces) {
        Candidates Both = Q.Cand.intersect(P.Cand);
        if (!Both.Mask)
          continue;
        Q.Cand = Both;
        Q.Ranks.unite(P.Ranks);
        Found = true;
        break;
      }
      if (!Found)
        A.Pieces.push_back(P);
    }
    if (A.Pieces.size() <= MaxPieces)
      return;
    list([&](uint32_t R) { return OtherRanks.contains(R) ? OtherCtx(R) : Ctx(R); });
    return;
  }
  list(Ctx);
  B.list(OtherCtx);
  auto M = std::make_shared<Many>();
  M->Listed = More->Listed;
  M->Listed.unite(B.More->Listed);
  std::vector<std::pair<uint32_t, int64_t>> All;
  for (const Many *Side : {More.get(), B.More.get()}) {
    size_t I = 0;
    Side->Listed.forEach([&](uint32_t R) { All.push_back({R, Side->Values[I++]}); });
  }
  std::sort(All.begin(), All.end());
  for (auto &[R, V] : All)
    M->Values.push_back(V);
  More = std::move(M);
}

bool RankFn::explains(const RankFn &Other) const {
  auto Has = [&](const Candidates &C) {
    if (!More)
      return One.intersect(C).Mask != 0;
    return std::any_of(More->Pieces.begin(), More->Pieces.end(),
                       [&](const Piece &P) { return P.Cand.intersect(C).Mask != 0; });
  };
  if (!Other.More)
    return Has(Other.One);
  return !Other.More->Pieces.empty() &&
         std::all_of(Other.More->Pieces.begin(), Other.More->Pieces.end(), [&](const Piece &P) { return Has(P.Cand); });
}

void RankFn::derive(const RankContext *Ctx) {
  if (!More && One.Mask == Candidates::Const)
    One = Candidates::of(One.C, Ctx);
}

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
  auto M = std::make_shared<Many>(*More);
  for (Piece &P : M->Pieces)
    chooseOne(P.Cand);
  More = std::move(M);
}

/// Whether it is the same neighbour of all ranks.
bool RankFn::findNeighbour(const RankSet &Ranks, const ContextFn &Ctx) {
  auto IsConst = [](const Piece &P) { return P.Cand.Mask == Candidates::Const; };
  if (!More->Pieces.empty() && std::all_of(More->Pieces.begin(), More->Pieces.end(), IsConst))
    return false;
  RankFn Listed = *this;
  Listed.list(Ctx);
  if (!(Listed.More->Listed == Ranks))
    return false;
  std::vector<int64_t> Own;
  int64_t Size = -1;
  Ranks.forEach([&](uint32_t R) {
    RankContext C = Ctx(R);
    Size = Size < 0 || Size == C.Size ? C.Size : 0;
    Own.push_back(C.Rank);
  });
  auto M = std::make_shared<Many>();
  if (!pilgrim::findNeighbour(Own, Size, Listed.More->Values, M->Beside))
    return false;
  M->Listed = Ranks;
  More = std::move(M);
  return true;
}

void RankFn::shorten(const RankSet &Ranks, const ContextFn &Ctx) {
  if (!More || More->Beside.Dimensions || findNeighbour(Ranks, Ctx) || More->Pieces.empty())
    return;
  ByteWriter Pieces, Values;
  write(Pieces);
  RankSet All;
  for (const Piece &P : More->Pieces)
    All.unite(P.Ranks);
  // A value takes a byte or more, unless they are partners, which many pieces may be.
  if (!(All == Ranks) || (All.size() > Pieces.Data.size() && More->Pieces.size() < 4))
    return;
  RankFn Listed = *this;
  Listed.list(Ctx);
  Listed.write(Values);
  if (Values.Data.size() < Pieces.Data.size())
    *this = std::move(Listed);
}

RankFn::Scale RankFn::scale(const RankSet &Ranks) const {
  if (!More || More->Beside.Dimensions || Ranks.empty())
    return {};
  Scale S{eval(Ranks.first(), {}), 0};
  auto Add = [&](int64_t V) {
    int64_t Way = static_cast<int64_t>(static_cast<uint64_t>(V) - static_cast<uint64_t>(S.First));
    S.Unit = std::gcd(S.Unit, Way < 0 ? -static_cast<uint64_t>(Way) : static_cast<uint64_t>(Way));
  };
  for (int64_t V : More->Values)
    Add(V);
  uint64_t InPieces = 0;
  for (const Piece &P : More->Pieces) {
    if (P.Cand.Mask != Candidates::Const)
      return {};
    Add(P.Cand.C);
    InPieces += P.Ranks.size();
  }
  // In a damaged file pieces may have other ranks.
  return More->Pieces.empty() || InPieces == Ranks.size() ? S : Scale();
}

RankFn RankFn::rescaled(const Scale &From, const Scale &To) const {
  auto Move = [&](int64_t &V) {
    __int128 Way = static_cast<int64_t>(static_cast<uint64_t>(V) - static_cast<uint64_t>(From.First));
    auto Steps = static_cast<uint64_t>(static_cast<int64_t>(Way / static_cast<__int128>(From.Unit)));
    V = static_cast<int64_t>(static_cast<uint64_t>(To.First) + Steps * To.Unit);
  };
  RankFn F;
  auto M = std::make_shared<Many>(*More);
  for (int64_t &V : M->Values)
    Move(V);
  for (Piece &P : M->Pieces)
    Move(P.Cand.C);
  F.More = std::move(M);
  return F;
}

uint64_t RankFn::memory() const {
  if (!More)
    return 0;
  uint64_t N = sizeof(Many) + More->Values.size() * sizeof(int64_t) + More->Pieces.size() * sizeof(Piece);
  for (const Piece &P : More->Pieces)
    N += P.Ranks.intervals().size() * sizeof(RankSet::Interval);
  return N + More->Listed.intervals().size() * sizeof(RankSet::Interval);
}

} // namespace pilgrim
