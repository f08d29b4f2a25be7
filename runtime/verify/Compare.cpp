//===- Compare.cpp - one thread's calls and their plain copies ------------===//
#include "verify/Compare.h"
#include "trace/read/Untraced.h"
#include "verify/CallLog.h"
#include "verify/CompareCall.h"
#include "verify/CompareTotals.h"
#include "verify/TrueGaps.h"

namespace pilgrim {

namespace {
class Comparer {
public:
  Comparer(const Trace &T, std::shared_ptr<const RankView> View, const MpiValues &Mpi, Names &Named, TrueTotals *Totals)
      : Named(Named), Calls(T, *View, Mpi, Named), Cursor(Trace::timedCalls(View)), Totals(Totals), Gaps(Totals) {}
  Comparison Found;

  bool run(const CallLog &Log) {
    for (const auto &Copy : Log.Calls) {
      if (!Copy->hasEnded() && !(Copy->IsTraced && isNext(*Copy))) {
        Gaps.underWay(*Copy);
        continue;
      }
      if (!Copy->IsTraced) {
        ++Skipped;
        Named.lacksUses();
        continue;
      }
      const bool IsThere = fetch(), IsSame = isNext(*Copy);
      if (Copy->IsLate && !IsSame)
        continue;
      if (!IsThere)
        return differs("(the trace ends)" + (Cursor.error().empty() ? "" : " (" + Cursor.error() + ")"));
      if (Skipped)
        return differsInSkipped();
      if (!IsSame)
        return differs("(function) (" + C.Function->Name + " in depth " + std::to_string(C.Depth) +
                       " instead of function " + std::to_string(Copy->Function) + " in depth " +
                       std::to_string(Copy->Depth) + ")");
      if (std::string Why = Calls.compare(*Copy, C); !Why.empty()) {
        Found.Difference = "call " + std::to_string(C.Seq) + " parameter " + Why;
        return false;
      }
      IsFetched = false;
      if (Totals) {
        const Measure *M = C.View->signatures()[C.Terminal].Measured;
        Totals->add(M, Copy->isTimed() ? Copy->EndTicks - Copy->StartTicks : 0);
        if (isCall(*C.Function))
          Gaps.call(M, *Copy);
      }
      Found.Calls += isCall(*C.Function);
    }
    if (fetch())
      return differs("(the trace goes on) (" + C.Function->Name + ")");
    return Skipped ? differsInSkipped() : true;
  }

private:
  /// Moves to the next call that was traced, unless that is C already. Before it the trace may say that calls were not
  /// traced: subtracts their number from Skipped.
  bool fetch() {
    while (!IsFetched && Cursor.next(C)) {
      if (isUntraced(*C.Function)) {
        Skipped -= untracedCalls(C);
        Gaps.notTraced(C.View->signatures()[C.Terminal].Measured, C.Depth);
      } else {
        IsFetched = true;
      }
    }
    return IsFetched;
  }
  bool isNext(const CallCopy &Copy) { return fetch() && C.Function->Id == Copy.Function && C.Depth == Copy.Depth; }
  bool differs(const std::string &What) {
    Found.Difference = "call " + std::to_string(Found.Calls) + " parameter " + What;
    return false;
  }
  bool differsInSkipped() {
    return differs("(calls not traced) (" + std::to_string(static_cast<int64_t>(Skipped)) + " more than in the trace)");
  }

  Names &Named;
  CallComparer Calls;
  CallCursor Cursor;
  TrueTotals *Totals;
  TrueGaps Gaps;
  Call C;
  bool IsFetched = false; ///< C has not been compared yet
  uint64_t Skipped = 0;   ///< calls that were not traced, less those that the trace has counted so far
};
} // namespace

Comparison compareCalls(const Trace &T, std::shared_ptr<const RankView> View, const CallLog &Log, const MpiValues &Mpi,
                        Names &Named, TrueTotals *Totals) {
  Comparer C(T, std::move(View), Mpi, Named, Totals);
  C.run(Log);
  return std::move(C.Found);
}

} // namespace pilgrim
