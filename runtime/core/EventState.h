//===- EventState.h - what happens at one event, compressed -------*- C++ -*-===//
//
// A sequence of items, each a call or an activation of a context node, while it is recorded. Belongs to a node of the
// context tree (Contexts.h); a thread without structure has one.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_CORE_EVENTSTATE_H
#define PILGRIM_CORE_EVENTSTATE_H

#include "trace/sequences/Grammar.h"
#include "trace/sequences/IntStream.h"

#include <memory>
#include <vector>

namespace pilgrim {

constexpr uint32_t NoFunction = UINT32_MAX;

struct NodeState;
struct CallSite;

/// One of an event's distinct items.
struct EventItem {
  uint32_t Index = 0; ///< of the recorder's signatures; of the nodes
  bool IsNode = false;
  uint64_t Whole = NoFunction;     ///< word 0 of Raw, if that is all there is to know of a call
  std::unique_ptr<uint64_t[]> Raw; ///< the raw record last seen, without streamed slots
  uint32_t RawSize = 0, RawCapacity = 0;
  uint64_t Generation = 0;
  CallSite *Home = nullptr; ///< set if the signature has streams
  uint64_t Duration = 0, Gap = 0;
};

struct EventState {
  EventState(NodeState *Node, uint32_t Id, uint32_t Number) : Node(Node), Id(Id), Number(Number) {}

  NodeState *Node;            ///< null: the thread itself
  uint32_t Id;                ///< in the node's region; 0: before the first event
  uint32_t Number;            ///< counts all events of the thread
  uint32_t Site = NoFunction; ///< the function that a site calls
  Grammar Order;              ///< over indices into Items
  std::vector<EventItem> Items;
  std::vector<NodeState *> Children;

  /// The item that comes next if the sequence goes on as it did; null if nothing is foreseen.
  EventItem *expected() { return Order.predicts() ? &Items[Order.predicted()] : nullptr; }
  /// It came.
  void advance() { Order.advance(); }
  /// Whether the same is expected again after it; then advance(N) is right, too.
  bool repeatsOne() const { return Order.repeatsOne(); }
  void advance(uint64_t N) { Order.advance(N); }
  void append(uint32_t Item) { Order.append(Item); }
  /// A new item, not in the sequence yet.
  EventItem &newItem() { return Items.emplace_back(); }

  // How many items a visit has here.
  uint64_t Visit = 0;  ///< the last visit of the node that had an item
  uint64_t Count = 0;  ///< items in that visit
  uint64_t Asides = 0; ///< of them, those that are not what the event is about
  uint64_t Turn = 0;   ///< events of that visit that had items before this one
  uint64_t Usual = 0;  ///< what Passes and Counts say so far
  uint64_t Passed = 0; ///< passes of finished visits
  uint64_t LastChange = 0;
  uint64_t Sum = 0; ///< of the frame at the last item
  IntStream Passes, Counts;

  size_t memory() const {
    size_t N = sizeof *this + Order.memory() + Items.capacity() * sizeof(EventItem) + Passes.memory() + Counts.memory();
    for (const EventItem &I : Items)
      N += I.RawCapacity * sizeof(uint64_t);
    return N;
  }
};

} // namespace pilgrim

#endif
