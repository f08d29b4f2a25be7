//===- Join.h - many traces become one --------------------------*- C++ -*-===//
//
// Shards are read in the order of their ranks and merged in pairs, those in
// pairs again, and so on: as the runtime does it, with memory for a few of
// them. The threads share one tree, so the result does not depend on their
// number.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_JOIN_H
#define PILGRIM_DRIVER_JOIN_H

#include "driver/Progress.h"
#include "driver/Shards.h"
#include "trace/file/Format.h"

namespace pilgrim {

/// The error names the file. Line counts the shards.
std::expected<TraceData, TraceError> joinShards(const ShardList &List, unsigned Threads, Progress &Line);

} // namespace pilgrim

#endif
