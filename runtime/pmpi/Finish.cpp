//===- Finish.cpp - one trace for all ranks -------------------------------===//
//
// Pairwise merge in log2 P rounds over a communicator made for it. Everything is nonblocking with one deadline: when it
// passes (a rank is gone, or was never traced), every rank writes its own shard and the program goes on. So it does at
// once where a rank has run out of memory.
//
//===----------------------------------------------------------------------===//
#include "pmpi/Finish.h"
#include "memory/Reserve.h"
#include "pmpi/Output.h"
#include "pmpi/Real.h"
#include "pmpi/State.h"
#include "pmpi/Wrap.h"
#include "trace/file/Format.h"
#include "trace/merge/Merge.h"
#include "trace/read/Untraced.h"
#include "verify/Verify.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <new>
#include <sched.h>
#include <string_view>

namespace pilgrim {

using memory::tryInMemory;

void describe(Process &P, TraceData &T) {
  T.Meta["program"] = programName();
  T.Meta["tracer"] = PILGRIM_VERSION;
  T.Meta["mode"] = T.Regions.empty() ? "dynamic" : "hybrid";
  T.Meta["timing"] = P.Timed ? "mean" : "off";
  char Library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int Length = 0;
  if (Real.MPI_Get_library_version)
    Real.MPI_Get_library_version(Library, &Length);
  std::string_view First(Library, static_cast<size_t>(std::max(Length, 0)));
  std::string &Mpi = T.Meta["mpi"] = std::string(First.substr(0, First.find('\n')));
  std::replace(Mpi.begin(), Mpi.end(), '\t', ' ');
  std::time_t Now = std::time(nullptr);
  std::tm Parts;
  char Date[32];
  std::strftime(Date, sizeof Date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&Now, &Parts));
  T.Meta["end"] = Date;
  T.Meta["options"] = P.Opts.text();
}

TraceData ownTrace(Process &P) {
  P.lock(); // waits for a thread that still notes what it freed
  P.unlock();
  TraceData T;
  T.World = static_cast<uint32_t>(std::max(P.Size, 1));
  uint32_t Rank = static_cast<uint32_t>(std::max(P.Rank, 0));
  T.Ranks = RankSet(Rank);
  double Ticks = static_cast<double>(ticks() - P.StartTicks);
  double Nano = static_cast<double>(nanoseconds() - P.StartNano);
  std::vector<ThreadTurns> Turns;
  for (auto &Thread : P.Threads) {
    recordBetween(*Thread, nullptr);
    Turns.push_back({Thread->Index, &Thread->Turns, Thread->Calls.calls()});
    Thread->Calls.finish(T, Rank, Thread->Index, P.Timed && Ticks > 0 ? Nano / Ticks : 0);
  }
  writeTurns(Turns, T, Rank);
  P.Modules.describe(T.Meta);
  deriveCandidates(T);
  return T;
}

namespace {
/// Nonblocking operations on a private communicator with one deadline for all of them. What they send and receive lies
/// in this object: an operation that was given up is still under way, so then the object must be left where it is.
class Party {
public:
  Party(Process &P, double Seconds) : P(P), Seconds(Seconds) { setDeadline(); }

