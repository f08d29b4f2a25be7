//===- Strands.h - chosen calls in the order of the program ------*- C++ -*-===//
//
// Some questions need an order, such as: which communicator had this number when the message was sent? They concern few
// functions. So only the events and nodes that call these functions are walked, once for all ranks that do the same
// there.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_STRANDS_H
#define PILGRIM_TRACE_READ_STRANDS_H

#include "trace/read/Walk.h"

namespace pilgrim {

/// The chosen calls, in the order in which they end, for ranks that make the same ones.
struct Strand {
  RankSet Ranks;
  std::vector<uint32_t> Calls; ///< indices into what was chosen
};

/// The strands of all ranks of a thread. Chosen: calls of that thread, as Walk gives them. Budget: steps that all
/// strands together may take. Nothing if they need more, or if the trace is damaged.
std::optional<std::vector<Strand>> strandsOf(const Walk &W, uint32_t Thread, std::span<const CallShape> Chosen,
                                             uint64_t &Budget);

} // namespace pilgrim

#endif
