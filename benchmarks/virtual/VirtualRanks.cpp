// virtual-ranks: runs a workload for P ranks, one after the other, in this
// process. With a tracer the result is one trace of all ranks, as from a real
// run on P cores, or with --shards one for each rank; with --plain it is the number of calls per rank and function.
#include "Tracing.h"
#include "VirtualMpi.h"
#include "VirtualWorld.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

extern "C" {
#define WORKLOAD(Name) int pilgrim_workload_##Name(int Argc, char **Argv);
#include "Workloads.def"
}

namespace {

using namespace pilgrim::virtualranks;

struct Workload {
  const char *Name;
  int (*Main)(int Argc, char **Argv);
};

constexpr Workload Workloads[] = {
#define WORKLOAD(Name) {#Name, pilgrim_workload_##Name},
#include "Workloads.def"
};

struct Options {
  const Workload *Program = nullptr;
  int NumRanks = 4;
  std::string Iterations = "0", Size = "0"; // 0: the workload's own default
  std::string Output;
  bool Dynamic = false, Shards = false, Plain = false;
};

[[noreturn]] void usage(const char *Problem) {
  std::fprintf(stderr,
               "virtual-ranks: %s\n"
               "usage: virtual-ranks --workload NAME [--ranks P] [--iterations "
               "N] [--size S] (-o FILE [--dynamic] [--shards] | "
               "--plain)\n"
               "       virtual-ranks --list\n",
               Problem);
  std::exit(2);
}

const Workload *findWorkload(const char *Name) {
  for (const Workload &W : Workloads)
    if (std::strcmp(W.Name, Name) == 0)
      return &W;
  usage((std::string("no such workload: ") + Name).c_str());
}

std::string positive(const char *Name, const char *Text) {
  char *End;
  const long Value = std::strtol(Text, &End, 10);
  if (*Text == '\0' || *End != '\0' || Value <= 0 || Value > 1 << 24)
    usage((std::string(Name) + ": not a positive number: " + Text).c_str());
  return Text;
}

Options parse(int Argc, char **Argv) {
  Options O;
  for (int I = 1; I < Argc; ++I) {
    const std::string Arg = Argv[I];
    auto Value = [&]() -> const char * {
      if (I + 1 >= Argc)
        usage((Arg + " needs a value").c_str());
      return Argv[++I];
    };
    if (Arg == "--workload")
      O.Program = findWorkload(Value());
    else if (Arg == "--ranks")
      O.NumRanks = std::atoi(positive("--ranks", Value()).c_str());
    else if (Arg == "--iterations")
      O.Iterations = positive("--iterations", Value());
    else if (Arg == "--size")
      O.Size = positive("--size", Value());
    else if (Arg == "-o" || Arg == "--output")
      O.Output = Value();
    else if (Arg == "--dynamic")
      O.Dynamic = true;
    else if (Arg == "--shards")
      O.Shards = true;
    else if (Arg == "--plain")
      O.Plain = true;
    else if (Arg == "--list") {
      for (const Workload &W : Workloads)
        std::printf("%s\n", W.Name);
      std::exit(0);
    } else
      usage(("unknown option: " + Arg).c_str());
  }
  if (!O.Program)
    usage("--workload is needed");
  if (!O.Plain && O.Output.empty())
    usage("-o or --plain is needed");
  return O;
}

// Runs all ranks once. BeginRank and EndRank stand around each.
template <typename BeginT, typename EndT>
void runPass(const Options &O, VirtualWorld &World, BeginT BeginRank, EndT EndRank) {
  for (int Rank = 0; Rank < O.NumRanks; ++Rank) {
    std::string Arguments[3] = {O.Program->Name, O.Iterations, O.Size};
    char *Argv[] = {Arguments[0].data(), Arguments[1].data(), Arguments[2].data(), nullptr};
    World.beginRank(Rank);
    BeginRank(Rank);
    if (O.Program->Main(3, Argv) != 0)
      fatal("a rank failed", Rank);
    EndRank(Rank);
    World.endRank();
  }
}

void printCounts(const VirtualWorld &World, int Rank) {
  for (std::size_t F = 0; F < NumFunctions; ++F)
    if (World.counts()[F])
      std::printf("%d %s %llu\n", Rank, functionName(static_cast<Function>(F)),
                  static_cast<unsigned long long>(World.counts()[F]));
}

/// In kB; what getrusage() says may be that of the process that started this one.
long peakMemory() {
  std::FILE *Status = std::fopen("/proc/self/status", "r");
  char Line[256];
  long Peak = 0;
  while (Status && !Peak && std::fgets(Line, sizeof Line, Status))
    std::sscanf(Line, "VmHWM: %ld", &Peak);
  if (Status)
    std::fclose(Status);
  return Peak;
}

/// Seconds of CPU, which other work on the machine does not change.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

} // namespace

int main(int Argc, char **Argv) {
  const Options O = parse(Argc, Argv);
  VirtualWorld World(O.NumRanks);
  setCurrentWorld(&World);

  // Until all splits are known and agree: see SplitSurvey.h.
  const double Start = now();
  int Passes = 0;
  auto Nothing = [](int) {};
  do
    runPass(O, World, Nothing, Nothing);
  while (++Passes, !World.endPass());
  const double Surveyed = now();

  std::unique_ptr<Tracing> Tracer;
  if (!O.Plain) {
    Tracer = makeTracing({O.Program->Name, O.Output, O.NumRanks, O.Dynamic, O.Shards});
    if (!Tracer) {
      std::fprintf(stderr, "virtual-ranks: no tracer is built in: use --plain\n");
      return 2;
    }
  }
  std::uint64_t Calls = 0;
  runPass(
      O, World,
      [&](int Rank) {
        if (Tracer)
          Tracer->beginRank(Rank);
      },
      [&](int Rank) {
        if (Tracer)
          Tracer->endRank();
        for (std::uint64_t Count : World.counts())
          Calls += Count;
        if (O.Plain)
          printCounts(World, Rank);
      });
  if (!World.endPass())
    fatal("the ranks split communicators differently from one pass to the next");
  const bool Written = !Tracer || Tracer->finish();
  // Ranks are merged as they end; that is not part of the run here.
  const double Merging = Tracer ? Tracer->mergeSeconds() : 0;
  std::fprintf(stderr,
               "virtual-ranks: %s on %d ranks, %llu calls came to MPI; survey %.3f s (%d "
               "passes), run %.3f s, merge %.3f s, %ld kB\n",
               O.Program->Name, O.NumRanks, static_cast<unsigned long long>(Calls), Surveyed - Start, Passes,
               now() - Surveyed - Merging, Merging, peakMemory());
  setCurrentWorld(nullptr);
  return Written ? 0 : 1;
}
