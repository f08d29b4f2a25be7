//===- Compare.h - one thread's calls and their plain copies -----*- C++ -*-===//
#ifndef PILGRIM_VERIFY_COMPARE_H
#define PILGRIM_VERIFY_COMPARE_H

#include "trace/read/Reader.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>

namespace pilgrim {

class CallLog;

/// What the comparison has to know of the MPI library and of the run. Who calls it fills this in, so that it needs no
/// MPI itself.
struct MpiValues {
  struct Predefined {
    int64_t Code;
    std::string Name;
  };
  /// Predefined handles by kind and raw value. Where two names have one value, the first one counts.
  std::map<std::pair<Kind, uint64_t>, Predefined> Handles;
  uint64_t NullRequest = 0;                      ///< the raw value of MPI_REQUEST_NULL
  uint64_t InPlace = 0, Bottom = 0;              ///< MPI_IN_PLACE and MPI_BOTTOM as addresses
  int64_t (*ErrorClass)(int64_t Code) = nullptr; ///< the class of an error code
  bool HasBuffers = true;                        ///< the trace says where buffers are
};

/// Objects that calls made: kind, name in the trace, and the raw value that the name stands for.
using Bindings = std::set<std::tuple<Kind, int64_t, uint64_t>>;

struct Comparison {
  std::string Difference; ///< the first one, or empty
  uint64_t Calls = 0;     ///< how many calls agree
  Bindings Made;          ///< by the thread's calls
};

/// Compares what a thread's calls decode to with their copies. Others: what calls of other threads made. Null: that is
/// not known yet, so names are not compared.
Comparison compareCalls(const Trace &T, std::shared_ptr<const RankView> View, const CallLog &Log, const MpiValues &Mpi,
                        const Bindings *Others);

} // namespace pilgrim

#endif
