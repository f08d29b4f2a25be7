//===- RankFn.cpp - one integer slot over all ranks -----------------------===//
#include "trace/ranks/RankFn.h"
#include "trace/base/Hash.h"
#include "trace/base/Wrap.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace pilgrim {

int64_t RankFn::Piece::eval(uint32_t WorldRank, const RankContext &Ctx) const {
  if (isExplained())
    return Cand.eval(Ctx);
  if (In && In->Of == Grid::Own)
    return Ctx.Rank < 0 ? Ctx.Rank : In->at(static_cast<uint64_t>(Ctx.Rank), Ctx.Size);
  if (In && In->Of == Grid::World)
    return In->at(WorldRank, 0);
  const uint64_t Place = Ranks.indexOf(WorldRank);
  return In ? In->at(Place, 0) : List->at(Place, WorldRank);
}

int64_t RankFn::eval(uint32_t WorldRank, const RankContext &Ctx) const {
  if (!More)
    return One.eval(Ctx);
  for (const Piece &P : *More)
    if (P.Ranks.contains(WorldRank))
      return P.eval(WorldRank, Ctx);
  return 0;
}

void RankFn::set(std::vector<Piece> Pieces) {
  One = {};
  More = std::make_shared<std::vector<Piece>>(std::move(Pieces));
}

std::vector<RankFn::Piece> RankFn::piecesFor(const RankSet &Ranks) const {
  if (More)
    return *More;
  std::vector<Piece> Out;
  Out.reserve(2); // mostly another one follows
  Out.push_back({Ranks, One});
  return Out;
}

// Values.

bool RankFn::values(const RankSet &Ranks, std::vector<int64_t> &Out) const {
  Out.clear();
  if (!More) {
    Out.assign(std::max<size_t>(Ranks.size(), 1), One.C);
    return One.Mask == Candidates::Const;
  }
  uint64_t Members = 0;
  for (const Piece &P : *More) {
    if (P.hasContext() || !P.Ranks.isIn(Ranks))
      return false;
    Members += P.Ranks.size();
  }
  if (Members != Ranks.size())
    return false;
  Out.resize(Members);
  size_t Next = 0;
  const bool AreInOrder = More->size() == 1;
  for (const Piece &P : *More)
    P.forEachValue([](uint32_t) { return RankContext(); },
                   [&](uint32_t R, int64_t V) { Out[AreInOrder ? Next++ : Ranks.indexOf(R)] = V; });
  return true;
}

bool RankFn::isSame(const RankFn &Other) const {
  if (!More || !Other.More)
    return !More && !Other.More && One == Other.One;
  return std::equal(More->begin(), More->end(), Other.More->begin(), Other.More->end(),
                    [](const Piece &A, const Piece &B) {
                      if (!(A.Ranks == B.Ranks) || !A.List != !B.List || !A.In != !B.In)
                        return false;
                      return A.List ? A.List->isSame(*B.List) : A.In ? *A.In == *B.In : A.Cand == B.Cand;
                    });
}

uint64_t RankFn::hash() const {
  if (!More)
    return One.hash();
  uint64_t H = More->size();
  for (const Piece &P : *More) {
    H = mix(H, uint64_t(P.Ranks.first()) << 32 | P.Ranks.last());
    H = mix(H, P.List ? P.List->hash() : P.In ? uint64_t(P.In->First) : P.Cand.hash());
  }
  return H;
}

RankFn RankFn::ofValues(const std::vector<int64_t> &Values, const RankSet &Ranks) {
  RankFn F(Values.front());
  if (std::equal(Values.begin() + 1, Values.end(), Values.begin()))
    return F;
  F.set({{Ranks, {}, std::make_shared<const ValueList>(Values)}});
  return F;
}

RankFn RankFn::ofPieces(std::vector<Piece> Pieces) {
  RankFn F;
  if (Pieces.size() == 1 && Pieces[0].isExplained())
    F.One = Pieces[0].Cand;
  else
    F.set(std::move(Pieces));
  return F;
}

RankFn RankFn::ofLevels(const std::vector<Level> &Levels) {
  RankFn F(Levels.front().Value);
  if (Levels.size() == 1)
    return F;
  std::vector<Piece> Pieces;
  for (const Level &L : Levels)
    Pieces.push_back({L.Ranks, RankFn(L.Value).One});
  if (Pieces.size() > MaxPieces)
    Pieces = {listed(Pieces, {})};
  F.set(std::move(Pieces));
  return F;
}

