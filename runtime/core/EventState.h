//===- EventState.h - what happens at one event, compressed -------*- C++ -*-===//
//
// A sequence of items while it is recorded. An item is a call, or an activation of a context node. An event belongs to
// a node of the context tree (Contexts.h). A thread without structure has one event.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_CORE_EVENTSTATE_H
#define PILGRIM_CORE_EVENTSTATE_H

#include "platform/Generation.h"
#include "trace/sequences/Grammar.h"
#include "trace/sequences/IntStream.h"

#include <algorithm>
#include <memory>
#include <vector>

struct PilgrimRegion;

namespace pilgrim {

constexpr uint32_t NoFunction = UINT32_MAX;

struct NodeState;
struct CallSite;

/// How some numbers of clock ticks are distributed.
struct TickSpread {
  unsigned __int128 Squares = 0;
  uint64_t Sum = 0, Min = UINT64_MAX, Max = 0;

  [[gnu::always_inline]] void add(uint64_t V) {
    Sum += V;
    Squares += static_cast<unsigned __int128>(V) * V;
    if (V < Min) [[unlikely]]
      Min = V;
    if (V > Max) [[unlikely]]
      Max = V;
  }
};

/// The gaps between one item and those that followed upon it. One cache line.
struct alignas(64) TickGap {
  /// What the item before was. 0: there was none, the thread began. Of another event: the event's number + 1. Of the
  /// same event: its index + 1, and SameEvent.
  static constexpr uint32_t SameEvent = uint32_t(1) << 31, Others = UINT32_MAX;
  [[no_unique_address]] TickSpread Gaps;
  uint64_t Lately = 0; ///< the EventItem::Key of the item that was there last
  uint64_t Count = 0;
  uint32_t Key = 0;
  uint32_t Context = 0; ///< of the times of the item behind the one that was there last (TimeLog.h)
};
static_assert(sizeof(TickGap) == 64);

/// An item's gaps, by what was before. With several, their keys also stand side by side, in one cache line.
class TickGaps {
public:
  static constexpr size_t Most = 17; ///< the last one is that of all others
  size_t size() const { return Size; }
  size_t capacity() const { return Capacity; }
  const TickGap &operator[](size_t I) const { return List[I]; }
  /// That of Key; of the others, if there are too many.
  TickGap &get(uint32_t Key) {
    const size_t At = find(Key);
    return At < Size ? List[At] : add(At < Most - 1 ? Key : TickGap::Others);
  }

private:
  struct alignas(64) KeyLine {
    uint32_t Keys[Most - 1];
  };
  /// Size: there is none.
  size_t find(uint32_t Key) const {
    if (!Line)
      return Size && List[0].Key == Key ? 0 : Size;
    // Without a branch for each key: the compiler compares several at a time.
    uint32_t At = Most - 1;
    for (uint32_t I = 0; I < Most - 1; ++I)
      At = Line->Keys[I] == Key ? I : At;
    return std::min<size_t>(At, Size);
  }
  TickGap &add(uint32_t Key);

  std::unique_ptr<TickGap[]> List;
  std::unique_ptr<KeyLine> Line; ///< null: there is one at most
  uint32_t Size = 0, Capacity = 0;
};

/// One of an event's distinct items. Two cache lines: what is noted at each call, and what is compared.
struct alignas(64) EventItem {
  // With timing.
  [[no_unique_address]] TickSpread Durations;
  TickGap *Path = nullptr; ///< the one among Paths that was taken last
  uint64_t Generation = 0;
  uint64_t Key = 0; ///< the event's number + 1 in the upper half, the index in the event + 1 in the lower half

  uint64_t Whole = NoFunction;     ///< word 0 of Raw if equal records are equal calls; NoFunction: slots are streamed
  std::unique_ptr<uint64_t[]> Raw; ///< the raw record that was seen last, without streamed slots
  uint32_t RawSize = 0, RawCapacity = 0;
  uint32_t Index : 30 = 0; ///< among the recorder's signatures; of a node among the nodes
  bool IsNode : 1 = false;
  bool IsLasting : 1 = false;      ///< Raw means the same until something that lasts changes (platform/Generation.h)
  uint32_t TimePlace = UINT32_MAX; ///< its number in the log of times or among the histograms; UINT32_MAX: it has none
  CallSite *Home = nullptr;        ///< set if the signature has streams
  TickGaps Paths;

  /// Whether Raw means now what it meant when it was seen last.
  bool isOf(uint64_t Now) const { return Generation == Now || (IsLasting && isLastingSince(Generation, Now)); }
};
static_assert(sizeof(EventItem) == 128);

/// The nodes of the regions that are activated at an event. Mostly there is one; a computed call may lead to thousands.
class ChildNodes {
public:
  NodeState *find(const PilgrimRegion *Key) const {
    if (Index.empty()) {
      for (const auto &[K, N] : List)
        if (K == Key)
          return N;
      return nullptr;
    }
    for (size_t I = home(Key);; I = (I + 1) & (Index.size() - 1))
      if (Index[I].first == Key || !Index[I].first)
        return Index[I].second;
  }
  /// Whether thousands may be activated in turn.
  bool areMany() const { return !Index.empty(); }
  /// The node that is this item of the event. Null: it is none, or one of the first few.
  NodeState *ofItem(uint32_t Item) const { return Item < ByItem.size() ? ByItem[Item] : nullptr; }
  /// N, which is an item of the event, may be there with a key that was forgotten.
  void add(const PilgrimRegion *Key, NodeState *N, uint32_t Item) {
    constexpr size_t Few = 16;
    auto Old = NumForgotten ? std::find(List.begin(), List.end(), Entry(nullptr, N)) : List.end();
    if (Old != List.end()) {
      Old->first = Key;
      --NumForgotten;
    } else {
      List.emplace_back(Key, N);
    }
    if (List.size() <= Few)
      return;
    enter({Key, N});
    if (ByItem.size() <= Item)
      ByItem.resize(Item + 1);
    ByItem[Item] = N;
  }

