//===- Tracing.h - Where a tracer listens to virtual ranks ------*- C++ -*-===//
//
// The seam between virtual-ranks and a tracer. Which one is linked in decides
// what makeTracing() gives: with NoTracing.cpp nothing, and then the workloads'
// MPI_X are the virtual PMPI_X themselves.
//
//===----------------------------------------------------------------------===//

#ifndef PILGRIM_BENCHMARKS_TRACING_H
#define PILGRIM_BENCHMARKS_TRACING_H

#include <memory>
#include <string>

namespace pilgrim::virtualranks {

struct TracingOptions {
  std::string Program; // the workload's name
  std::string Output;
  int NumRanks = 0;
  bool Dynamic = false; // ignore the program's structure
  bool Shards = false;  // each rank its own file, Output.shard.RANK, as an interrupted run leaves them
};

/// Between makeTracing() and finish(), calls are traced from beginRank() to
/// endRank(); outside of that they must go through untouched. Ranks come in
/// ascending order, each once.
class Tracing {
public:
  virtual ~Tracing() = default;
  virtual void beginRank(int Rank) = 0;
  virtual void endRank() = 0;
  /// Merges what is left to merge and writes; false after having said why not.
  virtual bool finish() = 0;
  /// Seconds of CPU that merging took so far: ranks are merged as they end.
  virtual double mergeSeconds() const = 0;
};

/// Null where no tracer is built in.
std::unique_ptr<Tracing> makeTracing(const TracingOptions &Options);

} // namespace pilgrim::virtualranks

#endif // PILGRIM_BENCHMARKS_TRACING_H
