//===- Sizes.h - what a trace consists of ------------------------*- C++ -*-===//
#ifndef PILGRIM_TRACE_READ_SIZES_H
#define PILGRIM_TRACE_READ_SIZES_H

#include "trace/read/Reader.h"

namespace pilgrim {

/// How much of what a trace has. Entries of tables that are equal count once, as they stand in a file once.
struct TraceSizes {
  uint64_t Signatures = 0, Objects = 0, Sites = 0;
  uint64_t Regions = 0, Nodes = 0; ///< functions and loops; contexts that they are in
  uint64_t Sequences = 0, Rules = 0;
};

TraceSizes sizesOf(const Trace &T);

} // namespace pilgrim

#endif
