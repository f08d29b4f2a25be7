//===- Strands.h - chosen calls in the order of the program ------*- C++ -*-===//
//
// Some questions need an order: which communicator had this number when the message was sent. They ask about few
// functions. So only the events and nodes where those are called are gone through, once for all ranks that do the same
// there.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_STRANDS_H
#define PILGRIM_TRACE_READ_STRANDS_H

#include "trace/read/Walk.h"

namespace pilgrim {

/// The chosen calls of ranks that make the same ones, in the order in which these end.
struct Strand {
  RankSet Ranks;
  std::vector<uint32_t> Calls; ///< indices into what was chosen
};

/// Of all ranks of a thread. Chosen: calls of that thread, as Walk gives them. Budget: steps that all strands together
/// may take; nothing if they need more, or the trace is damaged.
std::optional<std::vector<Strand>> strandsOf(const Walk &W, uint32_t Thread, std::span<const CallShape> Chosen,
                                             uint64_t &Budget);

} // namespace pilgrim

#endif
