//===- TurnCheck.cpp - whether turns fit their threads --------------------===//
//
// A turn is of a thread that the rank has, is one call long at least, and all turns of a thread together have no more
// calls than it. Which thread a turn is of and how long it is stand in two streams; side by side they become a
// sequence of pairs, which says how often each pair occurs.
//
//===----------------------------------------------------------------------===//
#include "trace/base/Counted.h"
#include "trace/model/Turn.h"
#include "trace/read/Soundness.h"
#include "trace/sequences/Alignment.h"

#include <algorithm>

namespace pilgrim {

/// Turns that are gone through one by one, where they are not regular and not in chunks.
static constexpr uint64_t MaxTurns = uint64_t(1) << 26;

namespace {
/// A stream as a sequence of values, each a terminal.
struct ValueSequence {
  GrammarData Order;
  std::vector<int64_t> Values;
};

/// By thread: how many calls its turns have together.
using Lengths = std::map<int64_t, uint64_t>;
} // namespace

/// Nothing: it would be too large, since its runs have too many values, or is not regular.
static std::optional<ValueSequence> valuesOf(const IntStreamData &S) {
  if (!S.Chunks.empty())
    return std::nullopt;
  constexpr uint64_t MaxValues = uint64_t(1) << 16;
  std::map<int64_t, uint32_t> Known;
  ValueSequence Out;
  auto Terminal = [&](int64_t V) {
    auto [It, New] = Known.try_emplace(V, static_cast<uint32_t>(Out.Values.size()));
    if (New)
      Out.Values.push_back(V);
    return GrammarSymbol{It->second, false, 1};
  };
  Out.Order.Rules.clear();
  std::vector<std::vector<GrammarSymbol>> Long; // runs of different values: rules behind the others
  std::vector<uint32_t> LongOf(S.Runs.size(), 0);
  uint64_t All = 0;
  for (const auto &Body : S.Order.Rules) {
    auto &To = Out.Order.Rules.emplace_back(Body);
    for (GrammarSymbol &X : To) {
      if (X.IsRule)
        continue;
      const LinearRun &Run = S.Runs[X.Value];
      if (Run.Count == 1 || Run.Stride == 0) {
        X = {Terminal(Run.First).Value, false, X.Count * Run.Count};
        continue;
      }
      uint32_t &Place = LongOf[X.Value];
      if (!Place) {
        if (Run.Count > MaxValues || (All += Run.Count) > MaxValues)
          return std::nullopt;
        auto &Values = Long.emplace_back();
        for (uint64_t I = 0; I < Run.Count; ++I)
          Values.push_back(Terminal(Run.First + Run.Stride * static_cast<int64_t>(I)));
        Place = static_cast<uint32_t>(S.Order.Rules.size() + Long.size() - 1);
      }
      X = {Place, true, X.Count};
    }
  }
  Out.Order.Rules.insert(Out.Order.Rules.end(), Long.begin(), Long.end());
  return Out;
}

static void add(Lengths &To, int64_t Thread, uint64_t Length, uint64_t Times) {
  uint64_t &N = To[Thread];
  N = std::min(N + tallyProduct(Length, Times), Tally::Unknown);
}

/// Both have the same length, and no values that they may not have. False: there are more than Most to go through.
static bool sumTurns(const IntStreamData &Threads, const IntStreamData &Counts, uint64_t Most, Lengths &To) {
  auto A = valuesOf(Threads), B = valuesOf(Counts);
  if (A && B) {
    // Any thread may have a turn of any length.
    const std::vector<uint64_t> AnyA(A->Values.size(), 0), AnyB(B->Values.size(), 0);
    if (auto Both = align({A->Order, AnyA}, {B->Order, AnyB})) {
      auto Times = Both->Order.terminalCounts();
      for (size_t I = 0; I < Times.size(); ++I)
        add(To, A->Values[Both->Pairs[I].first], TurnLength::of(B->Values[Both->Pairs[I].second]).Calls, Times[I]);
      return true;
    }
  }
  IntStreamData::Cursor Thread(Threads), Count(Counts);
  uint64_t Walked = 0;
  for (int64_t T, N; Thread.next(T) && Count.next(N); add(To, T, TurnLength::of(N).Calls, 1))
    if (++Walked > Most)
      return false;
  return true;
}

namespace {
class TurnCheck {
public:
  TurnCheck(const TraceData &T, bool OfChunks)
      : T(T), OfChunks(OfChunks), Calls(T.Groups.size()), IsCounted(T.Groups.size()) {}

