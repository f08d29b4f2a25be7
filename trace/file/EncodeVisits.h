//===- EncodeVisits.h - numbers of visits as bytes --------------*- C++ -*-===//
//
// Writes the shorter of these forms: a constant number for each activation, or streams (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_ENCODEVISITS_H
#define PILGRIM_TRACE_FILE_ENCODEVISITS_H

#include "trace/file/Decoder.h"
#include "trace/model/Lengths.h"

namespace pilgrim {

/// Writes the number of variants for disjoint sets of ranks. Returns whether their rank sets follow; they do not if
/// there is one variant for all of Ranks.
template <typename List> bool writeListHead(const List &L, const RankSet &Ranks, ByteWriter &To) {
  bool Ranked = L.size() > 1 || (L.size() == 1 && !(L[0].Ranks == Ranks));
  To.varint(L.size() << 1 | uint64_t(Ranked));
  return Ranked;
}

/// The ranks that have a node, and how often each activates it.
struct VisitedNode {
  uint32_t World;
  const RankSet &Ranks;
  const Tally &Activations;
};
/// The list of a node's visits; no bytes: one visit at every activation.
std::vector<uint8_t> encodeVisits(const NodeData &N, const VisitedNode &V);

} // namespace pilgrim

#endif
