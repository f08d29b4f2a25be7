//===- EncodeVisits.h - numbers of visits as bytes --------------*- C++ -*-===//
//
// In the shortest way: one for each activation, a number that is always the same, streams, or what divides the sequence
// of all ranks (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_ENCODEVISITS_H
#define PILGRIM_TRACE_FILE_ENCODEVISITS_H

#include "trace/file/Decoder.h"
#include "trace/model/Lengths.h"

namespace pilgrim {

/// Writes the number of variants for disjoint sets of ranks; whether their ranks follow, since they are not just Ranks.
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
struct EncodedVisits {
  uint64_t How; ///< NodeHead::Visits
  std::vector<uint8_t> Bytes;
};
/// Work: that may be spent on finding visits of all ranks together, which is taken from it; null: they may not be so.
EncodedVisits encodeVisits(const Group &G, const NodeData &N, const VisitedNode &V, uint64_t *Work);

} // namespace pilgrim

#endif
