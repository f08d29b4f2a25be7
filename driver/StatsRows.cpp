//===- StatsRows.cpp - calls, bytes and time summed up --------------------===//
#include "driver/StatsRows.h"
#include "driver/CallByCall.h"
#include "driver/CallText.h"
#include "driver/CallVolumes.h"
#include "driver/RankTimes.h"
#include "trace/base/Saturate.h"
#include "trace/read/Untraced.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace pilgrim {

void StatsRow::add(const StatsRow &Other) {
  addProduct(Calls, Other.Calls, 1);
  addProduct(Sent, Other.Sent, 1);
  addProduct(Received, Other.Received, 1);
  addProduct(Untraced, Other.Untraced, 1);
  addProduct(NotReturned, Other.NotReturned, 1);
  Time.add(Other.Time);
  Durations.add(Other.Durations);
}

namespace {
/// A call at one place of the trace.
using CallPlace = std::pair<const Entry *, const Variant *>;

/// Rows by function, or by function and site.
class NamedRows {
public:
  NamedRows(const Walk &W, bool HasSites) : W(W), HasSites(HasSites), Lines(W.trace()) {}

  void enter(const CallShape &C) {
    StatsRow New;
    std::pair<std::string, std::string> Key;
    Key.first = New.Function = C.Function->Name;
    if (HasSites) {
      New.Site = siteText(W, C, Lines);
      // Files of one name may be in several folders.
      for (const PlaceText &P : New.Site)
        (Key.second += P.Text + '\0' + sameFile(P.File)) += '\0';
    }
    At = &Rows.try_emplace(std::move(Key), Sums{std::move(New), {}}).first->second;
  }
  /// Where what calls took is added.
  MeasuredPart *time() { return &At->Row.Time; }
  void remember(const CallPlace &P) { Of[P] = At; }
  void find(const CallPlace &P) { At = Of.at(P); }

  void calls(const RankSet &Ranks, uint64_t N) { addProduct(At->Row.Calls, N, Ranks.size()); }
  void notReturned(const RankSet &Ranks, uint64_t N) { addProduct(At->Row.NotReturned, N, Ranks.size()); }
  void bytes(const RankSet &Ranks, const Volume &V, uint64_t Times) {
    uint64_t N = 0;
    addProduct(N, Times, Ranks.size());
    addProduct(At->Row.Sent, static_cast<uint64_t>(V.Sent), N);
    addProduct(At->Row.Received, static_cast<uint64_t>(V.Received), N);
  }
  void measured(const RankSet &Ranks, const Measure &M, uint64_t N) { At->Measured.add(M, N, Ranks.size()); }
  void untraced(const RankSet &, uint64_t) {}
  void took(uint32_t, uint32_t, const MeasuredPart &) {}

  std::vector<StatsRow> rows(const RankSet &, bool IsTimed) {
    std::vector<StatsRow> Out;
    for (auto &[Key, S] : Rows) {
      S.Row.Durations = S.Measured.durations();
      Out.push_back(S.Row);
    }
    std::stable_sort(Out.begin(), Out.end(), [&](const StatsRow &X, const StatsRow &Y) {
      return IsTimed && X.Time.Sum != Y.Time.Sum ? X.Time.Sum > Y.Time.Sum : X.Calls > Y.Calls;
    });
    return Out;
  }

private:
  struct Sums {
    StatsRow Row;
    MeasuredSum Measured;
  };
  /// A file by the name that it had first: debug information may have its folder, and the compiler only what it was
  /// called with.
  const std::string &sameFile(const std::string &File) {
    auto IsIn = [](std::string_view Longer, std::string_view Name) {
      return Longer == Name || (Longer.ends_with(Name) && Longer[Longer.size() - Name.size() - 1] == '/');
    };
    std::vector<std::string> &Like = FilesOf[File.substr(File.rfind('/') + 1)];
    const auto At = std::ranges::find_if(Like, [&](const std::string &F) { return IsIn(F, File) || IsIn(File, F); });
    return At == Like.end() ? Like.emplace_back(File) : *At;
  }

  const Walk &W;
  bool HasSites;
  std::map<std::string, std::vector<std::string>> FilesOf; ///< by name without folder
  SourceLines Lines;
  std::map<std::pair<std::string, std::string>, Sums> Rows;
  std::map<CallPlace, Sums *> Of;
  Sums *At = nullptr;
};

/// Rows by rank.
class RankRows {
public:
  void enter(const CallShape &) {}
  static MeasuredPart *time() { return nullptr; }
  void remember(const CallPlace &) {}
  void find(const CallPlace &) {}

