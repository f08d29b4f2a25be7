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
  static constexpr size_t MaxValues = size_t(1) << 24; ///< that are kept
  size_t Kept = 0;
  uint32_t Number = 0; ///< of the next one that others may follow from
  /// By values from 0 in units.
  std::map<std::vector<int64_t>, std::vector<Earlier>> Known;
};

class AffineReader {
public:
  void add(const RankFn &F, const RankSet &Ranks);
  RankFn read(ByteReader &R, const RankSet &Ranks) const;

private:
  struct Earlier {
    RankFn F;
    const RankSet *Ranks;
    RankFn::Scale Scale;
  };
  std::vector<Earlier> All;
};

} // namespace pilgrim

#endif
