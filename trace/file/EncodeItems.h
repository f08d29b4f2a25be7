//===- EncodeItems.h - what happens at an event, as bytes -------*- C++ -*-===//
//
// Anything that follows from the regions is not written. A node is created at its first activation, in the region that
// the event names. A sequence that repeats one item, or a cycle of items, has the length that visits and paths imply.
// So an event where the same thing always happens, on all ranks, takes one byte (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_ENCODEITEMS_H
#define PILGRIM_TRACE_FILE_ENCODEITEMS_H

#include "trace/file/EncodeMeasures.h"
#include "trace/file/EncodeVisits.h"
#include "trace/file/Encoder.h"
#include "trace/file/PathMask.h"

namespace pilgrim {

/// State of the node that is written, and of the nodes that it activates.
class ItemEncoder {
public:
  ItemEncoder(const TraceData &T, TableEncoder &Tables, const StructureEncoder &Structure)
      : T(T), Tables(Tables), Structure(Structure), Measures(T) {}
  ByteWriter Calls;

protected:
  static constexpr uint32_t None = UINT32_MAX;
  struct Node {
    const NodeData *Data;
    RankSet Ranks;
    Tally Activations;
  };
  /// Items, or paths, of some ranks. Always: one item, repeated as often as the structure requires; several parts may
  /// share it. Repeats: a cycle of items, likewise.
  struct ItemForm {
    RankSet Ranks;
    std::vector<const RankedItems *> Parts;
    std::vector<std::vector<Tally>> Calls; ///< by part: how often each item happens on each rank
    bool Always, Repeats;
  };

  /// Numbers: the number of items, or paths, that the structure requires on each rank.
  std::vector<ItemForm> itemForms(const std::vector<RankedItems> &L, const Tally &Numbers, TableId Id);
  template <typename Fn> void writeForms(const std::vector<ItemForm> &L, Fn &&WriteItem) {
    bool Ranked = writeListHead(L, At.Ranks, Calls);
    for (const ItemForm &F : L) {
      if (Ranked)
        F.Ranks.write(Calls);
      if (F.Always)
        Calls.varint(0);
      else
        writeOrder(*F.Parts[0], F.Repeats);
      for (size_t I = 0; I < F.Parts[0]->Items.size(); ++I)
        WriteItem(F, I);
    }
  }
  /// More is added to nonzero codes, which leaves room for other heads.
  void writeItem(const ItemForm &F, size_t Index, uint64_t More);
  bool isWhole(const Item &Path) const;
  void writePath(const ItemForm &F, size_t Index);
  /// Writes the paths, joined over all ranks if that is possible and shorter. A trace with joined paths cannot be
  /// merged.
  void writePaths(const std::vector<ItemForm> &L);

  const TraceData &T;
  TableEncoder &Tables;
  const StructureEncoder &Structure;
  MeasureEncoder Measures;
  const Group *G = nullptr;
  bool Timed = false;
  JointBudget Budget;
  uint32_t Expected = 0, ExpectedPath = 0;
  std::vector<Node> Nodes;          ///< in the order of first activation
  std::vector<uint32_t> Number;     ///< by node: index into Nodes
  std::vector<uint32_t> Pending;    ///< activated but not yet written; the next one last
  Node At{};                        ///< the node that is written
  const Table *PathTable = nullptr; ///< that contains its paths
  const PathMask *Mask = nullptr;   ///< of its region
  uint32_t Event = 0;               ///< the event that is written
  std::vector<uint32_t> Made;       ///< nodes whose first activation is at this event

private:
  /// Whether the single items of both are written as the same bytes, apart from their rank sets.
  bool canJoin(const ItemForm &F, const RankedItems &X, TableId T);
  void writeOrder(const RankedItems &X, bool Repeats);
  const Entry &path(const Item &I) const { return (*PathTable)[I.Index]; }
  /// The mask as a function of the rank; nothing if some path has none.
  std::optional<RankFn> maskOf(const Entry &E, const RankSet &Ranks) const;
  void writeCode(uint64_t Code, uint64_t More) { Calls.varint(Code ? Code + More : 0); }
  /// Whether the event is one in which nodes are activated.
  bool isForNodes() const { return Event && Region::activates(T.Regions[At.Data->Region].Events[Event - 1].K); }
  void writeActivation(const ItemForm &F, size_t Index, uint64_t More);
};

} // namespace pilgrim

#endif
