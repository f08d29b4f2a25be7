//===- Verify.cpp - does the trace decode to what happened? ---------------===//
#include "verify/Verify.h"
#include "platform/Tell.h"
#include "trace/read/RankCursor.h"
#include "verify/Names.h"

#include <algorithm>
#include <cstdio>
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
      break;
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

static Outcome verifyOwn(const VerifiedRank &R, std::span<const uint8_t> File) {
  Outcome O;
  auto Say = [&](const std::string &S) { std::snprintf(O.Difference, sizeof O.Difference, "%s", S.c_str()); };
  auto T = Trace::fromBytes(File);
  if (!T) {
    Say("(the trace does not read: " + T.error().What + ")");
    return O;
  }
  Names Named(R.Objects, R.Requests);
  for (uint32_t Thread = 0; Thread < R.Threads.size() && !O.Difference[0]; ++Thread) {
    const CallLog *Log = R.Threads[Thread];
    if (!Log || Log->Calls.empty())
      continue;
    if (auto View = T->view(static_cast<uint32_t>(R.Rank), Thread)) {
      const Comparison C = compareCalls(*T, View, *Log, R.Mpi, Named);
      O.Calls += C.Calls;
      Say(C.Difference);
    } else {
      Say("(thread " + std::to_string(Thread) + " is not in the trace)");
    }
  }
  if (!O.Difference[0])
    Say(Named.clash());
  if (!O.Difference[0] && R.Threads.size() > 1)
    Say(verifyOrder(R, *T));
  return O;
}

static Outcome verifyRank(const VerifiedRank &R, std::span<const uint8_t> File) {
  Outcome Mine = verifyOwn(R, File);
  if (Mine.Difference[0] && R.IsStrict)
    ExitCode = 86;
  return Mine;
}

static void tellDifference(int Rank, const Outcome &O) {
  tell(TellLevel::Error, "verify: DIFFERS at rank %d %.*s", Rank, static_cast<int>(sizeof O.Difference), O.Difference);
}

void reportVerification(const VerifiedRank &R, std::span<const uint8_t> File) {
  const Outcome Mine = verifyRank(R, File);
  if (Mine.Difference[0])
    tellDifference(R.Rank, Mine);
  else
    tell(TellLevel::Error, "verify: %llu calls of rank %d agree", static_cast<unsigned long long>(Mine.Calls), R.Rank);
}

void reportVerification(const VerifiedRank &R, std::span<const uint8_t> File, const Gather &Collect) {
  const Outcome Mine = verifyRank(R, File);
  std::vector<Outcome> All(static_cast<size_t>(R.Rank == 0 ? R.Size : 1));
  bool Gathered = Collect(&Mine, sizeof Mine, All.data());
  if (R.Rank != 0)
    return;
  if (!Gathered) {
    tell(TellLevel::Error, "verify: not all ranks answered");
    return;
  }
  uint64_t Calls = 0;
  bool Same = true;
  for (int Rank = 0; Rank < R.Size; ++Rank) {
    const Outcome &O = All[static_cast<size_t>(Rank)];
    Calls += O.Calls;
    if (O.Difference[0]) {
      Same = false;
      tellDifference(Rank, O);
    }
  }
  if (Same)
    tell(TellLevel::Error, "verify: %llu calls on %d ranks agree", static_cast<unsigned long long>(Calls), R.Size);
}

} // namespace pilgrim
