//===- Shards.h - traces that are parts of one ------------------*- C++ -*-===//
//
// What pilgrim merge knows of its files before it merges them: that they are
// parts of one trace, and in which order. Their calls are not read here.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_SHARDS_H
#define PILGRIM_DRIVER_SHARDS_H

#include "trace/file/Format.h"

#include <string>
#include <vector>

namespace pilgrim {

struct Shard {
  std::string File;
  RankSet Ranks;
};

/// Files of disjoint ranks of one world, by their first rank.
struct ShardList {
  uint32_t World = 0;
  std::vector<Shard> Shards;
};

/// Replaces folders by the shards in them, as runs name these: NAME.shard.RANK.
/// Empty: done; else which folder cannot be replaced, and why.
std::string expandFolders(std::vector<std::string> &Files);

/// Reads the heads of files, at least one. The error names the file.
std::expected<ShardList, TraceError> surveyShards(const std::vector<std::string> &Files, unsigned Threads);

} // namespace pilgrim

#endif
