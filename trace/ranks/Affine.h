//===- Affine.h - functions that follow from an earlier one ------*- C++ -*-===//
//
// Several values often depend on the rank in the same way: counts and bytes, a peer and the tag for it, one field and
// five. The file has the first of these functions in full, and for the others only the first value and the factor
// (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_AFFINE_H
#define PILGRIM_TRACE_RANKS_AFFINE_H

#include "trace/base/ByteStrings.h"
#include "trace/ranks/RankFn.h"

#include <vector>

namespace pilgrim {

class AffineWriter {
public:
  /// Writes F in terms of an earlier function, if that is possible and shorter; else in full.
  void write(ByteWriter &W, const RankFn &F, const RankSet &Ranks);

private:
  struct Earlier {
    RankSet Ranks;
    uint32_t Number;
    RankFn::Scale Scale;
  };
  uint32_t Number = 0;                     ///< of the next function that others may follow from
  ByteStrings Shapes;                      ///< functions rescaled to first value 0 and unit 1
  std::vector<std::vector<Earlier>> Known; ///< by shape
};

class AffineReader {
public:
  void add(const RankFn &F, const RankSet &Ranks);
  RankFn read(ByteReader &R, const RankSet &Ranks) const;

private:
  struct Earlier {
    RankFn F;
    RankSet Ranks;
    RankFn::Scale Scale;
  };
  std::vector<Earlier> All;
};

} // namespace pilgrim

#endif
