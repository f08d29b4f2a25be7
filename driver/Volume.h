//===- Volume.h - how many bytes a call moves -------------------*- C++ -*-===//
//
// From a call's own arguments: count * size of the datatype, for the buffers
// that the call reads (sent) and those that it writes (an upper bound of what
// is received). A trace does not say which count belongs to which buffer, but
// in MPI they always follow: buffers, counts, displacements, datatype.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_VOLUME_H
#define PILGRIM_DRIVER_VOLUME_H

#include "trace/read/Reader.h"

#include <optional>
#include <string>
#include <vector>

namespace pilgrim {

struct Volume {
  int64_t Sent = 0, Received = 0;
};

/// What is known of one function's buffers; made once per function.
class VolumeRule {
public:
  VolumeRule(const FunctionSchema &F, const TraceData &T);
  bool moves() const { return !Buffers.empty(); }
  /// Whether the result depends on this slot.
  bool uses(uint32_t Slot) const;
  Volume of(std::span<const Value> Slots, const RankView &View) const;

private:
  struct Buffer {
    uint32_t Slot = 0;
    bool Sent = false, Received = false;
    int Count = -1, Type = -1; ///< slots; Count -1: one element
    int Times = -1;            ///< slot of the number of partitions
  };
  static constexpr int None = -1;
  int64_t bytes(const Buffer &B, std::span<const Value> Slots, const RankView &View) const;
  bool isNobody(int Slot, std::span<const Value> Slots) const;

  const FunctionSchema &F;
  std::vector<Buffer> Buffers;
  std::optional<int64_t> ProcNull;
  int Comm = None, Root = None, Dest = None, Source = None;
  bool SentPerPeer = false, ReceivedPerPeer = false, RootSends = false;
};

} // namespace pilgrim

#endif
