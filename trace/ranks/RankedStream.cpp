//===- RankedStream.cpp - a stream of integers of some ranks --------------===//
#include "trace/ranks/RankedStream.h"

#include <algorithm>

namespace pilgrim {

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
  for (const auto &[Field, F] : Functions)
    setField(D.Runs[Field / NumFields], Field % NumFields, F.eval(Rank, {Rank, World}));
  return D;
}

bool RankedStream::hasCountsByRank() const {
  return std::any_of(Functions.begin(), Functions.end(),
                     [](const auto &X) { return X.first % NumFields == CountField; });
}

bool RankedStream::join(const RankedStream &Other, uint32_t World) {
  if (Values.AreSteps != Other.Values.AreSteps || !(Values.Order == Other.Values.Order) ||
      Values.Runs.size() != Other.Values.Runs.size() || Values.Chunks != Other.Values.Chunks)
    return false;
  auto Number = [](const RankedStream &X) {
    return [&X](uint32_t Field) { return fieldOf(X.Values.Runs[Field / NumFields], Field % NumFields); };
  };
  ByRank Both = Functions;
  if (!joinByRank(Both, {Ranks, Functions, Number(*this)}, {Other.Ranks, Other.Functions, Number(Other)},
                  static_cast<uint32_t>(Values.Runs.size()) * NumFields, World))
    return false;
  Functions = std::move(Both);
  // Of a single value no stride would be kept.
  for (const auto &[Field, F] : Functions)
    setField(Values.Runs[Field / NumFields], Field % NumFields, Field % NumFields == CountField ? 2 : 0);
  Ranks.unite(Other.Ranks);
  return true;
}

void RankedStream::forEachPart(uint32_t World,
                               const std::function<void(const RankSet &, const IntStreamData &)> &F) const {
  if (Functions.empty())
    return F(Ranks, Values);
  IntStreamData Part = Values;
  forEachAlike(Functions, Ranks, World, [&](const RankSet &Own, const std::map<uint32_t, int64_t> &Numbers) {
    for (const auto &[Field, N] : Numbers)
      setField(Part.Runs[Field / NumFields], Field % NumFields, N);
    F(Own, Part);
  });
}

void RankedStream::write(ByteWriter &W) const {
  Values.write(W, Functions.empty() ? IntStreamData::NoFeature : IntStreamData::HasFunctions);
  if (Functions.empty())
    return;
  W.varint(Functions.size() - 1);
  uint32_t Next = 0;
  for (const auto &[Field, F] : Functions) {
    W.varint(Field - Next);
    F.write(W);
    Next = Field + 1;
  }
}

/// Whether all ranks have numbers of values that a stream may have.
static bool areCountsSane(const RankedStream &S, uint32_t World) {
  IntStreamData Longest = S.Values;
  for (const auto &[Field, F] : S.Functions) {
    if (Field % RankedStream::NumFields != RankedStream::CountField)
      continue;
    const auto [Least, Most] = F.range(S.Ranks, World);
    if (Least < 1 || Most > static_cast<int64_t>(IntStreamData::MaxRun))
      return false;
    Longest.Runs[Field / RankedStream::NumFields].Count = static_cast<uint64_t>(Most);
  }
  return Longest.isShort();
}

void RankedStream::read(ByteReader &R, const RankScope &Scope, unsigned Allowed) {
  unsigned Features = 0;
  Values = IntStreamData::read(R, Allowed | IntStreamData::HasChunks, &Features);
  bool Has = Features & IntStreamData::HasFunctions;
  const size_t Fields = Values.Runs.size() * NumFields;
  uint64_t Field = 0;
  for (size_t N = Has ? R.varintMax(Fields) + 1 : 0; N && R.ok(); --N, ++Field) {
    Field += R.varintMax(Fields);
    if (Field >= Fields)
      R.fail("a function of no run");
    else if (Values.chunk(static_cast<uint32_t>(Field / NumFields)))
      R.fail("a function of a chunk");
    R.spend(sizeof *Functions.begin());
    if (R.ok())
      Functions.emplace(static_cast<uint32_t>(Field), RankFn::read(R, Ranks, Scope));
  }
  if (R.ok() && hasCountsByRank() && !areCountsSane(*this, Scope.World))
    R.fail("a length of a run that is out of range");
}

} // namespace pilgrim
