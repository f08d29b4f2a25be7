//===- GridBoxes.h - a grid in boxes of similar values -----------*- C++ -*-===//
//
// Numbers and values of a grid for many numbers at once (internal to trace/ and driver/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_GRIDBOXES_H
#define PILGRIM_TRACE_RANKS_GRIDBOXES_H

#include "trace/ranks/Grid.h"

namespace pilgrim {

/// Those numbers of a grid whose digits are in a range in each dimension.
struct GridBox {
  uint64_t Count = 1;           ///< of numbers
  uint64_t First = 0, Last = 0; ///< the smallest and the largest number
  __int128 Least = 0, Most = 0; ///< the smallest and the largest value, as if none wrapped round
};

/// Divides the numbers from First to Last into boxes, and these into smaller ones until OnBox is content with each.
/// OnBox must be content with a single number. False, without a call, if the basis is Own and numbers are outside of
/// the torus of Size ranks. Time: as many steps as boxes, and as many divisions as a grid has dimensions.
bool forEachBox(const Grid &G, uint64_t First, uint64_t Last, int64_t Size,
                const std::function<bool(const GridBox &)> &OnBox);

} // namespace pilgrim

#endif