  bool gather() {
    // Errors in this are ours to see; those of the program's attribute callbacks, later in MPI_Finalize, are its own.
    MPI_Errhandler Theirs;
    if (Real.MPI_Comm_get_errhandler(MPI_COMM_WORLD, &Theirs) != MPI_SUCCESS)
      return false;
    Real.MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Request R;
    bool There = Real.MPI_Comm_idup(MPI_COMM_WORLD, &Comm, &R) == MPI_SUCCESS && wait(R);
    Real.MPI_Comm_set_errhandler(MPI_COMM_WORLD, Theirs);
    Real.MPI_Errhandler_free(&Theirs);
    if (There)
      Real.MPI_Comm_set_errhandler(Comm, MPI_ERRORS_RETURN);
    return There;
  }
  void leave() { Real.MPI_Comm_free(&Comm); }
  /// Lowest is the first rank that has no trace to join, or the number of ranks.
  bool agree(bool IsFine, int &Lowest) {
    int *Both = Ranks; // mine, another's
    Both[0] = IsFine ? P.Size : P.Rank;
    int Step = 1;
    for (; Step < P.Size && !(P.Rank & Step); Step *= 2)
      if (P.Rank + Step < P.Size) {
        if (!get(&Both[1], sizeof(int), P.Rank + Step))
          return false;
        Both[0] = std::min(Both[0], Both[1]);
      }
    if (P.Rank != 0 && (!put(&Both[0], sizeof(int), P.Rank - Step) || !get(&Both[0], sizeof(int), P.Rank - Step)))
      return false;
    while (Step /= 2)
      if (P.Rank + Step < P.Size && !put(&Both[0], sizeof(int), P.Rank + Step))
        return false;
    Lowest = Both[0];
    return true;
  }
  /// Sends Data. Its bytes leave only when the receive for them is there: with MPICH, MPI_Finalize waits for a large
  /// send that was given up, and so for ever if nobody receives it.
  bool send(int To) {
    Size = Data.size();
    if (!put(&Size, sizeof Size, To))
      return false;
    for (uint64_t At = 0; At < Size; At += Chunk)
      if (!get(&Go, 1, To) || !put(Data.data() + At, std::min(Chunk, Size - At), To))
        return false;
    return true;
  }
  /// Receives into Data.
  bool receive(int From) {
    if (!get(&Size, sizeof Size, From) || !resize())
      return false;
    for (uint64_t At = 0; At < Size; At += Chunk) {
      MPI_Request R;
      int N = static_cast<int>(std::min(Chunk, Size - At));
      if (Real.MPI_Irecv(Data.data() + At, N, MPI_BYTE, From, 1, Comm, &R) != MPI_SUCCESS || !put(&Go, 1, From) ||
          !wait(R)) {
        IsLeftBehind = true;
        return false;
      }
    }
    return true;
  }
  /// Rank 0's Data to all, back along the way that the traces came.
  bool broadcast() {
    int Step = 1;
    while (Step < P.Size && !(P.Rank & Step))
      Step *= 2;
    if (P.Rank != 0 && !receive(P.Rank - Step))
      return false;
    while (Step /= 2)
      if (P.Rank + Step < P.Size && !send(P.Rank + Step))
        return false;
    return true;
  }
  /// Everybody's bytes to rank 0, in a time of its own.
  bool collect(const void *Mine, int Bytes, void *All) {
    setDeadline();
    auto *Bytewise = static_cast<const uint8_t *>(Mine);
    size_t N = static_cast<size_t>(Bytes);
    Data.assign(Bytewise, Bytewise + N);
    if (P.Rank != 0)
      return send(0);
    auto *Out = static_cast<uint8_t *>(All);
    std::copy_n(Bytewise, N, Out);
    for (int R = 1; R < P.Size; ++R) {
      if (!receive(R) || Data.size() != N)
        return false;
      std::copy_n(Data.data(), N, Out + N * static_cast<size_t>(R));
    }
    return true;
  }
  /// Makes Data empty when memory ran out while it changed.
  void giveNothing() {
    new (&Data) std::vector<uint8_t>;
    IsLeftBehind = true;
  }
  /// What is sent, or was received last.
  std::vector<uint8_t> Data;
  /// An operation was given up.
  bool IsLeftBehind = false;

private:
  static constexpr uint64_t Chunk = uint64_t(1) << 30;
  bool resize() {
    return tryInMemory([&] { Data.resize(Size); }) || !(IsLeftBehind = true);
  }
  bool put(void *Bytes, uint64_t Count, int To) {
    MPI_Request R;
    return Real.MPI_Isend(Bytes, static_cast<int>(Count), MPI_BYTE, To, 1, Comm, &R) == MPI_SUCCESS && wait(R);
  }
  bool get(void *Bytes, uint64_t Count, int From) {
    MPI_Request R;
    return Real.MPI_Irecv(Bytes, static_cast<int>(Count), MPI_BYTE, From, 1, Comm, &R) == MPI_SUCCESS && wait(R);
  }
  bool wait(MPI_Request R) {
    for (int Done = 0;;) {
      if (Real.MPI_Test(&R, &Done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        break;
      if (Done)
        return true;
      if (nanoseconds() > Deadline)
        break;
      sched_yield();
    }
    // It cannot be ended: collectives must not be cancelled, and to cancel the others is no help against what follows.
    IsLeftBehind = true;
    return false;
  }
  void setDeadline() { Deadline = nanoseconds() + static_cast<uint64_t>(Seconds * 1e9); }
  Process &P;
  double Seconds;
  uint64_t Deadline, Size = 0;
  char Go = 0;
  MPI_Comm Comm = MPI_COMM_NULL;
  int Ranks[2];
};

/// What joining the traces takes; left where it is if it fails, see Party and tryInMemory().
struct Finish {
  Finish(Process &P, double Seconds) : All(P, Seconds) {}
  Party All;
  TraceData Own, Joined;
};

enum class Outcome { Joined, Failed, Silence };
} // namespace

/// Merges towards rank 0. A rank that fails says so to the next one, with nothing instead of a trace.
static Outcome mergeRanks(Process &P, Finish &F) {
  bool Good = tryInMemory([&] { F.Joined = F.Own; });
  for (int Step = 1; Step < P.Size; Step *= 2) {
    if (P.Rank & Step) {
      Good = Good && tryInMemory([&] { F.All.Data = writeTrace(F.Joined, {.Level = 0}); });
      if (!Good)
        F.All.giveNothing();
      if (!F.All.send(P.Rank - Step))
        return Outcome::Silence;
      break;
    }
    if (P.Rank + Step >= P.Size)
      continue;
    if (!F.All.receive(P.Rank + Step))
      return Outcome::Silence;
    if (!Good || F.All.Data.empty()) {
      Good = false;
      continue;
    }
    Good = tryInMemory([&] {
             auto Other = readTrace(F.All.Data);
             if (Other)
               merge(F.Joined, std::move(*Other));
             else
               tell(-1, "rank %d: what rank %d sent is %s", P.Rank, P.Rank + Step, Other.error().What.c_str());
             Good = Other.has_value();
           }) &&
           Good;
  }
  return Good ? Outcome::Joined : Outcome::Failed;
}

static void summary(const TraceData &T, const std::string &Path, size_t Bytes, double Seconds) {
  size_t Signatures = 0, Rules = 0;
  for (const Group &G : T.Groups) {
    Signatures += G.table(TableId::Signatures).size();
    G.forEachEvent([&](const NodeData &, uint32_t, const EventData &E) {
      for (const RankedItems &I : E.Items)
        Rules += I.Order.Rules.size();
    });
  }
  tell(0, "%s: %llu ranks, %s, %zu bytes, %zu signatures, %zu rules, %.3f s", Path.c_str(),
       static_cast<unsigned long long>(T.Ranks.size()), countText(T).c_str(), Bytes, Signatures, Rules, Seconds);
}

static void shard(Process &P, TraceData &Own, const char *Why) {
  bool Good = tryInMemory([&] {
    describe(P, Own);
    Own.Meta["shard"] = "yes";
    chooseCandidates(Own);
    OutputFile File(P);
    auto Bytes = writeTrace(Own);
    if (!File.writeShard(Bytes, std::max(P.Rank, 0)))
      tell(-1, "%s; %s", Why, File.Error.c_str());
    else
      tell(0, "%s: its %s are in %s", Why, countText(Own).c_str(), File.Path.c_str());
    if (P.Opts.Verify != VerifyOption::Off)
      reportVerification(P, Bytes);
  });
  if (!Good)
    tell(-1, "%s; out of memory for writing its calls", Why);
}

void writeShard(Process &P, const char *Why) {
  // The process ends: nothing is gained by freeing it, or lost if that is not possible.
  auto *Own = new TraceData;
  if (!tryInMemory([&] { *Own = ownTrace(P); }))
    return tell(-1, "%s; out of memory for writing its calls", Why);
  if (!Own->Groups.empty())
    shard(P, *Own, Why);
}

/// MPICH's transport tells of each operation that MPI_Finalize finds under way, and of what came in unasked: on the
/// standard output, where nothing of ours belongs.
static void hushTransport() {
  using Handler = int (*)(const char *File, unsigned Line, const char *Function, int Level, const void *Component,
                          const char *Format, va_list Args);
  auto *Push = reinterpret_cast<void (*)(Handler)>(dlsym(RTLD_DEFAULT, "ucs_log_push_handler"));
  if (!Push)
    return;
  Push([](const char *File, unsigned, const char *, int Level, const void *, const char *, va_list) {
    constexpr int Stop = 0, Continue = 1, Warning = 2;
    const char *Slash = std::strrchr(File, '/');
    std::string_view Base = Slash ? Slash + 1 : File;
    return Level == Warning && (Base == "mpool.c" || Base == "tag_match.c") ? Stop : Continue;
  });
}

static double limitOf(const Process &P) {
  return P.Opts.FinalizeLimit >= 0 ? P.Opts.FinalizeLimit : 60 + P.Size * 0.001;
}

/// Rank 0, with everything joined. What is to be broadcast is left in All.Data: the trace, or something instead of it.
static bool writeJoined(Process &P, Finish &F, uint64_t Begin) {
  return tryInMemory([&] {
    describe(P, F.Joined);
    chooseCandidates(F.Joined);
    F.All.Data = writeTrace(F.Joined);
    OutputFile File(P);
    if (File.write(F.All.Data))
      summary(F.Joined, File.Path, F.All.Data.size(), static_cast<double>(nanoseconds() - Begin) * 1e-9);
    else
      tell(-1, "%s; the trace is lost", File.Error.c_str());
    if (P.Opts.Verify == VerifyOption::Off)
      F.All.Data.assign(1, 1);
  });
}

/// Empty if there is a trace, or it is said why not; else why this rank writes its shard.
static std::string join(Process &P, Finish &F, bool HasOwn, uint64_t Begin) {
  char Late[64];
  std::snprintf(Late, sizeof Late, "not all ranks answered within %g s", limitOf(P));
  int Missing = HasOwn ? P.Size : P.Rank;
  if (P.Size > 1 && (!F.All.gather() || !F.All.agree(HasOwn, Missing)))
    return Late;
  if (Missing < P.Size)
    return "rank " + std::to_string(Missing) + " has no trace to join";
  Outcome O = mergeRanks(P, F);
  if (O == Outcome::Silence)
    return Late;
  // Whoever sent its part still waits for rank 0's word that it has arrived: nothing, if it has not.
  if (P.Rank == 0) {
    if (O == Outcome::Failed || !writeJoined(P, F, Begin))
      F.All.giveNothing();
  }
  bool IsWritten = P.Rank == 0 && !F.All.Data.empty();
  if (P.Size > 1 && !F.All.broadcast())
    return IsWritten ? "" : Late;
  if (F.All.Data.empty())
    return "there is not enough memory to join the traces";
  if (P.Opts.Verify != VerifyOption::Off)
    reportVerification(P, std::vector<uint8_t>(F.All.Data), [&](const void *Mine, int Bytes, void *Everyone) {
      if (P.Size > 1)
        return F.All.collect(Mine, Bytes, Everyone);
      std::memcpy(Everyone, Mine, static_cast<size_t>(Bytes));
      return true;
    });
  return "";
}

void finishRun(Process &P) {
  uint64_t Begin = nanoseconds();
  P.trace(false);
  auto *F = new Finish(P, limitOf(P));
  bool HasOwn = tryInMemory([&] { F->Own = ownTrace(P); });
  std::string Why = join(P, *F, HasOwn, Begin);
  if (Why.empty() && !F->All.IsLeftBehind) {
    if (P.Size > 1)
      F->All.leave();
    delete F;
    return;
  }
  if (F->All.IsLeftBehind)
    hushTransport();
  if (!HasOwn)
    tell(-1, "rank %d: out of memory for writing its calls", P.Rank);
  else if (!Why.empty())
    shard(P, F->Own, ("rank " + std::to_string(P.Rank) + ": " + Why).c_str());
}

void declineRun(Process &P) {
  auto *F = new Finish(P, limitOf(P));
  int Missing;
  if (P.Size > 1 && F->All.gather() && F->All.agree(false, Missing))
    F->All.leave();
  if (F->All.IsLeftBehind)
    hushTransport();
}

} // namespace pilgrim
