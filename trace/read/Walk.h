//===- Walk.h - a trace for all ranks at once --------------------*- C++ -*-===//
//
// For whoever does not want calls one by one. A walk shows the trace as it is kept: threads, their context nodes, the
// visits and paths of a node, the events, and at each event the items: calls and activations of nodes below. Whatever
// ranks have alike is there once, with the set of ranks. How often a call is made is a number by set of ranks; a value
// of a call is a function of the rank, or stands in a stream.
//
// A walk takes the time of the trace's bytes, not of its ranks or calls. It is const, keeps nothing that it finds, and
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
  std::span<const RankFn> Words;  ///< in the context that Walk::context gives
};

/// One call at one place, for all ranks that make it with the same shape. Refers to the trace.
struct CallShape {
  const FunctionSchema *Function = nullptr;
  uint32_t Thread = 0;            ///< index into Walk::threads()
  uint32_t Node = 0, Event = 0;   ///< where in the structure
  uint32_t Site = 0;              ///< for Walk::siteOf, + 1; 0: not known, or the event says it
  uint32_t Depth = 0;             ///< of a call made by a callback inside another call: 1 and up
  RankSet Ranks;                  ///< that make it
  std::vector<RankedCount> Calls; ///< how often each of them does; the sets are disjoint, and together Ranks
  std::vector<SlotShape> Slots;   ///< as Function->Slots

  // Where it stands in the trace, for the walk.
  const Variant *Content = nullptr;
  const RankedItems *Sequence = nullptr;
  uint32_t Terminal = 0; ///< of the sequence
};

/// An activation of a node below, at an event.
struct ActivationShape {
  uint32_t Child = 0; ///< index into the thread's nodes
  std::vector<RankedCount> Times;
};

/// A visit's way through its node, for all ranks that take it.
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
  std::string Name;              ///< predefined object: its constant
  std::span<const RankFn> Words; ///< as TraceData.h says, in the context of the world
};

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
  /// All calls of all threads, and what stands between calls and is none (Schema.h: isCall). Wanted: of these functions
  /// alone; null: of all.
  void forEachCall(const CallFn &F, const std::function<bool(const FunctionSchema &)> &Wanted = nullptr) const;

  const ObjectShape &object(uint32_t Thread, uint32_t Ref) const { return Objects[Thread][Ref]; }
  /// What it is on one rank; without the name.
  ObjectInfo objectOn(uint32_t Rank, uint32_t Thread, uint32_t Ref) const {
    return pilgrim::objectOn(Rank, object(Thread, Ref).K, object(Thread, Ref).Words, world());
  }
  std::string string(uint32_t Thread, uint32_t Ref) const { return group(Thread).string(Ref); }
  /// Sites are numbers below CallShape::Site.
  SiteInfo site(uint32_t Thread, uint32_t Site) const;
  /// Own rank and size that the words of a call are functions of, on one rank.
  RankContext context(const CallShape &C, uint32_t Rank) const;
  RankFn::ContextFn contextOf(const CallShape &C) const;
  /// Whether that is the world rank and size on all ranks.
  bool isInWorld(const CallShape &C) const;
  RankFn::ContextFn worldContext() const;
  /// A word of a slot that is not streamed, on one rank.
  int64_t word(const CallShape &C, unsigned Slot, unsigned Word, uint32_t Rank) const;

  /// What was measured of the call and of those that share its measure; null: nothing.
  const Measure *measure(const CallShape &C) const;

  /// The values that these slots have together, over all calls of the shape: F(ranks, values in the order of Slots,
  /// how often on each of the ranks). Slots that are streamed only, each of one word. Streams are not expanded where
  /// they repeat themselves. Nothing is called and false returned where a slot has a vector, or values are so many and
  /// irregular that they could only be told one by one.
  using CaseFn = std::function<void(const RankSet &, std::span<const int64_t>, uint64_t)>;
  bool forEachCase(const CallShape &C, std::span<const unsigned> Slots, const CaseFn &F) const;

  const Group &group(uint32_t Thread) const { return T.data().Groups[Thread]; }

private:
  Trace T; // shares the data
  std::vector<ThreadShape> Threads;
  std::vector<std::vector<ObjectShape>> Objects; ///< by thread
};

} // namespace pilgrim

#endif
