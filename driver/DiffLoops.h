//===- DiffLoops.h - loops that run differently often -----------*- C++ -*-===//
//
// Most first differences are of one kind: in one trace a loop goes on where it has ended in the other. With the
// structure of the program that is asked of the regions that a call stands in. Without, a loop is what repeats itself
// up to the difference in both traces and goes on behind it in one only. Other differences are single calls, instead
// of another one or in one trace only: whichever lets both traces go on alike for longest.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_DIFFLOOPS_H
#define PILGRIM_DRIVER_DIFFLOOPS_H

#include "driver/DiffCalls.h"
#include "driver/SourceLines.h"

namespace pilgrim {

struct LoopDifference {
  std::string Text;          ///< "the loop at heat.c:14"
  std::string Key;           ///< without what may differ between ranks that differ alike
  uint64_t InA = 0, InB = 0; ///< how often it runs
  bool IsCounted = true;     ///< else only by how much the numbers differ is known
  bool IsStructure = false;  ///< whether the program's structure says so
};

/// What a first difference is, by what stands around it.
struct OrderDifference {
  std::optional<LoopDifference> Loop;
  enum Side { Neither, A, B };
  Side OnlyIn = Neither; ///< the one that has a call which the other does not have
};

class DiffLoops {
public:
  DiffLoops(SourceLines &LinesA, SourceLines &LinesB) : Lines{&LinesA, &LinesB} {}

  using View = std::shared_ptr<const RankView>;
  /// The innermost loop that explains a first difference, or a single call. Calls: compared calls before it.
  OrderDifference find(const View &A, const View &B, uint64_t Calls);

private:
  static std::optional<LoopDifference> byStructure(const View &A, const View &B, uint64_t Calls);
  /// IsInStructure: then what repeats itself is no loop.
  OrderDifference bySequence(const View &A, const View &B, uint64_t Calls, bool IsInStructure) const;
  SourceLines *Lines[2];
};

} // namespace pilgrim

#endif
