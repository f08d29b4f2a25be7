//===- OwnTrace.cpp - what one rank recorded, as a trace ------------------===//
#include "finish/OwnTrace.h"
#include "platform/Program.h"
#include "pmpi/Real.h"
#include "pmpi/State.h"
#include "pmpi/Switching.h"
#include "trace/merge/HostList.h"
#include "trace/merge/Merge.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <string_view>

namespace pilgrim {

/// The time in UTC. Without the C library's calendar: that has a lock, and a signal may have interrupted its owner.
static std::string dateText() {
  using namespace std::chrono;
  const auto Now = floor<seconds>(system_clock::now());
  const auto Day = floor<days>(Now);
  const year_month_day Date(Day);
  const hh_mm_ss Time(Now - Day);
  char Text[32];
  std::snprintf(Text, sizeof Text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(Date.year()),
                static_cast<unsigned>(Date.month()), static_cast<unsigned>(Date.day()),
                static_cast<int>(Time.hours().count()), static_cast<int>(Time.minutes().count()),
                static_cast<int>(Time.seconds().count()));
  return Text;
}

void describe(Process &P, TraceData &T) {
  T.Meta["program"] = programName();
  T.Meta["tracer"] = PILGRIM_VERSION;
  T.Meta["mode"] = T.Regions.empty() ? "dynamic" : "hybrid";
  if (P.Timed) // else there are no measures, which says it
    T.Meta["timing"] = P.Opts.value("timing");
  T.Meta["mpi"] = P.Library;
  if (std::string Options = P.Opts.text(); !Options.empty())
    T.Meta["options"] = std::move(Options);
  if (P.IsVirtual)
    return; // the process is not the program's
  if (std::string Arguments = programArguments(); !Arguments.empty())
    T.Meta[std::string(ArgumentsKey)] = std::move(Arguments);
}

void becomePart(const Process &P, TraceData &T) {
  T.Meta["shard"] = "yes";
  if (!P.Run.empty())
    T.Meta[std::string(RunKey)] = P.Run;
}

void noteClock(const Process &P, TraceData &T) {
  if (!P.Clock.Points.empty())
    T.Clocks[clockId()] = P.Clock;
}

TraceData ownTrace(Process &P, bool MayRecord) {
  std::set<unsigned> Ended;
  if (P.lockWithin(10'000'000'000)) { // waits for a thread that still notes what it freed
    Ended = P.Ended;
    P.unlock();
  }
  TraceData T;
  T.World = static_cast<uint32_t>(std::max(P.Size, 1));
  uint32_t Rank = static_cast<uint32_t>(std::max(P.Rank, 0));
  T.Ranks = RankSet(Rank);
  const TwoClocks Now = readClocks();
  double Ticks = static_cast<double>(Now.Ticks - P.StartTicks);
  double Nano = static_cast<double>(Now.Nano - P.StartNano);
  P.TotalNanoPerTick = P.Timed && Ticks > 0 ? Nano / Ticks : 0;
  const Recorder::TickOrigin Origin{P.StartTicks, P.KeepsTimes ? clockId() : 0};
  P.numberThreads();
  std::vector<ThreadTurns> Turns(P.Threads.size());
  for (auto &Thread : P.Threads) {
    recordBetween(*Thread, nullptr);
    Turns[Thread->Number] = {Thread->Number, &Thread->Turns, Thread->Calls.calls(), Thread->NumOpen != 0};
    // Others may just be at a marker.
    const bool IsOver = !MayRecord && (Thread.get() == CurrentThread || Ended.contains(Thread->Index));
    Thread->Calls.finish(T, Rank, Thread->Number, P.TotalNanoPerTick, Origin,
                         IsOver ? Contexts::After::Free : Contexts::After::Keep);
  }
  if (!P.Threads.empty())
    writeTurns(Turns, T, Rank, P.Threads.front()->Calls.chunks());
  noteClock(P, T);
  P.Modules.describe(T.Meta);
  T.Meta["end"] = dateText();
  if (!P.IsVirtual) { // else the process is not the program's
    char Elapsed[32];
    std::snprintf(Elapsed, sizeof Elapsed, "%.4g", Nano / 1e9);
    T.Meta[std::string(ElapsedKey)] = Elapsed;
    T.Meta[std::string(HostsKey)] = hostList(hostName());
  }
  deriveCandidates(T);
  return T;
}

} // namespace pilgrim
