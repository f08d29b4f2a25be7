//===- TrueGaps.h - the gaps between one thread's calls ----------*- C++ -*-===//
//
// A gap is the time since the end of the call before it, among the calls that are inside of the same one; the first of
// these has none. What was before it is what returned last. Both follow from when calls began and ended, as their
// copies say. Where something else is between two calls, such as calls that were not traced, the gap is not known.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_VERIFY_TRUEGAPS_H
#define PILGRIM_VERIFY_TRUEGAPS_H

#include "verify/CallCopies.h"
#include "verify/CompareTotals.h"

#include <algorithm>

namespace pilgrim {

/// To be told of a thread's calls in the order in which they were entered.
class TrueGaps {
public:
  /// To: what gets the gaps; null: nothing does.
  explicit TrueGaps(TrueTotals *To) : To(To) {}
  ~TrueGaps() { returned(0); }
  TrueGaps(const TrueGaps &) = delete;
  TrueGaps &operator=(const TrueGaps &) = delete;

  void call(const Measure *M, const CallCopy &C) {
    enter(C);
    if (C.Abandoned || C.IsLate)
      forget();
    const bool IsFirst = Ends.size() <= C.Depth;
    std::optional<uint64_t> Gap;
    if (C.isTimed() && IsFirst && C.Depth)
      Gap = 0;
    else if (C.isTimed() && !IsFirst && Ends[C.Depth])
      Gap = std::max(C.StartTicks, Ends[C.Depth]) - Ends[C.Depth]; // clocks of two processors may differ a little
    Open.push_back({M, C.Depth, Gap});
    Ends.resize(C.Depth + 1);
    Ends[C.Depth] = !C.isTimed() || C.IsLate ? 0 : C.EndTicks;
  }
  /// Had not returned when the trace was written, which has calls that were inside of it.
  void underWay(const CallCopy &C) {
    enter(C);
    Ends.resize(C.Depth + 1);
  }
  /// The trace says that calls were not traced.
  void notTraced(const Measure *M, uint32_t Depth) {
    returned(Depth);
    forget();
    Open.push_back({M, Depth, std::nullopt});
    Ends.resize(Depth + 1);
  }

private:
  struct OpenCall {
    const Measure *M;
    uint32_t Depth;
    std::optional<uint64_t> Gap;
  };
  void enter(const CallCopy &C) {
    returned(C.Depth);
    if (C.Owner != Owner) { // another thread goes on
      Owner = C.Owner;
      Last = nullptr;
      Ends.clear();
    }
  }
  /// The calls of this depth and more have returned, the innermost one first.
  void returned(uint32_t Depth) {
    for (; !Open.empty() && Open.back().Depth >= Depth; Open.pop_back()) {
      if (To)
        To->addGap(Open.back().M, Last, Open.back().Gap);
      Last = Open.back().M;
    }
  }
  void forget() {
    for (OpenCall &C : Open)
      C.Gap.reset();
    std::ranges::fill(Ends, 0);
  }

  TrueTotals *To;
  std::vector<OpenCall> Open;
  std::vector<uint64_t> Ends; ///< of the last call, by depth, ticks; 0: not known
  const Measure *Last = nullptr;
  unsigned Owner = 0;
};

} // namespace pilgrim

#endif
