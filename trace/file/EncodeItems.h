//===- EncodeItems.h - what happens at an event, as bytes -------*- C++ -*-===//
//
// What the regions say already is not written: nodes are made where they are activated first, in the region that the
// event names, and a sequence that is one item again and again, or several again and again, is as long as visits and
// paths make it. So an event where one thing happens, always and on all ranks, is a byte (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_ENCODEITEMS_H
#define PILGRIM_TRACE_FILE_ENCODEITEMS_H

#include "trace/file/EncodeMeasures.h"
#include "trace/file/EncodeVisits.h"
#include "trace/file/Encoder.h"
#include "trace/file/PathMask.h"

namespace pilgrim {

/// The node that is written, and those that it activates.
class ItemEncoder {
public:
  ItemEncoder(const TraceData &T, TableEncoder &Tables, const StructureEncoder &Structure)
      : T(T), Tables(Tables), Structure(Structure), Measures(Tables, T.Ranks.size() != T.World) {}
  ByteWriter Calls;

protected:
  static constexpr uint32_t None = UINT32_MAX;
  struct Node {
    const NodeData *Data;
    RankSet Ranks;
    Tally Activations;
  };
  /// Items, or paths, of some ranks. Always: there is one, as often as wanted; several parts may have it then. Repeats:
  /// so are all of them together.
  struct ItemForm {
    RankSet Ranks;
    std::vector<const RankedItems *> Parts;
    std::vector<std::vector<Tally>> Calls; ///< by part: how often each item happens on each rank
    bool Always, Repeats;
  };

  /// Numbers: how many items, or paths, each rank asks for.
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
  /// Codes but 0 are More larger, for what may stand in their place.
  void writeItem(const ItemForm &F, size_t Index, uint64_t More);
  bool isWhole(const Item &Path) const;
  void writePath(const ItemForm &F, size_t Index);
  /// Those of all ranks together, where that can be and is shorter. Nothing can be merged with a trace that has them.
  void writePaths(const std::vector<ItemForm> &L);

  const TraceData &T;
  TableEncoder &Tables;
  const StructureEncoder &Structure;
  MeasureEncoder Measures;
  const Group *G = nullptr;
  bool Timed = false;
  uint64_t Work = uint64_t(1) << 24; ///< that may be spent on finding what can be said of all ranks together
  uint32_t Expected = 0, ExpectedPath = 0;
  std::vector<Node> Nodes;          ///< in the order in which they are met
  std::vector<uint32_t> Number;     ///< of a node, among them
  std::vector<uint32_t> Pending;    ///< met but not written; the next one last
  Node At{};                        ///< the node that is written
  const Table *PathTable = nullptr; ///< that its paths are from
  const PathMask *Mask = nullptr;   ///< of its region
  uint32_t Event = 0;               ///< and its event
  std::vector<uint32_t> Made;       ///< nodes that are activated there first

private:
  /// Whether what is always the one is always the other, which says nothing of the ranks that it is for.
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
