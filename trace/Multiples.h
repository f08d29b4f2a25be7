//===- Multiples.h - functions that are a multiple of another one -*- C++ -*-===//
//
// Where sizes depend on the rank, there are often several that do so in the same way: counts and bytes, one field and
// five. Of these the first one stands in the file (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MULTIPLES_H
#define PILGRIM_TRACE_MULTIPLES_H

#include "trace/RankFn.h"

#include <map>

namespace pilgrim {

class MultipleWriter {
public:
  /// As a multiple of an earlier one, if it is.
  void write(ByteWriter &W, const RankFn &F, const RankSet &Ranks);

private:
  static constexpr size_t MaxValues = size_t(1) << 24; ///< that are kept
  size_t Kept = 0;
  uint32_t Number = 0; ///< of the next one that others may be multiples of
  std::map<std::vector<int64_t>, std::vector<std::pair<RankSet, uint32_t>>>
      Known; ///< by values divided by their divisor
};

class MultipleReader {
public:
  void add(const RankFn &F, const RankSet &Ranks);
  RankFn read(ByteReader &R, const RankSet &Ranks) const;

private:
  struct Earlier {
    RankFn F;
    const RankSet *Ranks;
    uint64_t Divisor;
  };
  std::vector<Earlier> All;
};

} // namespace pilgrim

#endif
