//===- EncodeVisits.h - numbers of visits as bytes --------------*- C++ -*-===//
//
// Writes the shortest of these forms: one visit for each activation, a constant number, streams, or a division of the
// sequence of all ranks (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_ENCODEVISITS_H
#define PILGRIM_TRACE_FILE_ENCODEVISITS_H

#include "trace/file/Decoder.h"
#include "trace/model/Lengths.h"

#include <map>

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
struct EncodedVisits {
  uint64_t How; ///< NodeHead::Visits
  std::vector<uint8_t> Bytes;
};
/// What may be done for joining visits and paths over all ranks.
struct JointBudget {
  uint64_t Work = uint64_t(1) << 24; ///< left
  /// How often it was tried, by visits that are not joined. What packs the file says the same ones again for little.
  std::map<std::vector<uint8_t>, unsigned> Tries{};
  static constexpr unsigned MaxTries = 4;
};
/// Budget: for joining visits, reduced by the work done; null: visits must not be joined.
EncodedVisits encodeVisits(const Group &G, const NodeData &N, const VisitedNode &V, JointBudget *Budget);

} // namespace pilgrim

#endif
