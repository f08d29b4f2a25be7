//===- RankClasses.h - ranks that go the same way ----------------*- C++ -*-===//
//
// Ranks go the same way through a trace if they make the same calls in the same order, values of the calls aside. What
// is true of the order of calls has to be found out for one rank of each class only.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_RANKCLASSES_H
#define PILGRIM_TRACE_READ_RANKCLASSES_H

#include "trace/read/Walk.h"

#include <functional>
#include <unordered_map>
#include <vector>

namespace pilgrim {

/// A partition of some ranks, which is refined. A split takes the time of the smaller part, and a set that was split by
/// before costs nothing.
class RankClasses {
public:
  explicit RankClasses(const RankSet &All);
  /// Tells the ranks in By from the others.
  void split(const RankSet &By);
  /// Tells ranks of Among with different numbers apart.
  void split(const RankSet &Among, const std::function<int64_t(uint32_t)> &Number);
  /// Tells ranks apart that go different ways through the calls of a thread number. Afterwards the ranks of a class
  /// have the same nodes, sequences, visits, paths and variants of signatures. Values of words and streams may differ.
  void splitByWay(const Walk &W, uint32_t Thread);
  /// In the order of their first ranks.
  std::vector<RankSet> sets() const;

private:
  void split(const RankSet &Among, const ByRank &Numbers, uint32_t World);
  template <typename List, typename Fn> void splitByList(const List &L, uint32_t World, Fn &&Numbers);

  RankSet All;
  std::vector<uint32_t> Class; ///< by place in All
  uint32_t Classes = 1;        ///< numbers given so far; some may have no ranks left
  std::unordered_multimap<uint64_t, RankSet> Seen;
};

} // namespace pilgrim

#endif
