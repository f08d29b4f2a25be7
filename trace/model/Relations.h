//===- Relations.h - how the slots of a function belong together -*- C++ -*-===//
//
// A schema stores only relations that do not follow from the kinds of slots and their order (ParamSchema::Said). This
// class combines both, so that no reader has to guess from names: which count and datatype a buffer has, which rank is
// the root, what a call does with a handle. The rules are those of docs/format.md.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_RELATIONS_H
#define PILGRIM_TRACE_MODEL_RELATIONS_H

#include "trace/model/Schema.h"

namespace pilgrim {

/// The content of a buffer, and the ranks its data go to and come from. Slots are given by number; 0: none.
struct BufferRelations {
  uint32_t Slot = 0;
  uint32_t Count = 0, Datatype = 0, Displacements = 0, Factor = 0;
  Relation Per = Relation::None; ///< PerProcess, PerMember, PerSource, PerDestination
  bool IsOwnCount = false;
  bool IsRead = false, IsWritten = false; ///< by the call; both and IsReadAtRoot: read there, written elsewhere
  bool IsReadAtRoot = false;
  uint32_t To = 0, From = 0; ///< the ranks that data are sent to and received from
};

class Relations {
public:
  /// F must outlive this object.
  explicit Relations(const FunctionSchema &F);

  const std::vector<BufferRelations> &buffers() const { return Buffers; }
  /// The rank that is the root of a collective call, or 0.
  uint32_t root() const { return Root; }
  /// The communicator (else window or file) that the call is made on, or 0.
  uint32_t comm() const { return Comm; }
  /// The slot of the communicator, group, window or file in which the slot's value is a rank, or 0.
  uint32_t groupOf(uint32_t Slot) const { return Slots[Slot].Group; }
  /// AtRoot, NotAtRoot or Everywhere. Where a communicator has two groups, Everywhere is the group without the root.
  Relation significance(uint32_t Slot) const { return Slots[Slot].Where; }
  /// Makes, Finds, Frees, Starts, Completes or Keeps; None: not a handle.
  Relation use(uint32_t Slot) const { return Slots[Slot].Use; }

private:
  struct OfSlot {
    uint32_t Group = 0;
    Relation Where = Relation::Everywhere, Use = Relation::None;
  };
  void findGroups();
  void findBuffers();
  void findContents(BufferRelations &B) const;
  void findDirections();
  void findSignificance();
  void findUses();

  const FunctionSchema &F;
  uint32_t Root = 0, Comm = 0;
  std::vector<OfSlot> Slots;
  std::vector<BufferRelations> Buffers;
};

} // namespace pilgrim

#endif
