//===- Grid.h - values that follow from a place in a grid --------*- C++ -*-===//
//
// Ranks form a grid of up to four dimensions, and a value is a sum over the dimensions. Programs compute such values
// from the rank: rank / c, rank modulo c, where the block of a rank in a matrix begins, the neighbour in a torus, the
// partner in the transposed grid (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_GRID_H
#define PILGRIM_TRACE_RANKS_GRID_H

#include "trace/ranks/RankSet.h"

#include <functional>
#include <optional>

namespace pilgrim {

/// The value of a number X is First + the sum over dimensions of Weight * ((digit + Shift) modulo Extent), where the
/// digits of X are its places in the dimensions, the first dimension varying fastest. Arithmetic wraps round.
struct Grid {
  static constexpr uint32_t MaxDimensions = 4, Limit = 1u << 24;
  /// The meaning of X.
  enum Basis : uint8_t {
    Place, ///< the rank's place in the set of ranks
    World, ///< the world rank
    Own,   ///< the rank in the communicator, whose size gives the extent of the last dimension
  };
  struct Dimension {
    uint64_t Extent = 1; ///< of the last dimension: 1, and unlimited unless Own
    uint64_t Shift = 0;  ///< of Own only; less than Extent
    int64_t Weight = 0;  ///< of Own: the product of the extents before
    bool operator==(const Dimension &) const = default;
  };

  Basis Of = Place;
  uint32_t Dimensions = 0;
  int64_t First = 0;
  Dimension In[MaxDimensions];
  bool operator==(const Grid &) const = default;

  /// Size: of the communicator, for Own.
  int64_t at(uint64_t X, int64_t Size) const;
  /// The greatest common divisor of the differences between values, over Count values or more; 0 for Own, and if
  /// differences may not fit a number.
  uint64_t unit(uint64_t Count) const;
  /// The smallest and the largest value for X from 0 to Count - 1. Nothing if that range is empty, the basis is not
  /// Place, or values wrap round.
  std::optional<std::pair<int64_t, int64_t>> range(uint64_t Count) const;
  /// Writes the head, a byte that gives the basis, then the grid's numbers.
  void write(ByteWriter &W) const;
  enum Head : uint8_t { WorldHead = 10, OwnHead = 11, PlaceHead = 13 };
  static bool isHead(uint8_t B) { return B == WorldHead || B == OwnHead || B == PlaceHead; }
  /// Reads the numbers after the head. On damaged input R.ok() is false afterwards.
  static Grid read(ByteReader &R, uint8_t Head);
};

/// Values for which a grid is searched, by place.
struct GridValues {
  const RankSet &Ranks;
  const std::vector<int64_t> &Values; ///< one for each of Ranks, ascending
};

/// The grid of places or world ranks that has these values; nothing if there is none, or if the values are few.
std::optional<Grid> findGrid(const GridValues &V);
/// The grid in which the values are the same neighbour of every rank, in a torus of Size ranks. Own: each rank's number
/// in the torus.
std::optional<Grid> findNeighbour(const std::vector<int64_t> &Own, int64_t Size, const std::vector<int64_t> &Values);

} // namespace pilgrim

#endif