std::optional<std::vector<RankFn::Level>> RankFn::levels(const RankSet &Ranks, const ContextFn &Ctx,
                                                         size_t Most) const {
  std::vector<Level> Out;
  std::unordered_map<int64_t, size_t> Known;
  auto Add = [&](int64_t V, const RankSet &Own) {
    auto [It, New] = Known.try_emplace(V, Out.size());
    if (New && Out.size() == Most)
      return false;
    if (New)
      Out.push_back({V, Own});
    else
      Out[It->second].Ranks.unite(Own);
    return true;
  };
  for (const Piece &P : More ? *More : std::vector<Piece>{{Ranks, One}}) {
    const RankSet Own = P.Ranks.common(Ranks);
    if (Own.empty())
      continue;
    if (P.isConst()) {
      if (!Add(P.Cand.C, Own))
        return std::nullopt;
      continue;
    }
    // Values that are all different are soon too many.
    const RankContext None;
    for (const RankSet::Interval &I : Own.intervals())
      for (uint64_t R = I.First; R <= I.Last; ++R) {
        const auto Rank = static_cast<uint32_t>(R);
        if (!Add(P.eval(Rank, P.hasContext() ? Ctx(Rank) : None), RankSet(Rank)))
          return std::nullopt;
      }
  }
  std::sort(Out.begin(), Out.end(), [](const Level &A, const Level &B) { return A.Ranks.first() < B.Ranks.first(); });
  return Out;
}

std::pair<int64_t, int64_t> RankFn::range(const RankSet &Ranks, uint32_t World) const {
  int64_t Least = INT64_MAX, Most = INT64_MIN;
  auto Add = [&](int64_t A, int64_t B) {
    Least = std::min(Least, A);
    Most = std::max(Most, B);
  };
  for (const Piece &P : More ? *More : std::vector<Piece>{{Ranks, One}}) {
    if (P.Ranks.empty())
      continue;
    const bool IsOffset = P.isExplained() && P.Cand.Mask == Candidates::Offset;
    if (P.isConst()) {
      Add(P.Cand.C, P.Cand.C);
    } else if (auto R = P.List ? P.List->range() : P.In ? P.In->range(P.Ranks.size()) : std::nullopt) {
      Add(R->first, R->second);
    } else if (int64_t End; IsOffset && !__builtin_add_overflow(P.Cand.Off, int64_t(P.Ranks.last()), &End)) {
      Add(P.Cand.Off + P.Ranks.first(), End);
    } else {
      P.Ranks.forEach([&](uint32_t Rank) {
        const int64_t V = P.eval(Rank, {Rank, World});
        Add(V, V);
      });
    }
  }
  return {Least, Most};
}

RankFn RankFn::compressed() const {
  RankFn F = *this;
  if (!More || std::none_of(More->begin(), More->end(), [](const Piece &P) { return P.List && P.List->isPlain(); }))
    return F;
  std::vector<Piece> Pieces = *More;
  for (Piece &P : Pieces)
    if (P.List)
      P.List = std::make_shared<const ValueList>(P.List->compressed(P.Ranks));
  F.set(std::move(Pieces));
  return F;
}

RankFn::Scale RankFn::scale(const RankSet &Ranks) const {
  if (!More || Ranks.empty())
    return {};
  const Piece &P = More->front();
  if (More->size() == 1)
    return {eval(Ranks.first(), {}), P.List ? P.List->unit() : P.In ? P.In->unit(P.Ranks.size()) : 0};
  Scale S{eval(Ranks.first(), {}), 0};
  uint64_t Members = 0;
  for (const Piece &Q : *More) {
    int64_t Way;
    if (!Q.isConst() || __builtin_sub_overflow(Q.Cand.C, S.First, &Way))
      return {};
    S.Unit = std::gcd(S.Unit, Way < 0 ? -static_cast<uint64_t>(Way) : static_cast<uint64_t>(Way));
    Members += Q.Ranks.size();
  }
  // In a damaged file pieces may have other ranks.
  return Members == Ranks.size() ? S : Scale();
}

RankFn RankFn::rescaled(const Scale &From, const Scale &To) const {
  auto Scaled = [&](int64_t Way) {
    return static_cast<int64_t>(static_cast<__int128>(Way) / static_cast<__int128>(From.Unit) *
                                static_cast<__int128>(To.Unit));
  };
  auto Moved = [&](int64_t V) {
    const auto Way = wrappedDifference(V, From.First);
    return wrappedSum(To.First, Scaled(Way));
  };
  std::vector<Piece> Pieces = *More;
  for (Piece &P : Pieces) {
    if (P.List) {
      P.List = std::make_shared<const ValueList>(P.List->rescaled(From.First, From.Unit, To.First, To.Unit));
    } else if (P.In) {
      Grid G = *P.In;
      G.First = Moved(G.First);
      for (Grid::Dimension &D : G.In)
        D.Weight = Scaled(D.Weight);
      P.In = std::make_shared<const Grid>(G);
    } else {
      P.Cand.C = Moved(P.Cand.C);
    }
  }
  RankFn F;
  F.set(std::move(Pieces));
  return F;
}

uint64_t RankFn::memory() const {
  uint64_t N = 0;
  for (const Piece &P : pieces())
    N += sizeof(Piece) + (P.List ? P.List->memory() : 0) + (P.In ? sizeof(Grid) : 0);
  return N;
}

} // namespace pilgrim