  void calls(const RankSet &Ranks, uint64_t N) { Sums.add(Ranks, {N}); }
  void notReturned(const RankSet &, uint64_t) {}
  void bytes(const RankSet &Ranks, const Volume &V, uint64_t Times) {
    uint64_t Sent = 0, Received = 0;
    addProduct(Sent, static_cast<uint64_t>(V.Sent), Times);
    addProduct(Received, static_cast<uint64_t>(V.Received), Times);
    Sums.add(Ranks, {0, Sent, Received});
  }
  void untraced(const RankSet &Ranks, uint64_t N) { Sums.add(Ranks, {0, 0, 0, N}); }
  void measured(const RankSet &, const Measure &, uint64_t) {}
  /// All calls of each of the ranks, on a thread.
  void took(uint32_t First, uint32_t Last, const MeasuredPart &P) {
    Sums.add(RankSet::between(First, Last), {0, 0, 0, 0, P.Sum, P.IsMean});
  }

  std::vector<StatsRow> rows(const RankSet &Ranks, bool) {
    std::vector<StatsRow> Out;
    Sums.forEach(Ranks, [&](uint32_t First, uint32_t Last, const RankSums<6>::Numbers &N) {
      StatsRow R;
      R.FirstRank = First;
      R.Rank = Last;
      R.Calls = N[0];
      R.Sent = N[1];
      R.Received = N[2];
      R.Untraced = N[3];
      R.Time = {N[4], N[5] != 0};
      Out.push_back(std::move(R));
    });
    return Out;
  }

private:
  RankSums<6> Sums; ///< calls, sent, received, untraced, time, how often that is a mean
};

template <typename Rows> class Collector {
public:
  Collector(const Walk &W, const StatsQuery &Q, Rows &R)
      : W(W), Q(Q), R(R), IsWhole(W.ranks().without(Q.Ranks).empty()), HasAll(Q.Functions.hasAll(W.trace())) {}

  StatsTable run() {
    const bool HasUntraced = hasUntraced(W.trace());
    Out.IsTimed = !W.threads().empty();
    for (uint32_t Thread = 0; Thread < W.threads().size(); ++Thread) {
      Out.IsTimed &= W.threads()[Thread].IsTimed;
      for (uint32_t Node = 0; Node < W.threads()[Thread].Nodes; ++Node)
        for (uint32_t Event : W.node(Thread, Node).Events) {
          W.forEachItem(Thread, Node, Event, [&](const CallShape &C) { add(C); }, nullptr);
          endEvent(Thread, Node, Event);
          if (HasUntraced)
            for (const RankedCount &X : untracedAt(W, Thread, Node, Event))
              addUntraced(wanted(X.Ranks), X.N);
        }
      goThroughIrregular(Thread);
      endThread(Thread);
    }
    Out.Rows = R.rows(Q.Ranks, Out.IsTimed);
    for (const StatsRow &Row : Out.Rows) {
      const uint64_t N = uint64_t(Row.Rank) - Row.FirstRank + 1;
      StatsRow Each;
      addProduct(Each.Calls, Row.Calls, N);
      addProduct(Each.Sent, Row.Sent, N);
      addProduct(Each.Received, Row.Received, N);
      Out.All.add(Each);
    }
    Out.All.Durations = Measured.durations();
    Out.HasHistograms = Out.All.Durations.hasHistogram();
    for (const StatsRow &Row : Out.Rows)
      Out.HasHistograms |= Row.Durations.hasHistogram();
    return std::move(Out);
  }

private:
  RankSet wanted(const RankSet &Ranks) const { return IsWhole ? Ranks : Ranks.common(Q.Ranks); }

  void addUntraced(const RankSet &Ranks, uint64_t N) {
    addProduct(Out.All.Untraced, N, Ranks.size());
    R.untraced(Ranks, N);
  }

  /// A measure is of one event. What is inside of a call is part of its time: all calls need what the outermost ones
  /// do.
  void endEvent(uint32_t Thread, uint32_t Node, uint32_t Event) {
    const auto &OfRanks = W.places(Thread, Node, Event);
    for (const auto &[Place, P] : Places) {
      const auto Known = OfRanks.find(Place);
      const Spread Sums = Known == OfRanks.end() ? Spread{} : Known->second.Durations;
      const bool IsCounted = !Place.Depth || !HasAll;
      if (P.Time || (IsWhole && IsCounted)) {
        const MeasuredPart Total = P.Calls.total(Sums, Q.Ranks);
        if (P.Time)
          P.Time->add(Total);
        if (IsWhole && IsCounted)
          Out.All.Time.add(Total);
      }
      if (IsCounted && (!IsWhole || !P.Time))
        P.Calls.forEach(Sums, [&](uint32_t First, uint32_t Last, const MeasuredPart &Part) {
          OfThread.add(RankSet::between(First, Last), {Part.Sum, Part.IsMean});
        });
    }
    Places.clear();
  }

  void endThread(uint32_t Thread) {
    forEachPart(OfThread, W.threads()[Thread].Ranks, HasAll ? W.times(Thread, 0).InMpi : Spread{},
                [&](uint32_t First, uint32_t Last, const MeasuredPart &Part) {
                  R.took(First, Last, Part);
                  if (!IsWhole)
                    PlaceCalls::add(Out.All.Time, First, Last, Part, Q.Ranks);
                });
    OfThread = {};
  }

  void add(const CallShape &C) {
    if (!isCall(*C.Function) || !Q.Functions.wants(C.Function->Name))
      return;
    bool IsEntered = false;
    const Measure *M = hasReturned(C) ? W.measure(C) : nullptr;
    for (const RankedCount &X : C.Calls) {
      if (M)
        Places[M->Place].Calls.add(*M, X.Ranks, X.N);
      const RankSet Ranks = wanted(X.Ranks);
      if (Ranks.empty())
        continue;
      if (!IsEntered)
        R.enter(C);
      IsEntered = true;
      R.calls(Ranks, X.N);
      if (!hasReturned(C)) {
        R.notReturned(Ranks, X.N);
        addProduct(Out.All.NotReturned, X.N, Ranks.size());
      }
      if (M) {
        R.measured(Ranks, *M, X.N);
        Measured.add(*M, X.N, Ranks.size());
        Places[M->Place].Time = R.time();
      }
    }
    if (!IsEntered || !rule(*C.Function).moves())
      return;
    const bool IsTold =
        CallVolumes(W, C, rule(*C.Function)).forEach([&](const RankSet &Of, const Volume &V, uint64_t Times) {
          if (RankSet Ranks = wanted(Of); !Ranks.empty())
            R.bytes(Ranks, V, Times);
        });
    if (!IsTold) {
      Irregular.push_back(C);
      R.remember({C.Of, C.Content});
      IrregularRanks.unite(wanted(C.Ranks));
    }
  }

  /// Calls whose bytes nothing but the calls themselves tell.
  void goThroughIrregular(uint32_t Thread) {
    CallByCall All(W);
    for (size_t I = 0; I < Irregular.size(); ++I)
      All.add(Irregular[I], I);
    IrregularRanks.forEach([&](uint32_t Rank) {
      std::string Why = All.run(Thread, Rank, [&](size_t I, const Call &C) {
        R.find({Irregular[I].Of, Irregular[I].Content});
        R.bytes(RankSet(Rank), rule(*C.Function).of(C.Slots, *C.View), 1);
      });
      if (!Why.empty())
        Out.Error = std::move(Why);
    });
    Irregular.clear();
    IrregularRanks = {};
  }

  const VolumeRule &rule(const FunctionSchema &F) {
    return Rules.try_emplace(F.Id, F, W.trace().names()).first->second;
  }

  const Walk &W;
  const StatsQuery &Q;
  Rows &R;
  bool IsWhole; ///< all ranks are wanted
  bool HasAll;  ///< all functions are
  std::map<uint32_t, VolumeRule> Rules;
  struct AtPlace {
    MeasuredPart *Time = nullptr; ///< of a row
    PlaceCalls Calls;
  };
  std::map<MeasuredPlace, AtPlace> Places; ///< of the event at hand
  RankParts OfThread;                      ///< of the thread at hand: what counts in sums
  MeasuredSum Measured;                    ///< of all rows
  std::vector<CallShape> Irregular;        ///< of the thread at hand
  RankSet IrregularRanks;
  StatsTable Out;
};
} // namespace

StatsTable sumUp(const Walk &W, const StatsQuery &Q) {
  if (Q.What == StatsQuery::By::Rank) {
    RankRows Rows;
    return Collector(W, Q, Rows).run();
  }
  NamedRows Rows(W, Q.What == StatsQuery::By::Site);
  return Collector(W, Q, Rows).run();
}

} // namespace pilgrim
