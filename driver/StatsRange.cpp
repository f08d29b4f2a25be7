//===- StatsRange.cpp - calls, bytes and time between two times ------------===//
#include "driver/CallText.h"
#include "driver/StatsRows.h"
#include "driver/Volume.h"
#include "trace/base/Saturate.h"
#include "trace/read/CallIndex.h"
#include "trace/read/Untraced.h"

#include <algorithm>

namespace pilgrim {

namespace {
class RangeCollector {
public:
  RangeCollector(const Trace &T, const StatsQuery &Q) : T(T), Q(Q), Lines(T) { Out.IsTimed = true; }

  StatsTable run() {
    Q.Ranks.forEach([&](uint32_t Rank) {
      for (const uint32_t Thread : T.threads(Rank))
        if (Out.Error.empty())
          addThread(T.view(Rank, Thread));
    });
    for (auto &[Key, Row] : Rows) {
      Out.All.add(Row);
      Out.Rows.push_back(std::move(Row));
    }
    Out.All.Time = Outermost;
    if (Q.What != StatsQuery::By::Rank)
      std::ranges::stable_sort(Out.Rows, [](const StatsRow &X, const StatsRow &Y) { return X.Time.Sum > Y.Time.Sum; });
    return std::move(Out);
  }

private:
  /// Function and site as text, or the rank.
  using Key = std::pair<uint32_t, std::string>;

  void addThread(const std::shared_ptr<const RankView> &View) {
    if (!View->times()) {
      Out.Error = "the times of single calls are not in this trace (it takes --timing calls): --from and --to have "
                  "nothing to go by";
      return;
    }
    std::vector<StatsRow *> RowOf(View->signatures().size(), nullptr);
    std::vector<bool> IsWanted;
    for (const ResolvedSignature &S : View->signatures())
      IsWanted.push_back(isCall(*S.Function) ? Q.Functions.wants(S.Function->Name) : isUntraced(*S.Function));
    const CallIndex Index(View, true);
    const uint64_t Over = Index.over(Q.To);
    CallCursor Calls = Index.fromTime(Q.From);
    constexpr uint32_t None = UINT32_MAX;
    uint32_t Around = None; // depth of the call that counts in sums: those inside of it are part of its time
    for (Call C; Calls.next(C) && (C.Start < Q.To || C.Depth || C.Seq < Over);) {
      const double End = C.Start + C.Duration;
      if (Around != None && C.Depth <= Around)
        Around = None;
      if (C.Start >= Q.To || !IsWanted[C.Terminal] || End < Q.From || (C.Start < Q.From && End == Q.From))
        continue;
      StatsRow *&Row = RowOf[C.Terminal];
      if (!Row)
        Row = &row(*View, View->signatures()[C.Terminal]);
      if (!isCall(*C.Function)) {
        addProduct(Row->Untraced, untracedCalls(C), 1);
        continue;
      }
      add(*Row, C, std::min(End, Q.To) - std::max(C.Start, Q.From), Around == None);
      if (Around == None && hasReturned(C))
        Around = C.Depth;
    }
    if (!Calls.error().empty())
      Out.Error = Calls.error();
  }

  void add(StatsRow &Row, const Call &C, double Inside, bool IsOutermost) {
    addProduct(Row.Calls, 1, 1);
    addProduct(Row.NotReturned, !hasReturned(C), 1);
    if (hasReturned(C)) {
      const MeasuredPart Time{static_cast<uint64_t>(std::llround(Inside * 1e9)), false};
      if (IsOutermost)
        Outermost.add(Time);
      if (IsOutermost || Q.What != StatsQuery::By::Rank)
        Row.Time.add(Time);
      Row.Durations.add(Spread::of(static_cast<uint64_t>(std::llround(C.Duration * 1e9)), C.View->rank()));
    }
    const VolumeRule &Rule = Rules.try_emplace(C.Function->Id, *C.Function, T.names()).first->second;
    if (!Rule.moves())
      return;
    const Volume V = Rule.of(C.Slots, *C.View);
    addProduct(Row.Sent, static_cast<uint64_t>(V.Sent), 1);
    addProduct(Row.Received, static_cast<uint64_t>(V.Received), 1);
  }

  StatsRow &row(const RankView &View, const ResolvedSignature &S) {
    StatsRow New;
    Key K{0, ""};
    if (Q.What == StatsQuery::By::Rank) {
      K.first = New.FirstRank = New.Rank = View.rank();
    } else if (!isCall(*S.Function)) {
      return Out.All; // said behind the sum
    } else {
      K.second = New.Function = S.Function->Name;
      if (Q.What == StatsQuery::By::Site) {
        New.Site = siteText(View, S, Lines);
        for (const PlaceText &P : New.Site)
          ((K.second += '\0') += P.Text + '\0') += P.File;
      }
    }
    return Rows.try_emplace(std::move(K), std::move(New)).first->second;
  }

  const Trace &T;
  const StatsQuery &Q;
  SourceLines Lines;
  std::map<Key, StatsRow> Rows;
  std::map<uint32_t, VolumeRule> Rules; ///< by function
  MeasuredPart Outermost;               ///< time of calls that are not inside of others
  StatsTable Out;
};
} // namespace

StatsTable sumUpRange(const Trace &T, const StatsQuery &Q) { return RangeCollector(T, Q).run(); }

} // namespace pilgrim
