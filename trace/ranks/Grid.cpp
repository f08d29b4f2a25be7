//===- Grid.cpp - values that follow from a place in a grid ---------------===//
#include "trace/ranks/GridBoxes.h"

#include <algorithm>
#include <numeric>

namespace pilgrim {

static int64_t addProduct(int64_t V, int64_t Weight, uint64_t Times) {
  return static_cast<int64_t>(static_cast<uint64_t>(V) + static_cast<uint64_t>(Weight) * Times);
}

int64_t Grid::at(uint64_t X, int64_t Size) const {
  if (Of == Own && (X > Limit || Size > Limit))
    return static_cast<int64_t>(X); // none in a trace that is not damaged
  int64_t V = First;
  uint64_t Stride = 1;
  for (uint32_t D = 0; D < Dimensions; ++D) {
    const Dimension &I = In[D];
    uint64_t Extent = I.Extent, Digit = X;
    if (D + 1 == Dimensions)
      Extent = Of == Own ? std::max<uint64_t>(static_cast<uint64_t>(std::max<int64_t>(Size, 0)) / Stride, 1) : 0;
    if (Extent) {
      Digit = X % Extent;
      X /= Extent;
      Digit = (Digit + I.Shift) % Extent;
      Stride *= Extent;
    }
    V = addProduct(V, I.Weight, Digit);
  }
  // What is left of a number that is not in the torus.
  return Of == Own ? addProduct(V, static_cast<int64_t>(Stride), X) : V;
}

uint64_t Grid::unit(uint64_t Count) const {
  uint64_t Unit = 0;
  // Values that are further from each other than a number can say have no multiples.
  constexpr int64_t Far = int64_t(1) << 36;
  const auto R = range(Count);
  if (Of == Place && (!R || static_cast<__int128>(R->second) - R->first > INT64_MAX))
    return 0;
  for (const Dimension &D : In)
    if (Of == World && (First < -Far || First > Far || D.Weight < -Far || D.Weight > Far))
      return 0;
  if (Of == Own)
    return 0;
  for (uint32_t D = 0; D < Dimensions && Count > 1; ++D) {
    const int64_t Weight = In[D].Weight;
    if (D + 1 == Dimensions || In[D].Extent > 1)
      Unit = std::gcd(Unit, Weight < 0 ? -static_cast<uint64_t>(Weight) : static_cast<uint64_t>(Weight));
    // A dimension that is never left has all there is.
    if (D + 1 < Dimensions && Of == Place)
      Count = (Count + In[D].Extent - 1) / In[D].Extent;
  }
  return Unit;
}

std::optional<std::pair<int64_t, int64_t>> Grid::range(uint64_t Count) const {
  if (Of != Place || !Count || !Dimensions)
    return std::nullopt;
  __int128 Least = First, Most = First;
  forEachBox(*this, 0, Count - 1, 0, [&](const GridBox &B) {
    Least = std::min(Least, B.Least);
    Most = std::max(Most, B.Most);
    return true;
  });
  if (Least < INT64_MIN || Most > INT64_MAX)
    return std::nullopt;
  return std::pair{static_cast<int64_t>(Least), static_cast<int64_t>(Most)};
}

void Grid::write(ByteWriter &W) const {
  W.byte(Of == Place ? PlaceHead : Of == Own ? OwnHead : WorldHead);
  W.byte(static_cast<uint8_t>(Dimensions));
  if (Of != Own)
    W.svarint(First);
  for (uint32_t D = 0; D < Dimensions; ++D) {
    if (D + 1 < Dimensions)
      W.varint(In[D].Extent);
    if (Of == Own)
      W.varint(In[D].Shift);
    else
      W.svarint(In[D].Weight);
  }
}

Grid Grid::read(ByteReader &R, uint8_t Head) {
  Grid G;
  G.Of = Head == PlaceHead ? Place : Head == OwnHead ? Own : World;
  G.Dimensions = R.byte();
  if (G.Dimensions < 1 || G.Dimensions > MaxDimensions)
    R.fail("a grid of no dimension, or too many");
  if (G.Of != Own)
    G.First = R.svarint();
  uint64_t Stride = 1; // of a torus: the extents so far, together
  for (uint32_t D = 0; D < G.Dimensions && R.ok(); ++D) {
    Dimension &I = G.In[D];
    const bool IsLast = D + 1 == G.Dimensions;
    if (!IsLast && (I.Extent = R.varint()) < 1)
      R.fail("an empty extent of a grid");
    if (G.Of != Own) {
      I.Weight = R.svarint();
      continue;
    }
    I.Weight = static_cast<int64_t>(Stride);
    I.Shift = R.varintMax(IsLast ? Limit : I.Extent - 1);
    if (I.Extent > Limit / Stride)
      R.fail("a torus that is too large");
    else
      Stride *= I.Extent;
  }
  return R.ok() ? G : Grid();
}

} // namespace pilgrim
