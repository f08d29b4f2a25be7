//===- EncodeCalls.cpp - the tree of nodes as bytes -----------------------===//
#include "trace/file/EncodeItems.h"
#include "trace/file/TimesCodec.h"

#include <algorithm>

namespace pilgrim {

namespace {
class CallEncoder : public ItemEncoder {
public:
  using ItemEncoder::ItemEncoder;

  std::vector<uint8_t> run() {
    for (const Group &X : T.Groups)
      Timed |= X.Timed;
    Calls.varint(T.Groups.size());
    for (const Group &X : T.Groups) {
      G = &X;
      PathTable = &X.table(TableId::Paths);
      Tables.enter(X);
      Expected = ExpectedPath = 0;
      Number.assign(X.Nodes.size(), None);
      Calls.varint(X.Thread);
      X.ranks().write(Calls);
      Nodes.assign(1, {&X.Nodes[0], X.ranks(), {}});
      Pending.assign(1, 0);
      // What is inside of a node follows it, so that equal subtrees look equal.
      while (!Pending.empty()) {
        uint32_t Next = Pending.back();
        Pending.pop_back();
        size_t Inside = Pending.size();
        At = std::move(Nodes[Next]);
        Measures.beginNode(X, *At.Data, Next);
        Next ? writeNode() : writeRoot();
        std::reverse(Pending.begin() + static_cast<ptrdiff_t>(Inside), Pending.end());
      }
    }
    if (T.Groups.size() > 1) {
      At.Ranks = T.Ranks;
      writeStreams(T.TurnThreads);
      writeStreams(T.TurnLengths);
    }
    return Timed ? Measures.bytes() : std::vector<uint8_t>();
  }
  /// To be called after run().
  std::vector<uint8_t> times() const { return encodeTimesSection(T, Measures); }

private:
  void writeRoot() {
    auto E = At.Data->Events.find(0);
    if (E == At.Data->Events.end())
      Calls.varint(EventHead::Nothing);
    else
      writeEvent(0, E->second, {});
  }

  void writeNode() {
    const NodeData &N = *At.Data;
    const std::vector<uint32_t> &Known = Structure.events(N.Region);
    PathMask Masks(T.Regions[N.Region], Known);
    Mask = &Masks;
    std::vector<ItemForm> Paths = itemForms(N.Paths, countVisits(N, T.World), TableId::Paths);
    auto IsArm = [&](uint32_t Id) { return Id && T.Regions[N.Region].Events[Id - 1].K == Region::Arm; };
    const bool OnePath = Paths.size() == 1 && Paths[0].Always && Paths[0].Ranks == At.Ranks;
    const bool Whole = OnePath && isWhole(Paths[0].Parts[0]->Items[0]);
    const bool HasZero = N.Events.contains(0);
    const bool HasArms = std::any_of(N.Events.begin(), N.Events.end(), [&](const auto &E) { return IsArm(E.first); });
    auto Visits = encodeVisits(*G, N, {T.World, At.Ranks, At.Activations},
                               Whole && T.Ranks.size() == T.World ? &Budget : nullptr);
    const uint64_t Path = Whole ? NodeHead::Whole : OnePath ? NodeHead::OnePath : NodeHead::ListedPaths;
    Calls.varint(Visits.How | Path | HasZero * NodeHead::EventZero | HasArms * NodeHead::Arms);
    Calls.bytes(Visits.Bytes);
    if (OnePath && !Whole)
      writePath(Paths[0], 0);
    if (!OnePath)
      writePaths(Paths);

    // Where visits follow from the sequence, it is as long as they say together.
    EventPasses Passes = countPasses(*G, N, T.World);
    if (Visits.How == NodeHead::Joint || Visits.How == NodeHead::JointEqual) {
      const auto &[Id, E] = *N.Events.begin();
      Passes = {{Id}, Tally(At.Ranks, E.Items[0].Order.length())};
    }
    auto Write = [&](uint32_t Id) {
      auto E = N.Events.find(Id);
      if (E == N.Events.end())
        Calls.varint(EventHead::Nothing);
      else
        writeEvent(Id, E->second, countItems(N, E->second, Id, Passes.of(Id)));
    };
    if (HasZero)
      Write(0);
    for (uint32_t Id : Known)
      if (HasArms || !IsArm(Id))
        Write(Id);
  }

  void writeEvent(uint32_t Id, const EventData &E, const Tally &Items) {
    std::vector<ItemForm> Forms = itemForms(E.Items, Items, TableId::Signatures);
    const uint64_t Same = sameNumber(E);
    bool HasChanges = !Same && (!E.PassesToChange.empty() || !E.UsualItems.empty()), HasColumns = !E.Streams.empty();
    Made.clear();
    Event = Id;
    Measures.beginEvent(Id, E);
    if (!HasChanges && !Same && !HasColumns && Forms.size() == 1 && Forms[0].Always && Forms[0].Ranks == At.Ranks) {
      writeItem(Forms[0], 0, EventHead::OtherItem);
      return;
    }
    Calls.varint(EventHead::Items + HasChanges * EventHead::Changes + HasColumns * EventHead::Columns +
                 (Same != 0) * EventHead::SameNumber);
    if (Same)
      Calls.varint(Same);
    if (HasChanges) {
      writeStreams(E.PassesToChange);
      writeStreams(E.UsualItems);
    }
    writeForms(Forms, [&](const ItemForm &F, size_t I) { writeItem(F, I, 0); });
    if (!HasColumns)
      return;
    Calls.varint(E.Streams.size());
    for (const auto &[Key, Streams] : E.Streams) {
      Calls.varint(Key.Function);
      Calls.varint(Key.Site ? Tables.entry(TableId::Sites, Key.Site - 1) + 1 : 0);
      Calls.varint(Key.Slot);
      Calls.varint(Key.Column);
      writeStreams(Streams);
    }
  }

  /// The number of items of each visit if it is the same from the first one on, on all ranks; or 0.
  uint64_t sameNumber(const EventData &E) const {
    auto Single = [&](const RankedStreams &L, int64_t &Value) {
      if (L.size() != 1 || !L[0].Functions.empty() || !(L[0].Ranks == At.Ranks) || L[0].Values.length() != 1)
        return false;
      return IntStreamData::Cursor(L[0].Values).next(Value);
    };
    int64_t Passes, Number;
    return Single(E.PassesToChange, Passes) && Single(E.UsualItems, Number) && Passes == 0 && Number > 0
               ? static_cast<uint64_t>(Number)
               : 0;
  }

  void writeStreams(const RankedStreams &L) {
    bool Ranked = writeListHead(L, At.Ranks, Calls);
    for (const RankedStream &S : L) {
      if (Ranked)
        S.Ranks.write(Calls);
      S.write(Calls);
    }
  }
};
} // namespace

EncodedCalls encodeCalls(const TraceData &T, TableEncoder &Tables, const StructureEncoder &Structure,
                         bool IsInTransit) {
  CallEncoder E(T, Tables, Structure);
  E.Calls.IsInTransit = IsInTransit;
  std::vector<uint8_t> Measures = E.run();
  return {std::move(E.Calls.Data), std::move(Measures), E.times()};
}

} // namespace pilgrim
