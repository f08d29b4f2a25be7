//===- GridSearch.cpp - finding the grid that values follow from ----------===//
#include "trace/base/Wrap.h"
#include "trace/ranks/Grid.h"

#include <algorithm>
#include <set>

namespace pilgrim {

static constexpr size_t MinPlaces = 4, MinWorldRanks = 8;

/// Values that grow by steps from place to place: linear runs of linear runs.
static std::optional<Grid> findSteps(const std::vector<int64_t> &Values) {
  if (Values.size() < MinPlaces)
    return std::nullopt;
  Grid G;
  G.First = Values[0];
  // The first values of the runs of one dimension are those that the next one has to explain.
  for (std::vector<int64_t> Left = Values; Left.size() > 1;) {
    if (G.Dimensions == Grid::MaxDimensions)
      return std::nullopt;
    const int64_t Step = wrappedDifference(Left[1], Left[0]);
    size_t Extent = 2;
    while (Extent < Left.size() && wrappedDifference(Left[Extent], Left[Extent - 1]) == Step)
      ++Extent;
    std::vector<int64_t> Firsts;
    for (size_t I = 0; I < Left.size(); ++I) {
      if (I % Extent == 0)
        Firsts.push_back(Left[I]);
      else if (wrappedDifference(Left[I], Left[I - 1]) != Step)
        return std::nullopt;
    }
    G.In[G.Dimensions++] = {Extent, 0, Step};
    Left = std::move(Firsts);
  }
  G.In[G.Dimensions - 1].Extent = 1;
  return G;
}

/// Whether these are a grid's values of the world ranks.
static bool isGridOf(const Grid &G, const GridValues &V) {
  size_t I = 0;
  for (const RankSet::Interval &X : V.Ranks.intervals())
    for (uint64_t R = X.First; R <= X.Last; ++R)
      if (G.at(R, 0) != V.Values[I++])
        return false;
  return true;
}

/// Matrices are transposed between ranks, as in NPB CG: ranks in a grid, in blocks of one or two; of each, the rank in
/// the same place of the transposed grid. Some ranks may be missing, such as those on the diagonal.
static std::optional<Grid> findTransposition(const GridValues &V) {
  const auto &Values = V.Values;
  if (Values.size() < MinWorldRanks)
    return std::nullopt;
  for (int64_t Block : {1, 2})
    for (size_t I = 0; I < 3; ++I) {
      // Partners of neighbours in a row are Rows apart; where the column is known, so is the row.
      const size_t Next = I + static_cast<size_t>(Block);
      const int64_t Apart = wrappedDifference(Values[Next], Values[I]);
      if (V.Ranks.at(Next) != V.Ranks.at(I) + Block || Apart < Block || Apart % Block || Apart > Grid::Limit)
        continue;
      const int64_t Rows = Apart / Block;
      int64_t Row = 0;
      size_t At = 0;
      while (At < Values.size() && Values[At] >= 0 && (Row = Values[At] / Block % Rows) == 0)
        ++At;
      if (Row <= 0)
        continue;
      const int64_t Columns = (V.Ranks.at(At) / Block - Values[At] / Block / Rows) / Row;
      if (Columns < 1 || Columns > Grid::Limit)
        continue;
      Grid G;
      G.Of = Grid::World;
      if (Block > 1)
        G.In[G.Dimensions++] = {static_cast<uint64_t>(Block), 0, 1};
      G.In[G.Dimensions++] = {static_cast<uint64_t>(Columns), 0, Rows * Block};
      G.In[G.Dimensions++] = {1, 0, Block};
      if (isGridOf(G, V))
        return G;
    }
  return std::nullopt;
}

std::optional<Grid> findGrid(const GridValues &V) {
  if (auto G = findSteps(V.Values))
    return G;
  return findTransposition(V);
}

namespace {
class TorusSearch {
public:
  TorusSearch(const std::vector<int64_t> &Own, int64_t Size, const std::vector<int64_t> &Values)
      : Own(Own), Size(Size), Values(Values) {}

  /// Tries all grids of so many dimensions more, of which the extents are a product of Left.
  bool withExtents(uint32_t More, uint64_t Left) {
    if (More == 1) {
      G.In[G.Dimensions++].Extent = Left;
      bool Found = Left > 1 && isRight();
      G.Dimensions -= !Found;
      return Found;
    }
    for (uint64_t E = 2; E <= Left / 2; ++E)
      if (Left % E == 0) {
        G.In[G.Dimensions++].Extent = E;
        if (withExtents(More - 1, Left / E))
          return true;
        --G.Dimensions;
      }
    return false;
  }
  Grid G;

private:
  bool isRight() {
    uint64_t Stride = 1;
    for (uint32_t D = 0; D < G.Dimensions; ++D) {
      Grid::Dimension &I = G.In[D];
      const uint64_t From = static_cast<uint64_t>(Own[0]) / Stride % I.Extent,
                     To = static_cast<uint64_t>(Values[0]) / Stride % I.Extent;
      I.Shift = (To - From + I.Extent) % I.Extent;
      I.Weight = static_cast<int64_t>(Stride);
      Stride *= I.Extent;
    }
    for (size_t I = 0; I < Own.size(); ++I)
      if (G.at(static_cast<uint64_t>(Own[I]), Size) != Values[I])
        return false;
    G.In[G.Dimensions - 1].Extent = 1;
    return true;
  }

  const std::vector<int64_t> &Own;
  int64_t Size;
  const std::vector<int64_t> &Values;
};
} // namespace

std::optional<Grid> findNeighbour(const std::vector<int64_t> &Own, int64_t Size, const std::vector<int64_t> &Values) {
  if (Own.size() < MinPlaces || Size < static_cast<int64_t>(MinPlaces) || Size > Grid::Limit)
    return std::nullopt;
  // In each dimension it is a step forward or one round less.
  std::set<int64_t> Distances;
  for (size_t I = 0; I < Own.size(); ++I) {
    if (Own[I] < 0 || Own[I] >= Size || Values[I] < 0 || Values[I] >= Size)
      return std::nullopt;
    Distances.insert(Values[I] - Own[I]);
    if (Distances.size() > size_t(1) << Grid::MaxDimensions)
      return std::nullopt;
  }
  for (uint32_t D = 2; D <= Grid::MaxDimensions; ++D) {
    TorusSearch S(Own, Size, Values);
    S.G.Of = Grid::Own;
    if (S.withExtents(D, static_cast<uint64_t>(Size)))
      return S.G;
  }
  return std::nullopt;
}

} // namespace pilgrim
