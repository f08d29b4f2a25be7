//===- Neighbour.cpp - the same neighbour of all in a torus ---------------===//
#include "trace/ranks/Neighbour.h"

#include <algorithm>
#include <set>

namespace pilgrim {

int64_t Neighbour::of(int64_t Rank, int64_t Size) const {
  if (Rank < 0 || Rank > Limit || Size > Limit)
    return Rank; // none in a trace that is not damaged
  int64_t Stride = 1, Value = Rank;
  for (uint32_t I = 0; I < Dimensions; ++I) {
    int64_t Extent = I + 1 < Dimensions ? Of[I].Extent : std::max<int64_t>(Size / Stride, 1);
    int64_t At = Rank / Stride % Extent;
    Value += ((At + Of[I].Step) % Extent - At) * Stride;
    Stride *= Extent;
  }
  return Value;
}

void Neighbour::write(ByteWriter &W) const {
  W.varint(Dimensions);
  for (uint32_t I = 0; I < Dimensions; ++I) {
    if (I + 1 < Dimensions)
      W.varint(Of[I].Extent);
    W.varint(Of[I].Step);
  }
}

bool Neighbour::read(ByteReader &R) {
  Dimensions = static_cast<uint32_t>(R.varintMax(MaxDimensions));
  uint64_t Size = 1;
  for (uint32_t I = 0; I < Dimensions && R.ok(); ++I) {
    bool IsLast = I + 1 == Dimensions;
    Of[I].Extent = IsLast ? 1 : static_cast<uint32_t>(R.varintMax(Limit));
    Of[I].Step = static_cast<uint32_t>(R.varintMax(IsLast ? Limit : uint64_t(Of[I].Extent) - 1));
    Size *= Of[I].Extent;
    if (Size == 0 || Size > Limit)
      return false;
  }
  return R.ok() && Dimensions;
}

namespace {
class Search {
public:
  Search(const std::vector<int64_t> &Own, int64_t Size, const std::vector<int64_t> &Values, Neighbour &N)
      : Own(Own), Size(Size), Values(Values), N(N) {}

  /// Tries all grids of so many dimensions more, of which the extents are a product of Left.
  bool withExtents(uint32_t More, int64_t Left) {
    if (More == 1) {
      N.Of[N.Dimensions++].Extent = static_cast<uint32_t>(Left);
      bool Found = Left > 1 && isRight();
      N.Dimensions -= !Found;
      return Found;
    }
    for (int64_t E = 2; E <= Left / 2; ++E)
      if (Left % E == 0) {
        N.Of[N.Dimensions++].Extent = static_cast<uint32_t>(E);
        if (withExtents(More - 1, Left / E))
          return true;
        --N.Dimensions;
      }
    return false;
  }

private:
  bool isRight() {
    int64_t Stride = 1;
    for (uint32_t I = 0; I < N.Dimensions; ++I) {
      Neighbour::Dimension &D = N.Of[I];
      int64_t From = Own[0] / Stride % D.Extent, To = Values[0] / Stride % D.Extent;
      D.Step = static_cast<uint32_t>((To - From + D.Extent) % D.Extent);
      Stride *= D.Extent;
    }
    for (size_t I = 0; I < Own.size(); ++I)
      if (N.of(Own[I], Size) != Values[I])
        return false;
    return true;
  }

  const std::vector<int64_t> &Own;
  int64_t Size;
  const std::vector<int64_t> &Values;
  Neighbour &N;
};
} // namespace

bool findNeighbour(const std::vector<int64_t> &Own, int64_t Size, const std::vector<int64_t> &Values, Neighbour &N) {
  if (Own.size() < 4 || Size < 4 || Size > Neighbour::Limit)
    return false;
  // In each dimension it is a step forward or one round less.
  std::set<int64_t> Steps;
  for (size_t I = 0; I < Own.size(); ++I) {
    if (Own[I] < 0 || Own[I] >= Size || Values[I] < 0 || Values[I] >= Size)
      return false;
    Steps.insert(Values[I] - Own[I]);
    if (Steps.size() > size_t(1) << Neighbour::MaxDimensions)
      return false;
  }
  for (uint32_t D = 2; D <= Neighbour::MaxDimensions; ++D) {
    N.Dimensions = 0;
    if (Search(Own, Size, Values, N).withExtents(D, Size))
      return true;
  }
  N.Dimensions = 0;
  return false;
}

} // namespace pilgrim
