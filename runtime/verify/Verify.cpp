//===- Verify.cpp - does the trace decode to what happened? ---------------===//
#include "verify/Verify.h"
#include "platform/Tell.h"
#include "trace/read/RankCursor.h"
#include "trace/read/Soundness.h"
#include "verify/CompareTotals.h"
#include "verify/Names.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

namespace pilgrim {

namespace {
/// Whether the calls of several threads stand in an order in which they may have been made: a call that had ended
/// before another one began stands before that. Calls in callbacks go with the calls that they are part of. Returns the
/// first call that stands too early, or nothing.
std::string verifyOrder(const VerifiedRank &R, const Trace &T) {
  struct Placed {
    uint64_t Begin, End, Seq;
    uint32_t Thread;
  };
  const auto Rank = static_cast<uint32_t>(R.Rank);
  RankCursor Cursor(T, Rank, T.threads(Rank));
  std::vector<size_t> At(R.Threads.size());
  std::vector<Placed> Order;
  for (Call C; Cursor.next(C);) {
    const uint32_t Thread = C.View->thread();
    if (!isCall(*C.Function) || C.Depth || Thread >= R.Threads.size() || !R.Threads[Thread])
      continue;
    const auto &Copies = R.Threads[Thread]->Calls;
    size_t &I = At[Thread];
    auto IsOther = [&](const CallCopy &Copy) {
      return Copy.Function == FreedId || Copy.Depth || !Copy.IsTraced || (!Copy.Returned && !Copy.Abandoned);
    };
    while (I < Copies.size() && IsOther(*Copies[I]))
      ++I;
    if (I == Copies.size())
      continue; // under way
    Order.push_back({Copies[I]->Begin, Copies[I]->End, C.Seq, Thread});
    ++I;
  }
  uint64_t FirstEnd = UINT64_MAX; // of the calls behind
  for (size_t I = Order.size(); I-- > 0; FirstEnd = std::min(FirstEnd, Order[I].End))
    if (FirstEnd < Order[I].Begin)
      return "call " + std::to_string(Order[I].Seq) + " of thread " + std::to_string(Order[I].Thread) +
             " (its place among the calls of other threads)";
  return Cursor.error();
}

/// One rank's outcome, in the form in which it is sent.
struct Outcome {
  uint64_t Calls = 0;
  char Difference[248] = "";
};
} // namespace

static int ExitCode;
int verificationExitCode() { return ExitCode; }

namespace {
/// What a rank finds out, and what it needs to look at all ranks together.
struct OwnResult {
  Outcome O;
  std::optional<Trace> Read;
  std::optional<TrueTotals> Totals; ///< of Read
  void say(const std::string &S) { std::snprintf(O.Difference, sizeof O.Difference, "%s", S.c_str()); }
};
} // namespace

static void verifyOwn(const VerifiedRank &R, std::span<const uint8_t> File, OwnResult &Result) {
  Outcome &O = Result.O;
  auto Say = [&](const std::string &S) { Result.say(S); };
  auto Opened = Trace::fromBytes(File);
  if (!Opened) {
    Say("(the trace does not read: " + Opened.error().What + ")");
    return;
  }
  Result.Read = std::move(*Opened);
  const Trace *T = &*Result.Read;
  TrueTotals &Totals = Result.Totals.emplace(*T, R.Mpi.NanoPerTick);
  Names Named(R.Objects, R.Requests, R.Threads.size() > 1);
  for (uint32_t Thread = 0; Thread < R.Threads.size() && !O.Difference[0]; ++Thread) {
    const CallLog *Log = R.Threads[Thread];
    if (!Log || Log->Calls.empty())
      continue;
    if (auto View = T->view(static_cast<uint32_t>(R.Rank), Thread)) {
      const Comparison C = compareCalls(*T, View, *Log, R.Mpi, Named, &Totals);
      O.Calls += C.Calls;
      Say(C.Difference);
    } else if (std::ranges::any_of(Log->Calls, [](const auto &C) { return C->mustBeInTrace(); })) {
      Say("(thread " + std::to_string(Thread) + " is not in the trace)");
    }
  }
  if (!O.Difference[0])
    Say(Named.clash());
  if (!O.Difference[0] && R.Threads.size() > 1)
    Say(verifyOrder(R, *T));
  // What is of all ranks. Readers ask that before they read calls.
  if (!O.Difference[0] && R.Rank == R.First)
    if (const std::string Problem = findInconsistency(*T); !Problem.empty())
      Say("(readers refuse the trace: " + Problem + ")");
}

/// The totals of all ranks' times, on rank 0 or on a rank for itself. Calls: all of them agree.
static void verifyTotals(const VerifiedRank &R, OwnResult &Mine, std::span<const uint64_t> All) {
  std::vector<uint32_t> Ranks;
  Mine.Read->ranks().forEach([&](uint32_t Rank) { Ranks.push_back(Rank); });
  if (R.Mpi.NanoPerTick > 0 && All.size() == Ranks.size() * Mine.Totals->words().size())
    Mine.say(Mine.Totals->compare(All, Ranks));
}

static void setExitCode(const VerifiedRank &R, const Outcome &O) {
  if (O.Difference[0] && R.IsStrict)
    ExitCode = 86;
}

static void tellDifference(int Rank, const Outcome &O) {
  tell(TellLevel::Error, "verify: DIFFERS at rank %d %.*s", Rank, static_cast<int>(sizeof O.Difference), O.Difference);
}

void reportVerification(const VerifiedRank &R, std::span<const uint8_t> File) {
  OwnResult Mine;
  verifyOwn(R, File, Mine);
  if (!Mine.O.Difference[0])
    verifyTotals(R, Mine, Mine.Totals->words());
  setExitCode(R, Mine.O);
  if (Mine.O.Difference[0])
    tellDifference(R.Rank, Mine.O);
  else
    tell(TellLevel::Error, "verify: %llu calls of rank %d agree", static_cast<unsigned long long>(Mine.O.Calls),
         R.Rank);
}

void reportVerification(const VerifiedRank &R, std::span<const uint8_t> File, const Gather &Collect) {
  OwnResult Mine;
  verifyOwn(R, File, Mine);
  setExitCode(R, Mine.O);
  const size_t Ranks = static_cast<size_t>(R.Rank == R.First ? R.Joined : 1);
  std::vector<Outcome> All(Ranks);
  bool Gathered = Collect(&Mine.O, sizeof Mine.O, All.data());
  // All ranks have the same trace, and so as many words. The first holds those of all.
  constexpr size_t MostBytes = size_t(1) << 28;
  std::vector<uint64_t> Totals;
  const bool Fits =
      !Mine.Totals || Mine.Totals->words().size() <= MostBytes / sizeof(uint64_t) / static_cast<size_t>(R.Joined);
  if (!Fits && R.Rank == R.First)
    tell(TellLevel::Error, "verify: totals of times are not compared: %d ranks have too many", R.Joined);
  if (Gathered && Fits && Mine.Totals && !Mine.Totals->words().empty()) {
    const std::vector<uint64_t> &Words = Mine.Totals->words();
    Totals.resize(Words.size() * Ranks);
    Gathered = Collect(Words.data(), static_cast<int>(Words.size() * sizeof Words[0]), Totals.data());
  }
  if (R.Rank != R.First)
    return;
  if (!Gathered) {
    tell(TellLevel::Error, "verify: not all ranks answered");
    return;
  }
  uint64_t Calls = 0;
  bool Same = true;
  for (int Rank = 0; Rank < R.Joined; ++Rank) {
    const Outcome &O = All[static_cast<size_t>(Rank)];
    Calls += O.Calls;
    if (O.Difference[0]) {
      Same = false;
      tellDifference(R.First + Rank, O);
    }
  }
  if (!Same)
    return;
  if (Mine.Totals)
    verifyTotals(R, Mine, Totals);
  setExitCode(R, Mine.O);
  if (Mine.O.Difference[0])
    tell(TellLevel::Error, "verify: DIFFERS in %.*s", static_cast<int>(sizeof Mine.O.Difference), Mine.O.Difference);
  else
    // Scripts look for these words, also where it is one rank.
    tell(TellLevel::Error, "verify: %llu calls on %d ranks agree", static_cast<unsigned long long>(Calls), R.Joined);
}

} // namespace pilgrim
