//===- Replay.cpp - replays one rank of a trace ---------------------------===//
#include "proxygen/replay/Replay.h"
#include "driver/Input.h"
#include "driver/Launcher.h"
#include "proxygen/Replayable.h"
#include "proxygen/replay/Player.h"
#include "proxygen/replay/Untraced.h"
#include "trace/base/Counted.h"

#include <alloca.h>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pilgrim {

namespace {
/// For a thread's own frames, libraries' included.
constexpr size_t OwnStack = size_t(8) << 20;

class RankReplay {
public:
  RankReplay(const ReplayOptions &O, const Trace &T, uint32_t Rank, const Footprint &Uses)
      : O(O), T(T), Rank(Rank), State(T, Rank, Uses), Turns(T, Rank),
        Shared{State, Turns, {O.Pace != "none", O.speed()}, [this] { beforeFinalize(); }} {
    State.Objects.expectThreads(T.threads(Rank).size() > 1);
    State.Buffers.expectThreads(T.threads(Rank).size() > 1);
  }

  int run(int Argc, char **Argv);

private:
  struct Thread {
    RankReplay *Of;
    std::unique_ptr<Player> Calls;
    uint32_t Number;
    size_t Stack;
    pthread_t Handle{};
  };
  static void play(Thread &X);
  bool goToFiles();
  std::vector<double> own() const;
  void beforeFinalize();
  /// All: what own() gives, of all ranks, or of this one.
  void report(const std::vector<double> &All);

  const ReplayOptions &O;
  const Trace &T;
  const bool HasOwnTimes = O.Pace != "mean" && hasOwnTimes(T); ///< calls have times of their own, not means
  uint32_t Rank;
  bool IsReported = false;
  ReplayState State;
  Order Turns;
  Replayed Shared;
  std::vector<std::unique_ptr<Thread>> Threads;
  std::latch AreMade{1}; ///< all calls; until then threads live, so that each has its own number in a trace
  char Folder[PATH_MAX] = "";
};

/// The thread's buffers on the stack are in this frame.
[[gnu::noinline]] void RankReplay::play(Thread &X) {
  char *Room = static_cast<char *>(alloca(X.Stack + Memory::StackAlignment));
  X.Of->State.Buffers.setStack(MemoryPiece::stackOf(X.Number), Room);
  if (X.Calls->run())
    return;
  std::fprintf(stderr, "pilgrim: rank %u: %s\n", X.Of->Rank, X.Calls->error().c_str());
  std::fflush(stderr);
  int IsUp = 0, IsOver = 0;
  PILGRIM_UNTRACED(PMPI_Initialized)(&IsUp);
  PILGRIM_UNTRACED(PMPI_Finalized)(&IsOver);
  if (IsUp && !IsOver)
    PILGRIM_UNTRACED(PMPI_Abort)(MPI_COMM_WORLD, 2);
  std::_Exit(2);
}

/// Relative paths of files mean the scratch folder.
bool RankReplay::goToFiles() {
  bool Opens = false;
  for (const auto &[Id, F] : T.functions())
    for (const ParamSchema &P : F.Slots)
      Opens |= P.Name == "filename";
  if (!Opens || O.Files == "recorded")
    return true;
  const std::string To = O.Files.empty() ? O.File + ".files" : O.Files;
  char *Real = nullptr;
  if (!::getcwd(Folder, sizeof Folder) || (::mkdir(To.c_str(), 0777) != 0 && errno != EEXIST) ||
      !(Real = ::realpath(To.c_str(), nullptr)) || ::chdir(Real) != 0) {
    std::fprintf(stderr, "pilgrim: --files %s: %s\n", To.c_str(), std::strerror(errno));
    return false;
  }
  State.Files = Real;
  std::free(Real);
  return true;
}

int RankReplay::run(int Argc, char **Argv) {
  State.Argc = Argc;
  State.Argv = Argv;
  if (!goToFiles())
    return 2;
  for (uint32_t Number : T.threads(Rank)) {
    auto X = std::make_unique<Thread>(this, nullptr, Number, State.Buffers.stackBytes(MemoryPiece::stackOf(Number)));
    const auto View = T.view(Rank, Number);
    X->Calls = std::make_unique<Player>(Shared, HasOwnTimes ? Trace::timedCalls(View) : Trace::calls(View));
    Threads.push_back(std::move(X));
  }
  if (Threads.empty())
    return 0;
  const size_t ForOthers = State.Buffers.stackBytes(MemoryPiece::mainStack()) + Memory::StackAlignment;
  rlimit Limit;
  const rlim_t Needs = Threads[0]->Stack + ForOthers + OwnStack;
  if (::getrlimit(RLIMIT_STACK, &Limit) == 0 && Limit.rlim_cur < Needs) {
    Limit.rlim_cur = std::min<rlim_t>(Needs, Limit.rlim_max);
    ::setrlimit(RLIMIT_STACK, &Limit);
  }
  State.Buffers.setStack(MemoryPiece::mainStack(), static_cast<char *>(alloca(ForOthers)));
  // The first thread that called MPI is usually the main one.
  for (size_t I = 1; I < Threads.size(); ++I) {
    pthread_attr_t Attributes;
    pthread_attr_init(&Attributes);
    pthread_attr_setstacksize(&Attributes, (Threads[I]->Stack + OwnStack + 4095) & ~size_t(4095));
    auto Start = [](void *X) -> void * {
      play(*static_cast<Thread *>(X));
      static_cast<Thread *>(X)->Of->AreMade.wait();
      return nullptr;
    };
    if (int Why = pthread_create(&Threads[I]->Handle, &Attributes, Start, Threads[I].get())) {
      std::fprintf(stderr, "pilgrim: rank %u: no thread: %s\n", Rank, std::strerror(Why));
      std::_Exit(2);
    }
    pthread_attr_destroy(&Attributes);
  }
  play(*Threads[0]);
  AreMade.count_down();
  for (size_t I = 1; I < Threads.size(); ++I)
    pthread_join(Threads[I]->Handle, nullptr);
  // Sessions alone have no communicator of all ranks, nor a last call.
  if (!IsReported && Shared.Calls)
    report(own());
  return 0;
}

/// What this rank reports: seconds as recorded and now, calls, those with other results, and those left out.
std::vector<double> RankReplay::own() const {
  double Recorded = 0, Now = 0;
  for (const auto &X : Threads) {
    Recorded = std::max(Recorded, X->Calls->recorded());
    Now = std::max(Now, X->Calls->now());
  }
  return {Recorded, Now, static_cast<double>(Shared.Calls), static_cast<double>(Shared.OtherResults),
          static_cast<double>(Shared.LeftOut)};
}

void RankReplay::beforeFinalize() {
  State.OfOthers.unshare();
  // A tracer, if there is one, writes its trace where the replay was started.
  if (*Folder && ::chdir(Folder) != 0)
    std::perror("pilgrim: chdir");
  IsReported = true;
  std::vector<double> Own = own();
  ++Own[2]; // the MPI_Finalize that follows
  const auto Fields = static_cast<int>(Own.size());
  std::vector<double> All(Rank == 0 ? T.world() * Own.size() : 0);
  if (PILGRIM_UNTRACED(PMPI_Gather)(Own.data(), Fields, MPI_DOUBLE, All.data(), Fields, MPI_DOUBLE, 0,
                                    MPI_COMM_WORLD) == MPI_SUCCESS &&
      Rank == 0)
    report(All);
}

void RankReplay::report(const std::vector<double> &All) {
  constexpr size_t Fields = 5, MostRows = 64;
  double Recorded = 0, Now = 0, Calls = 0, Other = 0, LeftOut = 0;
  const size_t Ranks = All.size() / Fields;
  for (size_t R = 0; R < Ranks; ++R) {
    const double *Of = &All[R * Fields];
    Recorded = std::max(Recorded, Of[0]);
    Now = std::max(Now, Of[1]);
    Calls += Of[2];
    Other += Of[3];
    LeftOut += Of[4];
  }
  // Without times of single calls, times are sums of means over ranks.
  const bool IsTimed = Recorded > 0, IsMean = !HasOwnTimes;
  // In one piece: the launcher joins what ranks print for themselves.
  std::string Line = Ranks < T.world() ? "rank " + std::to_string(Rank) + ": " : "";
  char Part[128];
  std::snprintf(Part, sizeof Part, " in %.6f s", Now);
  Line += "replayed " + counted(static_cast<uint64_t>(Calls), "call") + " on " + counted(Ranks, "rank") + Part;
  std::snprintf(Part, sizeof Part, "; the recorded run took %s%.6f s", IsMean ? "~" : "", Recorded);
  Line += IsTimed ? std::string(Part) + "\n" : "\n";
  std::fwrite(Line.data(), 1, Line.size(), stdout);
  if (Ranks <= MostRows && Ranks == T.world() && IsTimed) {
    std::printf("  rank  %s  replayed [s]\n", IsMean ? "    mean [s]" : "recorded [s]");
    for (size_t R = 0; R < Ranks; ++R)
      std::printf("%6zu %13.6f %13.6f\n", R, All[R * Fields], All[R * Fields + 1]);
  }
  std::fflush(stdout);
  if (Other > 0)
    std::fprintf(stderr, "pilgrim: %s succeeded that had failed, or failed that had succeeded\n",
                 counted(static_cast<uint64_t>(Other), "call").c_str());
  if (LeftOut > 0)
    std::fprintf(stderr, "pilgrim: %s of callbacks %s left out: MPI did not make the callbacks\n",
                 counted(static_cast<uint64_t>(LeftOut), "call").c_str(), LeftOut > 1 ? "were" : "was");
}
} // namespace

