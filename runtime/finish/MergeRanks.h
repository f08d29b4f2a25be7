//===- MergeRanks.h - the traces of ranks become one -------------*- C++ -*-===//
//
// At the end ranks merge their traces pairwise in log2 P rounds, towards rank 0. Of regular programs all of them are
// hardly larger than one. Of others they may take more time or memory than there is: then a rank takes no more, and
// what it has so far is a trace of some of the ranks. So there are a few files in the end, not one for each rank.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_FINISH_MERGERANKS_H
#define PILGRIM_FINISH_MERGERANKS_H

#include "finish/OwnFrames.h"
#include "finish/Party.h"

namespace pilgrim {

/// What keeps a rank from taking the traces of more ranks.
enum class MergeLimit : uint64_t { None, Time, Memory, End };

/// If merging fails, Joined must neither be read nor destroyed: see tryInMemory().
struct MergedRanks {
  TraceData Joined;
  OwnFrames Frames;
  int Reach = 1;       ///< Joined has the ranks that there are of so many from this one; 0: it was sent on
  bool IsGood = false; ///< unless it was sent on
  MergeLimit Limit = MergeLimit::None;
};

/// Merges Own and what other ranks send. LeastFree: bytes of memory that are to be left to the program. Own stays,
/// unless there is no other rank. False: a rank did not answer.
bool mergeRanks(Party &All, TraceData &Own, uint64_t LeastFree, MergedRanks &M);

/// Why there is more than one trace.
const char *textOf(MergeLimit L);

} // namespace pilgrim

#endif