  std::string run() {
    RankSet Both[2];
    for (const RankedStreams *L : {&T.TurnThreads, &T.TurnLengths})
      for (const RankedStream &S : *L) {
        RankSet &Seen = Both[L == &T.TurnLengths];
        if (commonSize(Seen, S.Ranks))
          return bad(Seen.common(S.Ranks).first(), "two orders of its threads");
        Seen.unite(S.Ranks);
      }
    for (bool First : {true, false})
      if (RankSet Alone = Both[!First].without(Both[First]); !Alone.empty())
        return bad(Alone.first(), First ? "turns without lengths" : "lengths of turns without threads");
    for (const RankedStream &A : T.TurnThreads)
      for (const RankedStream &B : T.TurnLengths)
        if (RankSet Ranks = A.Ranks.common(B.Ranks); !Ranks.empty())
          if (std::string Problem = turns(Ranks, A.Values, B.Values); !Problem.empty())
            return Problem;
    return "";
  }

private:
  static std::string bad(uint32_t Rank, const std::string &What) {
    return "damaged: rank " + std::to_string(Rank) + " has " + What;
  }

  std::string turns(const RankSet &Ranks, const IntStreamData &Threads, const IntStreamData &Counts) {
    const uint32_t First = Ranks.first();
    if (Threads.length() != Counts.length())
      return bad(First, std::to_string(Threads.length()) + " turns, but " + std::to_string(Counts.length()) +
                            " lengths of turns");
    if (OfChunks != (!Threads.Chunks.empty() || !Counts.Chunks.empty()))
      return "";
    if (!areAtLeast(Threads, 0))
      return bad(First, "a turn of a thread that is not there");
    if (!areAtLeast(Counts, TurnLength::MinWord))
      return bad(First, "a turn that has no length");
    Lengths All;
    if (!sumTurns(Threads, Counts, OfChunks ? UINT64_MAX : MaxTurns, All))
      return "too large for this reader: irregular turns of threads of rank " + std::to_string(First) + ", limit " +
             std::to_string(MaxTurns) + " turns";
    for (const auto &[Thread, Length] : All) {
      auto G = std::find_if(T.Groups.begin(), T.Groups.end(), [&](const Group &X) { return X.Thread == Thread; });
      RankSet Without = G == T.Groups.end() ? Ranks : Ranks.without(G->ranks());
      if (!Without.empty())
        return bad(Without.first(), "a turn of thread " + std::to_string(Thread) + ", which it does not have");
      std::string Problem;
      callsOf(static_cast<size_t>(G - T.Groups.begin())).forEach(Ranks, [&](const RankSet &Own, uint64_t N) {
        if (N < Length && Problem.empty())
          Problem = bad(Own.first(), "turns of thread " + std::to_string(Thread) + " with " + counted(Length, "call") +
                                         ", but the thread has " + std::to_string(N));
      });
      if (!Problem.empty())
        return Problem;
    }
    return "";
  }

  const Tally &callsOf(size_t G) {
    if (!IsCounted[G]) {
      IsCounted[G] = true;
      T.Groups[G].forEachEvent([&](const NodeData &, uint32_t, const EventData &E) {
        addItems(Calls[G], T.Groups[G], E, T.World, false, nullptr);
      });
    }
    return Calls[G];
  }

  const TraceData &T;
  const bool OfChunks;
  std::vector<Tally> Calls; ///< by group
  std::vector<bool> IsCounted;
};
} // namespace

std::string findBadTurns(const TraceData &T) { return TurnCheck(T, false).run(); }

std::string findBadTurnsInChunks(const Trace &T) { return TurnCheck(T.data(), true).run(); }

} // namespace pilgrim
