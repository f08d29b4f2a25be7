//===- Sizes.h - what a trace consists of ------------------------*- C++ -*-===//
#ifndef PILGRIM_TRACE_READ_SIZES_H
#define PILGRIM_TRACE_READ_SIZES_H

#include "trace/read/Reader.h"

namespace pilgrim {

/// Numbers of entries in a trace. Equal entries of tables count once, as in the file.
struct TraceSizes {
  uint64_t Signatures = 0, Objects = 0, Sites = 0;
  uint64_t Regions = 0, Nodes = 0; ///< Regions: functions and loops; Nodes: their contexts
  uint64_t Sequences = 0, Rules = 0;
};

TraceSizes sizesOf(const TraceData &D);
inline TraceSizes sizesOf(const Trace &T) { return sizesOf(T.data()); }

} // namespace pilgrim

#endif
