//===- CommunicatorMaker.h - how a function makes a communicator -*- C++ -*-===//
//
// Which functions make a communicator, who has to call them, and which of their parameters tell the members (internal
// to trace/read/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_COMMUNICATORMAKER_H
#define PILGRIM_TRACE_READ_COMMUNICATORMAKER_H

#include "trace/model/Schema.h"

#include <optional>

namespace pilgrim {

struct CommunicatorMaker {
  enum Way : uint8_t {
    Over,          ///< all members of the parent call
    Group,         ///< members of the new group only
    Between,       ///< of two groups
    FromGroup,     ///< members of the group only; there is no parent
    BetweenGroups, ///< members of both groups; there is no parent
    Foreign,       ///< nothing is known of the members
  };
  Way How = Foreign;
  // Slots; -1: it has none.
  int Parent = -1, New = -1;
  int Color = -1, Tag = -1, Leader = -1, Peer = -1, RemoteLeader = -1;
  int Text = -1, RemoteGroup = -1; ///< the tag of creations without a parent; the other group
};

/// How the function makes a communicator; nothing if it makes none.
std::optional<CommunicatorMaker> makerOf(const FunctionSchema &F);

} // namespace pilgrim

#endif
