//===- Messages.h - what a call sends, and to whom ---------------*- C++ -*-===//
//
// Which slots of a function say what is sent to whom: the destination, the communicator, the buffer's count and
// datatype. The relations of the schema say it; which way a collective call moves data, its name does.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_MESSAGES_H
#define PILGRIM_DRIVER_MESSAGES_H

#include "trace/read/Walk.h"

#include <cstdint>

namespace pilgrim {

struct MessageRule {
  enum Way : uint8_t {
    Nothing, ///< sends nothing, or only to itself
    Send,    ///< a message to Dest
    Start,   ///< what the calls that made Request say
    // Collectives.
    FromRoot, ///< from the root to each other member: Bcast, Scatter
    ToRoot,   ///< from each other member to the root: Reduce, Gather
    ToAll,    ///< from each to each other: Allreduce, Allgather, Alltoall
    ToHigher, ///< from each to all of higher ranks: Scan
  };
  static constexpr int None = -1;
  Way How = Nothing;
  bool IsPersistent = false; ///< sends when Request is started, not when it is made
  bool IsByReceiver = false; ///< of results that are scattered: counts are the receivers'
  int Dest = None, Comm = None, Count = None, Type = None, Root = None, Request = None;
  int Factor = None; ///< what the count is multiplied with: partitions
  /// Instead of Count and Type, where the buffer is MPI_IN_PLACE.
  int InPlaceCount = None, InPlaceType = None;

  static MessageRule of(const FunctionSchema &F);
  /// What a call receives, in the same terms: Dest is the sender, How is Send or Start or Nothing.
  static MessageRule ofReceive(const FunctionSchema &F);
  /// Slots with streams that say where how much goes.
  std::vector<unsigned> streamed(const CallShape &C) const;
};

} // namespace pilgrim

#endif
