//===- GridBoxes.cpp - a grid in boxes of similar values ------------------===//
#include "trace/ranks/GridBoxes.h"

#include <algorithm>
#include <array>
#include <bit>

namespace pilgrim {

namespace {
class BoxFinder {
public:
  BoxFinder(const Grid &G, uint64_t Last, int64_t Size, const std::function<bool(const GridBox &)> &OnBox);
  bool isInside(uint64_t Last) const { return G.Of != Grid::Own || Last < Whole; }
  void run(uint64_t First, uint64_t Last) { cut(Dimensions - 1, First, Last, {}); }

private:
  struct Range {
    uint64_t Low = 0, High = 0; ///< digits
  };
  using Ranges = std::array<Range, Grid::MaxDimensions>;

  void cut(uint32_t D, uint64_t First, uint64_t Last, Ranges In);
  void unwrap(uint32_t D, Ranges In);
  void divide(const Ranges &In);
  GridBox boxOf(const Ranges &In) const;

  const Grid &G;
  const std::function<bool(const GridBox &)> &OnBox;
  uint32_t Dimensions = 0; ///< those that the numbers reach
  uint64_t Stride[Grid::MaxDimensions] = {}, Extent[Grid::MaxDimensions] = {};
  uint64_t Whole = 1; ///< numbers in a torus
};
} // namespace

BoxFinder::BoxFinder(const Grid &G, uint64_t Last, int64_t Size, const std::function<bool(const GridBox &)> &OnBox)
    : G(G), OnBox(OnBox) {
  uint64_t Next = 1;
  while (Dimensions < G.Dimensions) {
    const uint32_t D = Dimensions++;
    Stride[D] = Next;
    Extent[D] = G.In[D].Extent;
    if (G.Of == Grid::Own) {
      if (Dimensions == G.Dimensions)
        Extent[D] = std::max<uint64_t>(static_cast<uint64_t>(std::max<int64_t>(Size, 0)) / Next, 1);
    } else if (Extent[D] > Last / Next) {
      break; // digits of the dimensions behind are 0
    }
    Next *= Extent[D];
  }
  Whole = Size <= Grid::Limit ? std::min<uint64_t>(Next, Grid::Limit) : 0;
}

/// Divides the numbers that the first D + 1 dimensions make, from First to Last, into products of ranges.
void BoxFinder::cut(uint32_t D, uint64_t First, uint64_t Last, Ranges In) {
  if (D == 0) {
    In[0] = {First, Last};
    unwrap(0, In);
    return;
  }
  const uint64_t S = Stride[D];
  uint64_t Low = First / S, High = Last / S;
  auto One = [&](uint64_t Digit, uint64_t A, uint64_t B) {
    In[D] = {Digit, Digit};
    cut(D - 1, A, B, In);
  };
  if (Low == High) {
    One(Low, First % S, Last % S);
    return;
  }
  if (First % S)
    One(Low++, First % S, S - 1);
  if (Last % S != S - 1)
    One(High--, 0, Last % S);
  if (Low <= High) {
    In[D] = {Low, High};
    cut(D - 1, 0, S - 1, In);
  }
}

/// Divides ranges where their digits, shifted, begin at 0 again.
void BoxFinder::unwrap(uint32_t D, Ranges In) {
  if (D == Dimensions) {
    divide(In);
    return;
  }
  const uint64_t Shift = G.In[D].Shift, Wrap = Extent[D] - Shift;
  const Range R = In[D];
  if (Shift && R.Low < Wrap && R.High >= Wrap) {
    In[D] = {R.Low, Wrap - 1};
    unwrap(D + 1, In);
    In[D] = {Wrap, R.High};
  }
  unwrap(D + 1, In);
}

GridBox BoxFinder::boxOf(const Ranges &In) const {
  GridBox B;
  B.Least = B.Most = G.First;
  for (uint32_t D = 0; D < Dimensions; ++D) {
    const Range &R = In[D];
    B.Count *= R.High - R.Low + 1;
    B.First += R.Low * Stride[D];
    B.Last += R.High * Stride[D];
    auto Shifted = [&](uint64_t Digit) {
      const uint64_t Shift = G.In[D].Shift;
      return static_cast<__int128>(Shift ? (Digit + Shift) % Extent[D] : Digit);
    };
    const __int128 X = G.In[D].Weight * Shifted(R.Low), Y = G.In[D].Weight * Shifted(R.High);
    B.Least += std::min(X, Y);
    B.Most += std::max(X, Y);
  }
  return B;
}

/// The dimension that moves numbers or values furthest is divided first: where the digit begins whose power of two is
/// largest. So ranges that begin anywhere come to the same places as those that begin at 0, and do not straddle the
/// blocks that are asked for again and again.
void BoxFinder::divide(const Ranges &In) {
  const GridBox B = boxOf(In);
  if (OnBox(B) || B.Count <= 1)
    return;
  uint32_t Widest = 0;
  __int128 Way = -1;
  for (uint32_t D = 0; D < Dimensions; ++D) {
    const __int128 Weight = G.In[D].Weight;
    const __int128 Step = std::max<__int128>(Stride[D], Weight < 0 ? -Weight : Weight);
    const uint64_t Steps = In[D].High - In[D].Low;
    if (Steps && Step * Steps > Way) {
      Way = Step * Steps;
      Widest = D;
    }
  }
  Ranges Low = In, High = In;
  High[Widest].Low = In[Widest].High & -std::bit_floor(In[Widest].Low ^ In[Widest].High);
  Low[Widest].High = High[Widest].Low - 1;
  divide(Low);
  divide(High);
}

bool forEachBox(const Grid &G, uint64_t First, uint64_t Last, int64_t Size,
                const std::function<bool(const GridBox &)> &OnBox) {
  BoxFinder Finder(G, Last, Size, OnBox);
  if (!Finder.isInside(Last))
    return false;
  Finder.run(First, Last);
  return true;
}

} // namespace pilgrim
