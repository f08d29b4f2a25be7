//===- Compare.h - one thread's calls and their plain copies -----*- C++ -*-===//
#ifndef PILGRIM_VERIFY_COMPARE_H
#define PILGRIM_VERIFY_COMPARE_H

#include "trace/read/Reader.h"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <tuple>

namespace pilgrim {

class RawLog;

/// Objects that calls made: kind, name in the trace, and what that stands for.
using Bindings = std::set<std::tuple<Kind, int64_t, uint64_t>>;

struct Comparison {
  std::string Difference; ///< the first one, or empty
  uint64_t Calls = 0;     ///< that agree
  Bindings Made;          ///< by the thread's calls
};

/// Compares what the thread of View's calls decode to with their copies. Others: what calls of other threads made;
/// null: that is not known yet, so names are not compared.
Comparison compareCalls(const Trace &T, std::shared_ptr<const RankView> View, const RawLog &Log,
                        const Bindings *Others);

} // namespace pilgrim

#endif
