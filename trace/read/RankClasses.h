//===- RankClasses.h - ranks that go the same way ----------------*- C++ -*-===//
//
// Ranks go the same way through a trace if they make the same calls in the same order; values in the calls may differ.
// A property of the order of calls has to be determined for only one rank of each class.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_RANKCLASSES_H
#define PILGRIM_TRACE_READ_RANKCLASSES_H

#include "trace/read/Walk.h"

#include <functional>
#include <unordered_map>
#include <vector>

namespace pilgrim {

/// A partition of some ranks, refined step by step. A split takes time proportional to the smaller part. Splitting
/// again by the same set is free.
class RankClasses {
public:
  explicit RankClasses(const RankSet &All);
  /// Separates the ranks in By from the others.
  void split(const RankSet &By);
  /// Separates ranks of Among with different numbers.
  void split(const RankSet &Among, const std::function<int64_t(uint32_t)> &Number);
  /// Separates ranks that go different ways through the calls of a thread number. Afterwards the ranks of a class
  /// have the same nodes, sequences, visits, paths and variants of signatures. Values of words and streams may differ.
  void splitByWay(const Walk &W, uint32_t Thread);
  /// In the order of their first ranks.
  std::vector<RankSet> sets() const;

private:
  void split(const RankSet &Among, const ByRank &Numbers, uint32_t World);
  template <typename List> void splitByList(const List &L, uint32_t World);

  RankSet All;
  std::vector<uint32_t> Class; ///< by place in All
  uint32_t Classes = 1;        ///< class numbers used so far; some classes may be empty
  std::unordered_multimap<uint64_t, RankSet> Seen;
};

} // namespace pilgrim

#endif
