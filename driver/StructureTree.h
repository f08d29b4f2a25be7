//===- StructureTree.h - calls by where in the program they are -*- C++ -*-===//
//
// The context tree of one thread number, of all ranks or some of them, with
// what happened where: how often functions and loops were activated, which ways
// were taken, how many calls were made and how long they took. Computed from
// how often each item of a sequence occurs: calls are never expanded.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_STRUCTURETREE_H
#define PILGRIM_DRIVER_STRUCTURETREE_H

#include "trace/model/TraceData.h"

namespace pilgrim {

/// A place in the tree. Refers to the trace.
struct TreePlace {
  enum Kind : uint8_t { Thread, Function, Loop, Arm, Call, Mpi, Missing };
  Kind K = Thread;
  uint32_t Parent = 0, Order = 0;    ///< the place around it; its event there
  const std::string *Name = nullptr; ///< Function, Call: linkage name; Mpi: the function
  const Region *Where = nullptr;     ///< what Line is in; null: not known
  uint32_t Line = 0;                 ///< 0: not known
  uint32_t Number = 0;               ///< Arm: which successor of the branch
  uint32_t Site = 0;                 ///< Mpi that no structure announced: site + 1 in the group; 0: not known
  uint64_t Calls = 0;                ///< MPI calls in it
  uint64_t Untraced = 0;             ///< that were not traced
  MeasuredPart Time;                 ///< of these, nanoseconds
  uint64_t Activations = 0;          ///< Function, Loop
  uint64_t Visits = 0;               ///< Function, Loop
  uint64_t Passes = 0;               ///< Arm
  std::vector<uint32_t> Children;    ///< in the order of the program; those with calls, traced or not
};

struct StructureTree {
  const Group *G = nullptr;
  RankSet Ranks;
  std::vector<TreePlace> Places; ///< a place comes after the one around it; the first is the thread

  /// Of those of the group's ranks that are Wanted.
  StructureTree(const TraceData &T, const Group &G, const RankSet &Wanted);
};

} // namespace pilgrim

#endif
