//===- DecodeItems.h - what happens at an event, from bytes -----*- C++ -*-===//
//
// Decodes sequences of items and paths of a node. If the structure determines the length of a sequence, the length is
// set here (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_DECODEITEMS_H
#define PILGRIM_TRACE_FILE_DECODEITEMS_H

#include "trace/file/Localizer.h"
#include "trace/model/Lengths.h"

#include <optional>

namespace pilgrim {

/// State of the node that is read, and of the nodes that it activates.
class ItemDecoder {
public:
  ItemDecoder(ByteReader &R, TraceData &T, const TableDecoder &D, bool Timed, std::vector<EventPlace> &Places)
      : R(R), T(T), D(D), Timed(Timed), Places(Places) {}

protected:
  void readRanks(RankSet &S) {
    S = RankSet::read(R, D.scope());
    if (S.empty())
      R.fail("an empty set of ranks");
  }

  /// Reads a list of variants. One reads the part after the ranks.
  template <typename Fn> void readVariants(Fn &&One) {
    uint64_t V = R.varint();
    bool Ranked = V & 1;
    if (V >> 1 > R.remaining() || (V >> 1 > 1 && !Ranked))
      R.fail("several variants without their ranks");
    for (V >>= 1; V-- && R.ok();) {
      RankSet Ranks = N.Ranks;
      if (Ranked)
        readRanks(Ranks);
      if (R.ok())
        One(std::move(Ranks));
    }
  }

  /// Whether each of Ranks has a number that is known, not 0, and a multiple of Factor.
  bool happens(const Tally &Numbers, const RankSet &Ranks, uint64_t Factor = 1);
  /// Numbers / Factor as a function of the rank.
  const RankFn &numbers(const Tally &Numbers, const RankSet &Ranks, uint64_t Factor = 1);

  /// Numbers: the number of items, or paths, that the structure requires on each rank.
  void readItems(std::vector<RankedItems> &To, const Tally &Numbers, bool ArePaths);
  /// Reads one item, which is repeated as often as the structure requires.
  void readAlways(std::vector<RankedItems> &To, const RankSet &Ranks, const Tally &Numbers, bool IsPath, uint64_t Code);

  ByteReader &R;
  TraceData &T;
  const TableDecoder &D;
  const bool Timed;
  std::vector<EventPlace> &Places; ///< of events with items, in the order in which they are read
  Group G;
  Localizer *L = nullptr;
  uint32_t Expected = 0, ExpectedPath = 0;
  std::vector<Tally> Activations; ///< by node
  std::vector<uint32_t> Pending;  ///< nodes that are still to be read, the next one last
  NodeData N;                     ///< the node that is read
  uint32_t Index = 0;
  std::vector<uint32_t> Events; ///< that its region has
  bool HasArms = false;         ///< whether something happens at events that are arms
  uint32_t Id = 0, Usual = 0;   ///< the event that is read, and the region that is activated there by default
  std::vector<uint32_t> Made;   ///< nodes whose first activation is at this event

private:
  void readOrder(RankedItems &X, size_t Rules);
  /// Repeats a sequence until it has the length that the structure requires.
  static void setLength(RankedItems &X, const RankFn &Length);
  void readRepeated(RankedItems &X, size_t Rules, const Tally &Numbers);
  /// Gives X its next item.
  void readItem(RankedItems &X, bool IsPath, uint64_t Code);
  bool isForNodes() const { return Id && Region::activates(T.Regions[N.Region].Events[Id - 1].K); }
  bool areIn(const Entry &E, const RankSet &Ranks);
  void addEntry(RankedItems &X, TableId Table, uint32_t &Next, uint64_t Step);
  void addPath(Entry &E, const RankSet &Ranks, uint64_t Mask);
  void readPath(RankedItems &X, uint64_t Code);
  void readActivation(RankedItems &X, uint64_t Which);
  /// Notes how often item I happens, if it is a node.
  void addActivations(const RankedItems &X, size_t I, const Tally &Times);
  struct Function {
    Tally Of;
    RankSet Ranks;
    uint64_t Factor;
    RankFn Numbers;
  };
  std::map<std::pair<uint32_t, uint64_t>, Entry>
      PathOf;                   ///< by region and mask: paths that are alike share their memory
  std::optional<Function> Last; ///< cached: events of a region mostly have the same numbers
};

} // namespace pilgrim

#endif
