//===- DecodeItems.h - what happens at an event, from bytes -----*- C++ -*-===//
//
// Sequences of items and paths of a node. Those that are as long as the structure makes them get their lengths here
// (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_DECODEITEMS_H
#define PILGRIM_TRACE_FILE_DECODEITEMS_H

#include "trace/file/Localizer.h"
#include "trace/model/Lengths.h"

#include <optional>

namespace pilgrim {

/// The node that is read, and what is known of those that it activates.
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

  /// Reads a list of variants: One reads what stands behind the ranks.
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

  /// Whether something happens on each of Ranks, so many times or a multiple of it.
  bool happens(const Tally &Numbers, const RankSet &Ranks, uint64_t Factor = 1);
  /// Numbers / Factor as a function of the rank.
  const RankFn &numbers(const Tally &Numbers, const RankSet &Ranks, uint64_t Factor = 1);

  /// Numbers: how many items, or paths, each rank asks for.
  void readItems(std::vector<RankedItems> &To, const Tally &Numbers, bool ArePaths);
  /// One item, as often as the structure asks for it.
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
  bool HasArms = false;         ///< whether something happens at those that are arms
  uint32_t Id = 0, Usual = 0;   ///< its event, and the region that is activated there unless it is said otherwise
  std::vector<uint32_t> Made;   ///< nodes that are activated there first

private:
  /// How often each terminal's item happens on each rank.
  using Calls = std::vector<Tally>;
  void readOrder(RankedItems &X, size_t Rules);
  /// A sequence that goes on from its beginning until it is as long as the structure asks for.
  static void setLength(RankedItems &X, const RankFn &Length);
  void readRepeated(RankedItems &X, size_t Rules, const Tally &Numbers);
  /// Gives X its next item.
  void readItem(RankedItems &X, const Calls &All, bool IsPath, uint64_t Code);
  bool isForNodes() const { return Id && Region::activates(T.Regions[N.Region].Events[Id - 1].K); }
  bool areIn(const Entry &E, const RankSet &Ranks);
  void addEntry(RankedItems &X, TableId Table, uint32_t &Next, uint64_t Step);
  void readPath(RankedItems &X, uint64_t Code);
  void addActivation(RankedItems &X, const Calls &All, uint64_t Which);
  struct Function {
    Tally Of;
    RankSet Ranks;
    uint64_t Factor;
    RankFn Numbers;
  };
  std::optional<Function> Last; ///< events of a region mostly have the same numbers
};

} // namespace pilgrim

#endif
