//===- RankedStream.cpp - a stream of integers of some ranks --------------===//
#include "trace/ranks/RankedStream.h"

#include <algorithm>

namespace pilgrim {

namespace {
/// The fields of all runs of a stream, by place.
template <typename Stream> class RunFields {
public:
  explicit RunFields(Stream &S) : S(S) {}
  size_t size() const { return S.Runs.size() * RankedStream::NumFields; }
  int64_t get(uint32_t Place) const {
    const LinearRun &R = run(Place);
    return isLength(Place) ? static_cast<int64_t>(R.Count) : Place % RankedStream::NumFields ? R.Stride : R.First;
  }
  void set(uint32_t Place, int64_t V) {
    LinearRun &R = run(Place);
    if (isLength(Place))
      R.Count = static_cast<uint64_t>(V);
    else
      (Place % RankedStream::NumFields ? R.Stride : R.First) = V;
  }
  /// Of a single value no stride would be kept.
  static int64_t placeholder(uint32_t Place) { return isLength(Place) ? 2 : 0; }
  static bool isLength(uint32_t Place) { return Place % RankedStream::NumFields == RankedStream::CountField; }
  static constexpr auto Most = static_cast<int64_t>(IntStreamData::MaxRun);
  static int64_t least(uint32_t) { return 1; }

private:
  auto &run(uint32_t Place) const { return S.Runs[Place / RankedStream::NumFields]; }
  Stream &S;
};
} // namespace

static RunFields<IntStreamData> numbersOf(IntStreamData &S) { return RunFields<IntStreamData>(S); }
static RunFields<const IntStreamData> numbersOf(const IntStreamData &S) { return RunFields<const IntStreamData>(S); }

IntStreamData RankedStream::of(uint32_t Rank, uint32_t World) const {
  return valueFor(Rank, *this, &RankedStream::Values, World);
}

bool RankedStream::hasLengthsByRank() const {
  return std::any_of(Functions.begin(), Functions.end(),
                     [](const auto &X) { return X.first % NumFields == CountField; });
}

bool RankedStream::join(const RankedStream &Other, uint32_t World) {
  if (Values.AreSteps != Other.Values.AreSteps || !(Values.Order == Other.Values.Order) ||
      Values.Runs.size() != Other.Values.Runs.size() || Values.Chunks != Other.Values.Chunks)
    return false;
  return joinNumbers(*this, Other, &RankedStream::Values, World);
}

void RankedStream::forEachPart(uint32_t World, const std::function<void(const RankedStream &)> &F) const {
  pilgrim::forEachPart(*this, &RankedStream::Values, World, F);
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
  if (R.ok() && hasLengthsByRank() && !areLengthsSane(*this, &RankedStream::Values, Scope.World))
    R.fail("a length of a run that is out of range");
}

} // namespace pilgrim
