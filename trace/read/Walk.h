//===- Walk.h - a trace for all ranks at once --------------------*- C++ -*-===//
//
// For readers that do not need calls one by one. A walk shows the trace as it is stored: threads, their context nodes,
// the visits and paths of a node, the events, and the items at each event, which are calls and activations of nodes
// below. Whatever ranks have in common is there once, with the set of ranks. The number of times that a call is made is
// given by set of ranks. A value of a call is a function of the rank, or is in a stream.
//
// A walk takes time proportional to the bytes of the trace, not to its ranks or calls. It is const, caches nothing, and
// may be used by several threads. It must not outlive the trace.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_WALK_H
#define PILGRIM_TRACE_READ_WALK_H

#include "trace/read/Levels.h"
#include "trace/read/Reader.h"

#include <functional>

namespace pilgrim {

/// A slot of a call, for all ranks that make it. The tag and references are as Signature.h says.
struct SlotShape {
  Tag T = Tag::Absent;
  bool IsStreamed = false;        ///< the values are in streams: see Walk::forEachCase
  uint32_t Length = 0;            ///< of Array, Objects, Statuses that are not streamed
  uint32_t Ref = 0;               ///< Name, String, Data: for Walk::string; Object: for Walk::object
  std::span<const uint32_t> Refs; ///< Objects: for Walk::object
  WordSpan Words;                 ///< in the context that Walk::context gives
};

/// One call at one place, for all ranks that make it with the same shape. Refers to the trace.
struct CallShape {
  const FunctionSchema *Function = nullptr;
  uint32_t Thread = 0;            ///< index into Walk::threads()
  uint32_t Node = 0, Event = 0;   ///< where in the structure
  uint32_t Site = 0;              ///< for Walk::siteOf, + 1; 0: not known, or given by the event
  uint32_t Depth = 0;             ///< of a call made by a callback inside another call: 1 and up
  RankSet Ranks;                  ///< that make it
  std::vector<RankedCount> Calls; ///< calls of each rank; the sets are disjoint, and their union is Ranks
  std::vector<SlotShape> Slots;   ///< as Function->Slots

  // Its place in the trace, for use by Walk.
  const Entry *Of = nullptr;
  const Variant *Content = nullptr; ///< of that entry; other entries may share it
  const RankedItems *Sequence = nullptr;
  uint32_t Terminal = 0; ///< of the sequence
};

/// An activation of a node below, at an event.
struct ActivationShape {
  uint32_t Child = 0; ///< index into the thread's nodes
  std::vector<RankedCount> Times;
};

/// The path of a visit through its node, for all ranks that take it.
struct PathShape {
  std::span<const uint32_t> Events;
  std::vector<RankedCount> Times;
};

struct NodeShape {
  uint32_t Index = 0, Parent = 0, Event = 0; ///< where it is activated
  const Region *Structure = nullptr;         ///< null: the thread itself
  std::vector<uint32_t> Events;              ///< that have items, ascending
};

struct ThreadShape {
  uint32_t Number = 0;
  RankSet Ranks;
  bool IsTimed = false;
  uint32_t Nodes = 0;
};

/// A communicator, datatype, window or file, for all ranks that have it.
struct ObjectShape {
  Kind K = Kind::Comm;
  std::string Name; ///< predefined object: its constant
  WordSpan Words;   ///< as TraceData.h says, in the context of the world
};

class KnownCases;

/// For one thread at a time.
class Walk {
public:
  explicit Walk(const Trace &T);

  const Trace &trace() const { return T; }
  uint32_t world() const { return T.world(); }
  const RankSet &ranks() const { return T.ranks(); }
  const std::vector<ThreadShape> &threads() const { return Threads; }

  NodeShape node(uint32_t Thread, uint32_t Node) const;
  /// Visits of a node, by rank.
  std::vector<RankedCount> visits(uint32_t Thread, uint32_t Node) const;
  void forEachPath(uint32_t Thread, uint32_t Node, const std::function<void(const PathShape &)> &F) const;
  using CallFn = std::function<void(const CallShape &)>;
  using ActivationFn = std::function<void(const ActivationShape &)>;
  /// What happens at an event, sequence by sequence, in the order of first use.
  void forEachItem(uint32_t Thread, uint32_t Node, uint32_t Event, const CallFn &OnCall,
                   const ActivationFn &OnActivation) const;
  /// All calls of all threads, and the items of tracer functions between them (Schema.h: isCall). Wanted: selects
  /// functions; null: all.
  void forEachCall(const CallFn &F, const std::function<bool(const FunctionSchema &)> &Wanted = nullptr) const;

  const ObjectShape &object(uint32_t Thread, uint32_t Ref) const { return Objects[Thread][Ref]; }
  /// The object on one rank, without the name.
  ObjectInfo objectOn(uint32_t Rank, uint32_t Thread, uint32_t Ref) const {
    return pilgrim::objectOn(Rank, object(Thread, Ref).K, object(Thread, Ref).Words, world());
  }
  std::string string(uint32_t Thread, uint32_t Ref) const { return group(Thread).string(Ref); }
  /// Sites are numbers below CallShape::Site.
  SiteInfo site(uint32_t Thread, uint32_t Site) const;
  /// Own rank and size on one rank, which the words of a call are functions of.
  RankContext context(const CallShape &C, uint32_t Rank) const;
  RankFn::ContextFn contextOf(const CallShape &C) const;
  /// Whether this context is the world rank and size on all ranks.
  bool isInWorld(const CallShape &C) const;
  RankFn::ContextFn worldContext() const;
  /// A word of a slot that is not streamed, on one rank.
  int64_t word(const CallShape &C, unsigned Slot, unsigned Word, uint32_t Rank) const;

  /// The measure of the call, which other calls may share; null: none.
  const Measure *measure(const CallShape &C) const;
  /// How long ranks needed for the calls of each function, site and depth at an event; empty: no times.
  const std::map<MeasuredPlace, PlaceTimes> &places(uint32_t Thread, uint32_t Node, uint32_t Event) const {
    return group(Thread).Nodes[Node].Events.at(Event).Places;
  }
  /// What was measured at an event.
  const std::vector<Measure> &measures(uint32_t Thread, uint32_t Node, uint32_t Event) const {
    return group(Thread).Nodes[Node].Events.at(Event).Measures;
  }
  /// How long they needed in a node and all below it.
  const NodeTimes &times(uint32_t Thread, uint32_t Node) const { return group(Thread).Nodes[Node].Times; }

  /// Calls F(ranks, values in the order of Slots, number of calls on each of the ranks) for each combination of values
  /// that these slots have, over all calls of the shape. The slots must be streamed, with one word each. Repetitive
  /// streams are not expanded. False if a slot has a vector, or if the values are so many and irregular that they would
  /// have to be listed one by one; F is then not called.
  using CaseFn = std::function<void(const RankSet &, std::span<const int64_t>, uint64_t)>;
  bool forEachCase(const CallShape &C, std::span<const unsigned> Slots, const CaseFn &F) const;

  const Group &group(uint32_t Thread) const { return T.data().Groups[Thread]; }

private:
  Trace T; // shares the data
  std::vector<ThreadShape> Threads;
  std::vector<std::vector<ObjectShape>> Objects; ///< by thread
  std::shared_ptr<KnownCases> Known;             ///< of forEachCase()
};

} // namespace pilgrim

#endif
