//===- Volume.h - how many bytes a call moves -------------------*- C++ -*-===//
//
// From a call's own arguments: count * size of the datatype, for the buffers
// that the call reads (sent) and those that it writes (an upper bound of what
// is received). Which count and datatype a buffer has, who is the root and whom
// data go to, the schema's relations say (trace/model/Relations.h).
//
// Where a count is for each neighbour of a topology, one is counted: a call does
// not say how many there are.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_VOLUME_H
#define PILGRIM_DRIVER_VOLUME_H

#include "trace/model/Relations.h"
#include "trace/read/Reader.h"

#include <functional>
#include <optional>

namespace pilgrim {

struct Volume {
  int64_t Sent = 0, Received = 0;
};

/// What is known of one function's buffers; made once per function.
class VolumeRule {
public:
  VolumeRule(const FunctionSchema &F, const NameTable &Names);
  bool moves() const { return Moves; }
  /// Whether the result depends on this slot.
  bool uses(uint32_t Slot) const;
  /// What objects among the values are, by their references.
  using ObjectFn = std::function<ObjectInfo(uint32_t)>;
  Volume of(std::span<const Value> Slots, const ObjectFn &ObjectOf) const;
  Volume of(std::span<const Value> Slots, const RankView &View) const {
    return of(Slots, [&](uint32_t Ref) { return View.object(Ref); });
  }

  // For whoever asks for many ranks at once (CallVolumes.h).
  const Relations &relations() const { return R; }
  std::optional<int64_t> procNull() const { return ProcNull; }
  uint32_t receivedMessage() const { return Message; } ///< slot; 0: none

private:
  /// Where a process stands in a call with a root.
  enum class Place {
    Root,
    Other,
    Idle ///< in the group of the root of an intercommunicator, but not the root
  };
  /// The communicator, as this rank has it.
  struct Members {
    int64_t Own = -1, Size = 1, Peers = 1;
    bool HasTwoGroups = false;
  };
  Members members(std::span<const Value> Slots, const ObjectFn &ObjectOf) const;
  Place place(const Members &M, std::span<const Value> Slots) const;
  bool isSignificant(uint32_t Slot, const Members &M, Place At) const;
  int64_t bytes(const BufferRelations &B, const Members &M, std::span<const Value> Slots,
                const ObjectFn &ObjectOf) const;
  bool isNobody(uint32_t Slot, std::span<const Value> Slots) const;

  const FunctionSchema &F;
  Relations R;
  std::optional<int64_t> ProcNull;
  uint32_t Message = 0; ///< that is received
  bool Moves = false;
};

} // namespace pilgrim

#endif
