//===- Steps.h - values that grow by steps from rank to rank -----*- C++ -*-===//
//
// Linear runs of linear runs: rank * c, rank / c, rank modulo c, and where the block of a rank in a matrix of up to
// four dimensions begins (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_RANKS_STEPS_H
#define PILGRIM_TRACE_RANKS_STEPS_H

#include "trace/base/Bytes.h"

#include <vector>

namespace pilgrim {

struct Steps {
  static constexpr uint32_t MaxDimensions = 4;
  struct Dimension {
    uint64_t Extent = 1; ///< of the last one: whatever the number of values asks for
    int64_t Step = 0;
  };
  int64_t First = 0;
  uint32_t Dimensions = 0;
  Dimension Of[MaxDimensions]; ///< that in which values follow each other first

  /// The value at a place, from 0.
  int64_t at(uint64_t Place) const;
  void write(ByteWriter &W) const;
  bool read(ByteReader &R);
};

/// The steps in which Values grow; false if they do not so, or are few.
bool findSteps(const std::vector<int64_t> &Values, Steps &S);

} // namespace pilgrim

#endif
