//===- StructureTree.h - calls by where in the program they are -*- C++ -*-===//
//
// The context tree of one thread number, of all ranks or some of them, with
// what happened where: how often functions and loops were activated, which ways
// were taken, how many calls were made and how long they took. Computed from
// a walk: its time grows with the trace's bytes.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_STRUCTURETREE_H
#define PILGRIM_DRIVER_STRUCTURETREE_H

#include "driver/Choice.h"
#include "driver/SiteText.h"

namespace pilgrim {

/// The gaps between some calls and what happened before them.
struct NamedGap {
  std::string After; ///< "MPI_Send heat.c:42", "the thread's begin", "other calls"
  Spread Gaps;       ///< nanoseconds
};

/// A place in the tree. Refers to the trace.
struct TreePlace {
  enum Kind : uint8_t { Thread, Function, Loop, Arm, Call, Mpi, Missing };
  Kind K = Thread;
  uint32_t Parent = 0, Order = 0;    ///< the place around it; its event there
  const std::string *Name = nullptr; ///< Function, Call: linkage name; Mpi: the function; Arm: its own name, or null
  const Region *Where = nullptr;     ///< what Line is in; null: not known
  uint32_t Line = 0;                 ///< 0: not known
  uint32_t Number = 0;               ///< Arm: which successor of the branch
  uint32_t Site = 0;                 ///< Mpi that no structure announced: site + 1 in the group; 0: not known
  uint64_t Calls = 0;                ///< MPI calls in it
  uint64_t Untraced = 0;             ///< that were not traced
  MeasuredPart Time;                 ///< of these, nanoseconds; what is inside of one of them is part of it
  uint64_t NotReturned = 0;          ///< of Calls: they take no time
  uint32_t Depth = UINT32_MAX;       ///< the least of those that took time: these make Time
  Spread Durations;                  ///< of those of these of which this is known
  uint32_t Node = 0;                 ///< Thread, Function, Loop: in the thread
  std::vector<NamedGap> Gaps;        ///< Mpi: before these, by what was before them; empty: not known
  uint64_t Activations = 0;          ///< Function, Loop
  uint64_t Visits = 0;               ///< Function, Loop
  uint64_t Passes = 0;               ///< Arm
  std::vector<uint32_t> Children;    ///< in the order of the program; those with calls, traced or not
  // Children that are left out of a report.
  uint64_t Left = 0, LeftCalls = 0;
  MeasuredPart LeftTime;
  Spread LeftDurations;
  uint64_t LeftNotReturned = 0;
};

/// Whether it is calls that a jump has left, or that the end of the run found under way. The last calls of a program
/// never return.
bool isUnended(const TreePlace &P);

struct TreeQuery {
  RankSet Ranks;
  FunctionChoice Functions;
  RowChoice Rows;
  bool Gaps = false; ///< whether names of gaps are wanted
};

struct StructureTree;
/// Makes functions of the C++ library part of their caller: what is below them stands there.
void foldSystem(StructureTree &Tree);

struct StructureTree {
  const Walk *W = nullptr;
  uint32_t Thread = 0; ///< index into W->threads()
  RankSet Ranks;
  std::vector<TreePlace> Places; ///< a place comes after the one around it; the first is the thread

  /// Of those of the thread's ranks that are wanted. W must live as long as this.
  /// Lines: what the names of gaps are found with.
  StructureTree(const Walk &W, uint32_t Thread, const TreeQuery &Q, SourceLines &Lines);
  const ThreadShape &thread() const { return W->threads()[Thread]; }
  /// Whether it is of all ranks of the thread.
  bool isWhole() const { return Ranks.size() == thread().Ranks.size(); }
  /// The function that a call is shown together with, on one line: the only thing in it, and what was called. Else
  /// null.
  const TreePlace *onlyFunction(const TreePlace &P) const;
};

/// Leaves the lines with the most time, without times those with the most calls: so many in all trees together.
void leaveLargest(std::vector<StructureTree> &Trees, size_t Most, bool IsTimed);
/// Sorts children of each place, the largest first.
void sortChildren(StructureTree &Tree, bool ByTime);

/// What a branch's way on is called. The pass gives the numbers (docs/format.md).
std::string armName(uint32_t Number);

} // namespace pilgrim

#endif
