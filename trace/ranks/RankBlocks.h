//===- RankBlocks.h - a set of ranks as nested blocks ------------*- C++ -*-===//
//
// Sets of ranks are regular in the way in which loops over a grid are. So they are a few blocks, each an arrangement of
// equal intervals. A set is written so in a file, and in the text of a program.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_RANKBLOCKS_H
#define PILGRIM_TRACE_RANKS_RANKBLOCKS_H

#include "trace/ranks/RankSet.h"

namespace pilgrim {

/// A nested arrangement of equal intervals: Levels[0] is the innermost repetition. Blocks may interleave.
struct RankBlock {
  struct Level {
    uint32_t Stride, Count; ///< Count is 2 or more
    bool operator==(const Level &) const = default;
  };
  uint32_t First, Length; ///< of the first interval
  std::vector<Level> Levels;
};

/// The blocks of a set, in the order of their first ranks.
std::vector<RankBlock> blocksOf(const RankSet &Ranks);

} // namespace pilgrim

#endif
