//===- Verify.cpp - does the trace decode to what happened? ---------------===//
#include "verify/Verify.h"
#include "platform/Tell.h"
#include "trace/read/RankCursor.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace pilgrim {

namespace {
/// Whether threads' calls stand in the order of the turns in which they were made. Returns the first call that does
/// not, or nothing.
std::string verifyOrder(const VerifiedRank &R, const Trace &T) {
  const auto Rank = static_cast<uint32_t>(R.Rank);
  const auto Threads = T.threads(Rank);
  RankCursor Cursor(T, Rank, Threads);
  std::vector<size_t> At(R.Threads.size());
  uint64_t Turn = 0;
  uint32_t Whose = 0;
  for (Call C; Cursor.next(C);) {
    if (!isCall(*C.Function))
      continue;
    const uint32_t Thread = C.View->thread();
    const auto &Copies = R.Threads[Thread]->Calls;
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
  std::vector<Bindings> Made(R.Threads.size());
  // Returns false if a difference was found.
  auto Compare = [&](uint32_t Thread, const Bindings *Others) {
    const CallLog *Log = R.Threads[Thread];
    if (!Log || Log->Calls.empty())
      return true;
    auto View = T->view(static_cast<uint32_t>(R.Rank), Thread);
    if (!View) {
      Say("(thread " + std::to_string(Thread) + " is not in the trace)");
      return false;
    }
    Comparison C = compareCalls(*T, View, *Log, R.Mpi, Others);
    O.Calls += Others ? C.Calls : 0;
    Made[Thread] = std::move(C.Made);
    Say(C.Difference);
    return C.Difference.empty();
  };
  const auto Threads = static_cast<uint32_t>(R.Threads.size());
  if (Threads > 1)
    for (uint32_t Thread = 0; Thread < Threads; ++Thread)
      if (!Compare(Thread, nullptr))
        return O;
  for (uint32_t Thread = 0; Thread < Threads; ++Thread) {
    Bindings Others;
    for (uint32_t I = 0; I < Threads; ++I)
      if (I != Thread)
        Others.insert(Made[I].begin(), Made[I].end());
    if (!Compare(Thread, &Others))
      return O;
  }
  if (Threads > 1)
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
