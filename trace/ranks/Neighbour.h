//===- Neighbour.h - the same neighbour of all in a torus --------*- C++ -*-===//
//
// Who is so many steps away in a grid of two to four dimensions that closes in itself, as MPI_Cart_shift says or as
// programs reckon themselves. Without wrapping round it is an offset (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_NEIGHBOUR_H
#define PILGRIM_TRACE_RANKS_NEIGHBOUR_H

#include "trace/base/Bytes.h"

#include <vector>

namespace pilgrim {

struct Neighbour {
  static constexpr uint32_t MaxDimensions = 4, Limit = 1u << 24;
  struct Dimension {
    uint32_t Extent = 1; ///< of the last one: whatever the number of ranks leaves
    uint32_t Step = 0;   ///< less than Extent
  };
  uint32_t Dimensions = 0;     ///< 0: none
  Dimension Of[MaxDimensions]; ///< that in which numbers of ranks follow each other first

  /// Own rank and size in the communicator.
  int64_t of(int64_t Rank, int64_t Size) const;
  void write(ByteWriter &W) const;
  bool read(ByteReader &R);
};

/// The grid of Size ranks in which each of Own has the value beside it, if there is one.
bool findNeighbour(const std::vector<int64_t> &Own, int64_t Size, const std::vector<int64_t> &Values, Neighbour &N);

} // namespace pilgrim

#endif
