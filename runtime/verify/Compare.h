//===- Compare.h - one thread's calls and their plain copies -----*- C++ -*-===//
#ifndef PILGRIM_VERIFY_COMPARE_H
#define PILGRIM_VERIFY_COMPARE_H

#include "trace/read/Reader.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace pilgrim {

class CallLog;
class Names;
class TrueTotals;

/// What the comparison has to know of the MPI library and of the run. Who calls it fills this in, so that it needs no
/// MPI itself.
struct MpiValues {
  struct Predefined {
    int64_t Code;
    std::string Name;
  };
  /// Predefined handles by kind and raw value. Where two names have one value, the first one counts.
  std::map<std::pair<Kind, uint64_t>, Predefined> Handles;
  uint64_t InPlace = 0, Bottom = 0;              ///< MPI_IN_PLACE and MPI_BOTTOM as addresses
  int64_t (*ErrorClass)(int64_t Code) = nullptr; ///< the class of an error code
  bool HasBuffers = true;                        ///< the trace says where buffers are
  std::string Program;                           ///< the program's short name
  double NanoPerTick = 0;                        ///< of the totals; 0: there are no times
};

struct Comparison {
  std::string Difference; ///< the first one, or empty
  uint64_t Calls = 0;     ///< how many calls agree
};

/// Compares what a thread's calls decode to with their copies. Named: what names mean, in all threads of the rank.
/// Totals get the calls' durations; null: they are not asked for.
Comparison compareCalls(const Trace &T, std::shared_ptr<const RankView> View, const CallLog &Log, const MpiValues &Mpi,
                        Names &Named, TrueTotals *Totals = nullptr);

} // namespace pilgrim

#endif
