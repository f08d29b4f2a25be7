//===- RankedStream.cpp - a stream of integers of some ranks --------------===//
#include "trace/RankedStream.h"

#include <algorithm>

namespace pilgrim {

/// Differences that are worth a function each. Random values have more.
static constexpr size_t MaxByRank = 64;

static int64_t fieldOf(const LinearRun &R, unsigned Field) {
  return Field == 0 ? R.First : Field == 1 ? R.Stride : static_cast<int64_t>(R.Count);
}

static void setField(LinearRun &R, unsigned Field, int64_t V) {
  if (Field == RankedStream::CountField)
    R.Count = static_cast<uint64_t>(V);
  else
    (Field == 0 ? R.First : R.Stride) = V;
}

IntStreamData RankedStream::of(uint32_t Rank, uint32_t World) const {
  IntStreamData D = Values;
  for (const auto &[Field, F] : ByRank)
    setField(D.Runs[Field / NumFields], Field % NumFields, F.eval(Rank, {Rank, World}));
  return D;
}

bool RankedStream::hasCountsByRank() const {
  return std::any_of(ByRank.begin(), ByRank.end(), [](const auto &X) { return X.first % NumFields == CountField; });
}

RankFn RankedStream::function(uint32_t Field, uint32_t World) const {
  if (auto F = ByRank.find(Field); F != ByRank.end())
    return F->second;
  RankFn F(fieldOf(Values.Runs[Field / NumFields], Field % NumFields));
  RankContext Ctx{Ranks.first(), World};
  if (Ranks.size() == 1)
    F.derive(&Ctx);
  return F;
}

bool RankedStream::join(const RankedStream &Other, uint32_t World) {
  if (Values.AreSteps != Other.Values.AreSteps || !(Values.Order == Other.Values.Order) ||
      Values.Runs.size() != Other.Values.Runs.size())
    return false;
  std::vector<uint32_t> Different;
  for (uint32_t Field = 0; Field < Values.Runs.size() * NumFields; ++Field) {
    unsigned Which = Field % NumFields;
    if (fieldOf(Values.Runs[Field / NumFields], Which) != fieldOf(Other.Values.Runs[Field / NumFields], Which) ||
        ByRank.contains(Field) || Other.ByRank.contains(Field))
      Different.push_back(Field);
    if (Different.size() > MaxByRank)
      return false;
  }
  auto Ctx = [&](uint32_t R) { return RankContext{R, World}; };
  for (uint32_t Field : Different) {
    RankFn F = function(Field, World);
    F.merge(Other.function(Field, World), Ranks, Other.Ranks, Ctx, Ctx);
    ByRank[Field] = std::move(F);
  }
  // Behind the functions, which need what was there. Of a single value no stride would be kept.
  for (uint32_t Field : Different)
    setField(Values.Runs[Field / NumFields], Field % NumFields, Field % NumFields == CountField ? 2 : 0);
  Ranks.unite(Other.Ranks);
  return true;
}

void RankedStream::choose(uint32_t World) {
  for (auto &[Field, F] : ByRank) {
    F.choose();
    F.shorten(Ranks, [&](uint32_t R) { return RankContext{R, World}; });
  }
}

void RankedStream::write(ByteWriter &W) const {
  Values.write(W, ByRank.empty() ? IntStreamData::NoFeature : IntStreamData::HasFunctions);
  if (ByRank.empty())
    return;
  W.varint(ByRank.size() - 1);
  uint32_t Next = 0;
  for (const auto &[Field, F] : ByRank) {
    W.varint(Field - Next);
    F.write(W);
    Next = Field + 1;
  }
}

/// Whether all ranks have numbers of values that a stream may have.
static bool areCountsSane(const RankedStream &S, ByteReader &R, uint32_t World) {
  IntStreamData Longest = S.Values;
  for (const auto &[Field, F] : S.ByRank) {
    if (Field % RankedStream::NumFields != RankedStream::CountField)
      continue;
    R.spend(S.Ranks.size()); // which bounds the time
    uint64_t &Max = Longest.Runs[Field / RankedStream::NumFields].Count = 1;
    bool Good = R.ok();
    if (Good)
      S.Ranks.forEach([&](uint32_t Rank) {
        uint64_t N = static_cast<uint64_t>(F.eval(Rank, {Rank, World}));
        Good &= N >= 1 && N <= IntStreamData::MaxRun;
        Max = std::max(Max, N);
      });
    if (!Good)
      return false;
  }
  return Longest.isShort();
}

void RankedStream::read(ByteReader &R, uint32_t World, unsigned Allowed) {
  unsigned Features = 0;
  Values = IntStreamData::read(R, Allowed, &Features);
  bool Has = Features & IntStreamData::HasFunctions;
  const size_t Fields = Values.Runs.size() * NumFields;
  uint64_t Field = 0;
  for (size_t N = Has ? R.varintMax(Fields) + 1 : 0; N && R.ok(); --N, ++Field) {
    Field += R.varintMax(Fields);
    if (Field >= Fields)
      R.fail();
    R.spend(sizeof *ByRank.begin());
    if (R.ok())
      ByRank.emplace(static_cast<uint32_t>(Field), RankFn::read(R, Ranks, World));
  }
  if (R.ok() && hasCountsByRank() && !areCountsSane(*this, R, World))
    R.fail();
}

} // namespace pilgrim
