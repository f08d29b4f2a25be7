//===- Print.cpp - pilgrim print ------------------------------------------===//
//
// One line a call in program order, rank after rank; threads of a rank in turn.
// Streams: memory for the open rules of one rank's grammars.
//
//===----------------------------------------------------------------------===//
#include "api/Quantity.h"
#include "driver/CallText.h"
#include "driver/Choice.h"
#include "driver/Command.h"
#include "driver/Input.h"
#include "driver/Output.h"
#include "driver/Progress.h"
#include "trace/read/CallIndex.h"
#include "trace/read/RankCursor.h"
#include "trace/read/Untraced.h"

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <unistd.h>

namespace pilgrim {

namespace {
struct PrintOptions {
  static constexpr int64_t All = std::numeric_limits<int64_t>::max();
  std::string File, Ranks, Threads, Numbers, At, For;
  FunctionChoice Functions;
  int64_t Limit = All, Last = All;
  bool Json = false;
};

class Printer {
public:
  Printer(const PrintOptions &O, const Trace &T)
      : O(O), T(T), Lines(T, O.Json ? ValueText::Form::Json : ValueText::Form::Text) {}

  int run() {
    RankSet Ranks;
    if (!chooseRanks(O.File, T, O.Ranks, Ranks) || !O.Functions.check(O.File, T) ||
        (!O.Threads.empty() && !chooseThreads(O.File, T, Ranks, O.Threads, Threads)))
      return 2;
    if (!O.Numbers.empty() && !parseNumbers(O.Numbers, FirstCall, LastCall))
      return fail("--call " + O.Numbers + ": expected a number or a range of numbers, such as 12 or 12-40");
    if (!O.At.empty() || !O.For.empty()) {
      Windowed = true;
      if (!O.At.empty() && !parseSeconds(O.At, Begin))
        return fail("--at " + O.At + ": expected a time, such as 1.5 or 20ms");
      double Length;
      if (!O.For.empty()) {
        if (!parseSeconds(O.For, Length))
          return fail("--for " + O.For + ": expected a time, such as 1.5 or 20ms");
        End = (O.At.empty() ? 0 : Begin) + Length;
      }
      const Walk W(T);
      for (const ThreadShape &Thread : W.threads())
        if (!Thread.IsTimed)
          return fail(O.File, "no times in this trace (timing=off): --at and "
                              "--for have nothing to go by");
    }
    if (!isatty(STDOUT_FILENO))
      Line.emplace("printed", 0, "calls");
    for (const RankSet::Interval &I : Ranks.intervals())
      for (uint64_t R = I.First; R <= I.Last; ++R)
        if (Printed < O.Limit && Good)
          if (int Code = printRank(static_cast<uint32_t>(R)))
            return Code;
    Line.reset();
    return Out.finish() ? 0 : 2;
  }

private:
  int printRank(uint32_t Rank) {
    std::vector<uint32_t> Chosen = T.threads(Rank);
    std::erase_if(Chosen, [&](uint32_t Thread) { return !Threads.empty() && !Threads.contains(Thread); });
    std::map<uint32_t, uint64_t> First, Behind; // by thread: the first call that is wanted, and what over() says
    uint64_t FirstOfAll = UINT64_MAX;
    for (uint32_t Thread : Chosen) {
      const uint64_t Calls = O.Last == PrintOptions::All ? 0 : CallIndex(T.view(Rank, Thread)).calls();
      First[Thread] = std::max(FirstCall, Calls - std::min(Calls, static_cast<uint64_t>(O.Last)));
      FirstOfAll = std::min(FirstOfAll, First[Thread]);
      if (Windowed)
        Behind[Thread] = CallIndex(T.view(Rank, Thread), true).over(End);
    }
    RankCursor Cursor(T, Rank, Chosen, {FirstOfAll, Begin});
    std::map<uint32_t, std::vector<bool>> Wanted;
    std::set<uint32_t> Over; // threads that are beyond what is wanted
    for (Call C; Printed < O.Limit && Over.size() < Chosen.size() && Cursor.next(C);) {
      if (C.Seq > LastCall || (C.Start >= End && !C.Depth && C.Seq >= Behind[C.View->thread()])) {
        Over.insert(C.View->thread());
        continue;
      }
      if (C.Start >= End || C.Start + C.Duration < Begin || C.Seq < First[C.View->thread()] ||
          !isWanted(Wanted[C.View->thread()], C))
        continue;
      Lines.append(Out.Text, C);
      if (++Printed % Piece == 0 && Line)
        Line->step(Piece);
      if (!(Good = Out.drain()))
        return 0; // finish() tells
    }
    if (Cursor.error().empty())
      return 0;
    Line.reset();
    Out.finish();
    return fail(O.File, Cursor.error());
  }

  /// Known: of the signatures of the call's thread.
  bool isWanted(std::vector<bool> &Known, const Call &C) const {
    if (O.Functions.all())
      return true;
    if (Known.empty())
      for (const ResolvedSignature &S : C.View->signatures())
        Known.push_back(isUntraced(*S.Function) ||
                        O.Functions.wants(S.Function->Name)); // what is missing may be such calls
    return Known[C.Terminal];
  }

  static constexpr int64_t Piece = 1 << 14;
  const PrintOptions &O;
  const Trace &T;
  CallText Lines;
  std::optional<Progress> Line; ///< where what is printed goes elsewhere
  Output Out;
  RankSet Threads;
  bool Windowed = false, Good = true;
  uint64_t FirstCall = 0, LastCall = UINT64_MAX;
  double Begin = -std::numeric_limits<double>::infinity(), End = -Begin;
  int64_t Printed = 0;
};
} // namespace

void addPrint(CommandLine &Tool) {
  Command C = Tool.add("print", "Print a trace's calls, one a line, in program order");
  auto O = std::make_shared<PrintOptions>();
  C.add("TRACE", O->File, "trace file").required();
  addRankChoice(C, O->Ranks);
  C.add("--thread", O->Threads, "only these threads: T[-U][,...]").argument("THREADS");
  O->Functions.addTo(C);
  C.add("--call", O->Numbers, "only calls of each thread with these numbers, from 0: N[-M]").argument("N");
  C.add("--last", O->Last, "only the last N calls of each thread").notNegative().argument("N");
  C.add("--limit", O->Limit, "at most so many lines").notNegative().argument("N");
  C.add("--at", O->At,
        "only calls under way at or after this time, which counts as the starts that print shows: 1.5, 20ms, 3us")
      .argument("TIME");
  C.add("--for", O->For, "and before so much time has passed, without --at from the beginning").argument("TIME");
  C.flag("--json", O->Json, "one JSON object a line");
  C.example("pilgrim print --rank 0 --limit 20 app.pilgrim", "the first 20 calls of rank 0");
  C.example("pilgrim print --function 'MPI_I*' --at 1.5 --for 20ms app.pilgrim",
            "calls with such names, under way within 20 ms");
  C.runs([O] {
    auto T = openTrace(O->File);
    return T ? Printer(*O, *T).run() : 2;
  });
}

} // namespace pilgrim
