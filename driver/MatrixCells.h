//===- MatrixCells.h - flows summed up ---------------------------*- C++ -*-===//
//
// A matrix of senders and receivers, in blocks of ranks; and the same row by row, without any matrix in memory.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_MATRIXCELLS_H
#define PILGRIM_DRIVER_MATRIXCELLS_H

#include "driver/Traffic.h"

#include <functional>
#include <map>

namespace pilgrim {

struct MatrixCell {
  uint64_t Messages = 0, Bytes = 0;
};

/// Sums over blocks of ranks. Its time grows with the flows' intervals, their receivers that are listed, and blocks,
/// not with ranks.
class MatrixCells {
public:
  /// At most MaxBlocks a side, of equally many ranks but for the last one.
  MatrixCells(uint32_t World, uint32_t MaxBlocks);
  void add(const Flow &F);

  uint32_t blocks() const { return Blocks; }
  const MatrixCell &at(uint32_t From, uint32_t To) const { return Cells[size_t(From) * Blocks + To]; }
  /// "3", or "0-511".
  std::string name(uint32_t Block) const;

private:
  void add(uint32_t From, uint32_t To, const Flow &F, uint64_t Pairs);
  std::vector<uint64_t> members(const RankSet &S) const;
  void addDistance(uint64_t First, uint64_t Last, const Flow &F);
  void addFunction(const Flow &F);

  uint32_t World, Size, Blocks;
  std::vector<MatrixCell> Cells;
};

/// Calls OnCell(sender, receiver, sums), with no receiver for what is sent to nobody knows whom: senders ascending,
/// then receivers. False from OnCell ends it.
using CellFn = std::function<bool(uint32_t, std::optional<uint32_t>, const MatrixCell &)>;
void forEachCell(const std::vector<const Flow *> &Flows, uint32_t World, const CellFn &OnCell);

} // namespace pilgrim

#endif
