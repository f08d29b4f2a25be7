//===- Verify.cpp - does the trace decode to what happened? ---------------===//
#include "verify/Verify.h"
#include "pmpi/State.h"
#include "trace/read/RankCursor.h"
#include "verify/Compare.h"
#include "verify/RawLog.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace pilgrim {

namespace {
/// Whether threads' calls stand in the order of the turns in which they were made. Empty, or what is not.
std::string verifyOrder(Process &P, const Trace &T) {
  const auto Rank = static_cast<uint32_t>(std::max(P.Rank, 0));
  const auto Threads = T.threads(Rank);
  RankCursor Cursor(T, Rank, Threads);
  std::vector<size_t> At(P.Threads.size());
  uint64_t Turn = 0;
  uint32_t Whose = 0;
  for (Call C; Cursor.next(C);) {
    if (!isCall(*C.Function))
      continue;
    const uint32_t Thread = C.View->thread();
    const auto &Copies = P.Threads[Thread]->Log->Calls;
    size_t &I = At[Thread];
    while (I < Copies.size() &&
           (Copies[I]->Function == FreedId || !Copies[I]->IsTraced || (!Copies[I]->Returned && !Copies[I]->Abandoned)))
      ++I;
    // A turn is one thread's.
    if (I == Copies.size() || Copies[I]->Turn < Turn || (Copies[I]->Turn == Turn && Thread != Whose))
      return "call " + std::to_string(C.Seq) + " of thread " + std::to_string(Thread) +
             " (its place among the calls of other threads)";
    Turn = Copies[I++]->Turn;
    Whose = Thread;
  }
  return Cursor.error();
}

/// One rank's outcome, as it is gathered.
struct Outcome {
  uint64_t Calls = 0;
  char Difference[248] = "";
};
} // namespace

static int ExitCode;
int verificationExitCode() { return ExitCode; }

static Outcome verifyOwn(Process &P, std::span<const uint8_t> File) {
  Outcome O;
  auto Say = [&](const std::string &S) { std::snprintf(O.Difference, sizeof O.Difference, "%s", S.c_str()); };
  auto T = Trace::fromBytes(File);
  if (!T) {
    Say("(the trace does not read: " + T.error().What + ")");
    return O;
  }
  std::vector<Bindings> Made(P.Threads.size());
  // Gives false if that is the end.
  auto Compare = [&](ThreadState &Thread, const Bindings *Others) {
    if (!Thread.Log || Thread.Log->Calls.empty())
      return true;
    auto View = T->view(static_cast<uint32_t>(std::max(P.Rank, 0)), Thread.Index);
    if (!View) {
      Say("(thread " + std::to_string(Thread.Index) + " is not in the trace)");
      return false;
    }
    Comparison C = compareCalls(*T, View, *Thread.Log, Others);
    O.Calls += Others ? C.Calls : 0;
    Made[Thread.Index] = std::move(C.Made);
    Say(C.Difference);
    return C.Difference.empty();
  };
  if (P.Threads.size() > 1)
    for (auto &Thread : P.Threads)
      if (!Compare(*Thread, nullptr))
        return O;
  for (auto &Thread : P.Threads) {
    Bindings Others;
    for (size_t I = 0; I < Made.size(); ++I)
      if (I != Thread->Index)
        Others.insert(Made[I].begin(), Made[I].end());
    if (!Compare(*Thread, &Others))
      return O;
  }
  if (P.Threads.size() > 1)
    Say(verifyOrder(P, *T));
  return O;
}

static Outcome verifyRank(Process &P, std::span<const uint8_t> File) {
  Outcome Mine = verifyOwn(P, File);
  if (Mine.Difference[0] && P.Opts.Verify == VerifyOption::Strict)
    ExitCode = 86;
  return Mine;
}

static void tellDifference(int Rank, const Outcome &O) {
  tell(-1, "verify: DIFFERS at rank %d %.*s", Rank, static_cast<int>(sizeof O.Difference), O.Difference);
}

void reportVerification(Process &P, std::span<const uint8_t> File) {
  const Outcome Mine = verifyRank(P, File);
  const int Rank = std::max(P.Rank, 0);
  if (Mine.Difference[0])
    tellDifference(Rank, Mine);
  else
    tell(-1, "verify: %llu calls of rank %d agree", static_cast<unsigned long long>(Mine.Calls), Rank);
}

void reportVerification(Process &P, std::span<const uint8_t> File, const Gather &Collect) {
  const Outcome Mine = verifyRank(P, File);
  std::vector<Outcome> All(static_cast<size_t>(P.Rank == 0 ? P.Size : 1));
  bool Gathered = Collect(&Mine, sizeof Mine, All.data());
  if (P.Rank != 0)
    return;
  if (!Gathered) {
    tell(-1, "verify: not all ranks answered");
    return;
  }
  uint64_t Calls = 0;
  bool Same = true;
  for (int R = 0; R < P.Size; ++R) {
    const Outcome &O = All[static_cast<size_t>(R)];
    Calls += O.Calls;
    if (O.Difference[0]) {
      Same = false;
      tellDifference(R, O);
    }
  }
  if (Same)
    tell(-1, "verify: %llu calls on %d ranks agree", static_cast<unsigned long long>(Calls), P.Size);
}

} // namespace pilgrim
