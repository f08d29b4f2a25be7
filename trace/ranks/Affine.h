//===- Affine.h - functions that follow from an earlier one ------*- C++ -*-===//
//
// Where values depend on the rank, there are often several that do so in the same way: counts and bytes, a peer and the
// tag for it, one field and five. Of these the first one stands in the file; of others only where they begin, and the
// factor (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_AFFINE_H
#define PILGRIM_TRACE_RANKS_AFFINE_H

#include "trace/ranks/RankFn.h"

#include <map>
#include <vector>

namespace pilgrim {

class AffineWriter {
public:
  /// As what follows from an earlier one, if it does and that is shorter.
  void write(ByteWriter &W, const RankFn &F, const RankSet &Ranks);

private:
  struct Earlier {
    RankSet Ranks;
    uint32_t Number;
    RankFn::Scale Scale;
  };
  uint32_t Number = 0; ///< of the next one that others may follow from
  /// By the bytes of the function with values from 0 in units.
  std::map<std::vector<uint8_t>, std::vector<Earlier>> Known;
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
