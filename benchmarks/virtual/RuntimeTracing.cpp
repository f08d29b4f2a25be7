//===- RuntimeTracing.cpp - The runtime traces virtual ranks --------------===//
//
// The wrappers of the real runtime record the calls of one rank after the
// other, each into a Process of its own. Traces are merged as ranks end, in the
// same pairs as real ranks are: 0 with 1, 2 with 3, then 01 with 23.
//
//===----------------------------------------------------------------------===//
#include "Tracing.h"
#include "VirtualMpi.h"

#include "finish/OwnTrace.h"
#include "memory/Segments.h"
#include "pmpi/Freed.h"
#include "pmpi/Real.h"
#include "pmpi/State.h"
#include "trace/file/Format.h"
#include "trace/merge/Merge.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

using namespace pilgrim;

/// Before anything is traced, wrappers must already lead to the virtual MPI.
__attribute__((constructor)) static void resolve() {
  watchFrees();
  memory::enable();
  resolveRealFunctions(virtualranks::virtualMpiLookup);
  setCurrentProcess(nullptr);
}

namespace {
class RuntimeTracing final : public virtualranks::Tracing {
public:
  explicit RuntimeTracing(const virtualranks::TracingOptions &O) : O(O) {}

  void beginRank(int R) override {
    Rank = R;
    P = std::make_unique<Process>();
    P->IsVirtual = true;
    P->Timed = false;
    P->Finish = [](Process &Q) { Q.trace(false); };
    P->trace(true);
    setCurrentProcess(P.get());
  }

  void endRank() override {
    P->trace(false);
    TraceData T = ownTrace(*P, false);
    describe(*P, T);
    setCurrentProcess(nullptr);
    P.reset();
    if (O.Shards) {
      T.Meta["program"] = O.Program;
      T.Meta["shard"] = "yes";
      Good = write(O.Output + ".shard." + std::to_string(Rank), T) && Good;
      return;
    }
    Stopwatch Merging(Seconds);
    // A binary counter: Merged[I] holds 2^I ranks or nothing.
    size_t I = 0;
    for (; I < Merged.size() && Merged[I]; ++I) {
      merge(*Merged[I], std::move(T));
      T = std::move(*Merged[I]);
      Merged[I].reset();
    }
    if (I == Merged.size())
      Merged.emplace_back();
    Merged[I] = std::make_unique<TraceData>(std::move(T));
  }

  bool finish() override {
    if (O.Shards)
      return Good;
    Stopwatch Merging(Seconds);
    std::unique_ptr<TraceData> T;
    for (auto &Part : Merged) {
      if (!Part)
        continue;
      if (T) {
        merge(*Part, std::move(*T));
      }
      T = std::move(Part);
    }
    if (!T)
      return false;
    T->Meta["program"] = O.Program;
    return write(O.Output, *T);
  }

  double mergeSeconds() const override { return Seconds; }

private:
  /// Of CPU time, which other work on the machine does not change.
  struct Stopwatch {
    explicit Stopwatch(double &Sum) : Sum(Sum) {}
    ~Stopwatch() { Sum += static_cast<double>(std::clock() - Start) / CLOCKS_PER_SEC; }
    double &Sum;
    std::clock_t Start = std::clock();
  };
  /// False after having said why not.
  static bool write(const std::string &Path, TraceData &T) {
    chooseCandidates(T);
    auto Bytes = writeTrace(T);
    FILE *F = std::fopen(Path.c_str(), "wb");
    bool Good = F && std::fwrite(Bytes.data(), 1, Bytes.size(), F) == Bytes.size();
    Good = F && std::fclose(F) == 0 && Good;
    if (!Good)
      std::fprintf(stderr, "virtual-ranks: %s: %s\n", Path.c_str(), std::strerror(errno));
    return Good;
  }

  double Seconds = 0;
  int Rank = 0;
  bool Good = true; ///< all shards so far are written
  virtualranks::TracingOptions O;
  std::unique_ptr<Process> P;
  std::vector<std::unique_ptr<TraceData>> Merged;
};
} // namespace

std::unique_ptr<virtualranks::Tracing> virtualranks::makeTracing(const TracingOptions &O) {
  return std::make_unique<RuntimeTracing>(O);
}
