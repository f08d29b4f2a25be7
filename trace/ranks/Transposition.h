//===- Transposition.h - partners in a transposed grid -----------*- C++ -*-===//
//
// Matrices are transposed between ranks, as in NPB CG: who exchanges with whom is a list without offsets in common
// (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_TRANSPOSITION_H
#define PILGRIM_TRACE_RANKS_TRANSPOSITION_H

#include "trace/ranks/RankSet.h"

namespace pilgrim {

/// Ranks in a grid of Columns, in blocks of so many; of each, the one in the same place of the transposed grid, which
/// has Rows in a row.
struct Transposition {
  uint32_t Block = 1, Columns = 1, Rows = 1;
  static constexpr uint32_t Limit = 1u << 24;

  int64_t partner(uint32_t Rank) const {
    uint64_t At = Rank / Block;
    return static_cast<int64_t>((At % Columns * Rows + At / Columns) * Block + Rank % Block);
  }
};

/// The transposition that a list of values is, one for each rank of Set, ascending. False if it is none, or short.
bool findTransposition(const RankSet &Set, const std::vector<int64_t> &Values, Transposition &X);

} // namespace pilgrim

#endif
