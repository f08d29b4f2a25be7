//===- OwnTrace.cpp - what one rank recorded, as a trace ------------------===//
#include "finish/OwnTrace.h"
#include "platform/Program.h"
#include "pmpi/Real.h"
#include "pmpi/State.h"
#include "pmpi/Switching.h"
#include "trace/merge/HostList.h"
#include "trace/merge/Merge.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string_view>

namespace pilgrim {

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
  if (P.IsVirtual)
    return; // the process is not the program's
  char Elapsed[32];
  std::snprintf(Elapsed, sizeof Elapsed, "%.4g", static_cast<double>(nanoseconds() - P.StartNano) / 1e9);
  T.Meta[std::string(ElapsedKey)] = Elapsed;
  if (std::string Arguments = programArguments(); !Arguments.empty())
    T.Meta[std::string(ArgumentsKey)] = std::move(Arguments);
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
  if (!P.IsVirtual)
    T.Meta[std::string(HostsKey)] = hostList(hostName());
  deriveCandidates(T);
  return T;
}

} // namespace pilgrim