int replay(const ReplayOptions &O, int Argc, char **Argv) {
  auto Refuse = [&](const std::string &What) {
    sayOnce(O.File + ": " + What);
    return 2;
  };
  auto T = readSound(O.File);
  if (!T)
    return Refuse(T.error().What);
  if (auto Why = whyNotReplayable(*T); !Why.empty())
    return Refuse(Why);
  auto Rank = launchedRank(), Ranks = launchedRanks();
  if (!Rank && T->world() == 1)
    Rank = 0;
  if (Ranks.value_or(Rank ? T->world() : 1) != T->world())
    return Refuse("a run of " + counted(T->world(), "rank") + ": start it with mpiexec -n " +
                  std::to_string(T->world()));
  if (!Rank || *Rank >= T->world())
    return Refuse("the launcher does not tell the rank (PMI_RANK, PMIX_RANK and others are not set)");
  if (O.Pace == "mean" && !isTimed(*T))
    return Refuse("no times in this trace (timing=off): --pace mean has nothing to go by");
  if (O.Pace == "recorded" && !hasOwnTimes(*T))
    return Refuse("no times of single calls in this trace: --pace recorded needs one taken with --timing calls");
  // All ranks say so, or none.
  if (auto Why = Footprint::whyNot(*T); !Why.empty())
    return Refuse(Why);
  auto Uses = Footprint::of(*T, *Rank);
  if (!Uses)
    return Refuse(Uses.error());
  if (auto Why = Memory::check(*Uses))
    return Refuse("rank " + std::to_string(*Rank) + ": " + *Why);
  RankReplay Run(O, *T, *Rank, *Uses);
  return Run.run(Argc, Argv);
}

} // namespace pilgrim
