//===- Steps.cpp - values that grow by steps from rank to rank ------------===//
#include "trace/ranks/Steps.h"

namespace pilgrim {

// Wrapping arithmetic, so that any values have a difference.
static int64_t add(int64_t A, int64_t B, uint64_t Times) {
  return static_cast<int64_t>(static_cast<uint64_t>(A) + static_cast<uint64_t>(B) * Times);
}

int64_t Steps::at(uint64_t Place) const {
  int64_t V = First;
  for (uint32_t D = 0; D < Dimensions; ++D) {
    bool IsLast = D + 1 == Dimensions;
    V = add(V, Of[D].Step, IsLast ? Place : Place % Of[D].Extent);
    Place /= Of[D].Extent;
  }
  return V;
}

void Steps::write(ByteWriter &W) const {
  W.byte(static_cast<uint8_t>(Dimensions));
  W.svarint(First);
  for (uint32_t D = 0; D < Dimensions; ++D) {
    if (D + 1 < Dimensions)
      W.varint(Of[D].Extent);
    W.svarint(Of[D].Step);
  }
}

bool Steps::read(ByteReader &R) {
  Dimensions = R.byte();
  if (Dimensions < 1 || Dimensions > MaxDimensions)
    R.fail();
  First = R.svarint();
  for (uint32_t D = 0; D < Dimensions && R.ok(); ++D) {
    if (D + 1 < Dimensions && (Of[D].Extent = R.varint()) < 1)
      R.fail();
    Of[D].Step = R.svarint();
  }
  return R.ok();
}

bool findSteps(const std::vector<int64_t> &Values, Steps &S) {
  constexpr size_t MinValues = 4;
  if (Values.size() < MinValues)
    return false;
  S = {};
  S.First = Values[0];
  // The first values of the runs of one dimension are those that the next one has to explain.
  for (std::vector<int64_t> Left = Values; Left.size() > 1;) {
    if (S.Dimensions == Steps::MaxDimensions)
      return false;
    int64_t Step = add(Left[1], Left[0], UINT64_MAX);
    size_t Extent = 2;
    while (Extent < Left.size() && Left[Extent] == add(Left[0], Step, Extent))
      ++Extent;
    std::vector<int64_t> Firsts;
    for (size_t I = 0; I < Left.size(); ++I) {
      if (I % Extent == 0)
        Firsts.push_back(Left[I]);
      else if (Left[I] != add(Firsts.back(), Step, I % Extent))
        return false;
    }
    S.Of[S.Dimensions++] = {Extent, Step};
    Left = std::move(Firsts);
  }
  return true;
}

} // namespace pilgrim