  /// Other regions may be where the regions were. The nodes stay.
  void forgetKeys() {
    Index = {};
    NumEntered = 0;
    NumForgotten = List.size();
    for (Entry &E : List)
      E.first = nullptr;
  }
  /// The first node whose key was forgotten and that Is(node), or null.
  template <typename Fn> NodeState *findForgotten(Fn Is) const {
    if (!NumForgotten)
      return nullptr;
    auto It = std::find_if(List.begin(), List.end(), [&](const Entry &E) { return !E.first && Is(*E.second); });
    return It == List.end() ? nullptr : It->second;
  }

private:
  using Entry = std::pair<const PilgrimRegion *, NodeState *>;
  size_t home(const PilgrimRegion *Key) const {
    return (reinterpret_cast<uintptr_t>(Key) * 0x9e3779b97f4a7c15ull >> 32) & (Index.size() - 1);
  }
  /// Enters what has a key, if nothing was entered yet; else E.
  void enter(Entry E) {
    if (NumEntered && (NumEntered + 1) * 4 <= Index.size() * 3)
      return put(E);
    size_t Size = 64;
    while (Size * 3 < (List.size() + 1) * 4)
      Size *= 2;
    Index.assign(Size, {});
    NumEntered = 0;
    for (const Entry &Known : List)
      if (Known.first)
        put(Known);
  }
  void put(Entry E) {
    size_t I = home(E.first);
    while (Index[I].first)
      I = (I + 1) & (Index.size() - 1);
    Index[I] = E;
    ++NumEntered;
  }
  std::vector<Entry> List;
  std::vector<NodeState *> ByItem; ///< where there are many; without the first few
  std::vector<Entry> Index;        ///< likewise, all of them: open addressing by key
  size_t NumEntered = 0;
  size_t NumForgotten = 0; ///< how many of List have no key
};

struct EventState {
  EventState(NodeState *Node, uint32_t Id, uint32_t Number) : Node(Node), Id(Id), Number(Number) {}

  void sealTo(ChunkStore &To) { Order.sealTo(To); }
  /// Notes that each visit has so many items from now on.
  void setUsual(uint64_t Items, uint64_t VisitsSince) {
    if (!Changes) {
      Changes = std::make_unique<UsualChanges>();
      Changes->PassesToChange.sealTo(*Order.store());
      Changes->UsualItems.sealTo(*Order.store());
    }
    Changes->PassesToChange.append(static_cast<int64_t>(VisitsSince));
    Changes->UsualItems.append(static_cast<int64_t>(Items));
    Usual = Items;
  }

  /// The predicted next item; null if nothing is predicted.
  EventItem *expected() { return Order.predicts() ? &Items[Order.predicted()] : nullptr; }
  /// Appends the predicted item.
  void advance() { Order.advance(); }
  /// Whether the same item is predicted again after it. Then advance(N) appends it N times.
  bool repeatsOne() const { return Order.repeatsOne(); }
  void advance(uint64_t N) { Order.advance(N); }
  void append(uint32_t Item) { Order.append(Item); }
  /// A new item, not in the sequence yet.
  EventItem &newItem() {
    EventItem &I = Items.emplace_back();
    I.Key = (uint64_t(Number) + 1) << 32 | Items.size();
    return I;
  }

  /// At each change of Usual.
  struct UsualChanges {
    IntStream PassesToChange; ///< from the change before
    IntStream UsualItems;     ///< from the change on
  };

  // Members that are used at the same time stand in the same cache line. The first one of Order is used at each item.
  Grammar Order;                         ///< over indices into Items
  std::unique_ptr<UsualChanges> Changes; ///< null: there was none, as at most events
  uint64_t LastChange = 0;               ///< Passed at the last change
  ChildNodes Children;
  uint64_t Asides = 0; ///< how many of Count are not the call that the event is about
  // The number of items in each visit that passes the event.
  uint64_t Visit = 0;         ///< the last visit of the node that had an item here
  uint64_t Count = 0;         ///< items in that visit
  uint64_t Turn = 0;          ///< the event's place among the events of that visit that had items, from 1
  uint64_t Usual = 0;         ///< items in each visit since the last change
  uint64_t Passed = 0;        ///< finished visits that passed the event
  uint64_t Sum = 0;           ///< of the frame at the last item
  NodeState *Node;            ///< null: calls outside of all structure
  uint32_t Id;                ///< in the node's region; 0: before the first event
  uint32_t Site = NoFunction; ///< the function that is called here, if the event is an MPI site
  std::vector<EventItem> Items;
  uint32_t Number; ///< among all events of the thread

  size_t memory() const {
    size_t N = sizeof *this + Order.memory() + Items.capacity() * sizeof(EventItem);
    if (Changes)
      N += sizeof *Changes + Changes->PassesToChange.memory() + Changes->UsualItems.memory();
    for (const EventItem &I : Items)
      N += I.RawCapacity * sizeof(uint64_t) + I.Paths.capacity() * sizeof(TickGap);
    return N;
  }
};

} // namespace pilgrim

#endif
