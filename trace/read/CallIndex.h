//===- CallIndex.h - going to any call of a thread ---------------*- C++ -*-===//
//
// The first N visits of a node, or the first N items of an event, determine how often everything below has happened:
// the paths of the visits give the number of passes over each event, the passes give the number of items, and the items
// give the activations of nodes below. All of these are sums that grammars and streams compute without being expanded.
// So the place of a call is searched for from the thread down, and a cursor begins there. The cost is some hundred
// times the size of the rank's part of the trace. It does not depend on the number of calls.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_CALLINDEX_H
#define PILGRIM_TRACE_READ_CALLINDEX_H

#include "trace/read/PassIndex.h"
#include "trace/read/Reader.h"
#include "trace/sequences/Sequence.h"
#include "trace/sequences/StreamIndex.h"

namespace pilgrim {

class CallIndex {
public:
  /// HasOwnTimes: cursors give the calls' own times, as Trace::timedCalls does, where the trace keeps them.
  explicit CallIndex(std::shared_ptr<const RankView> View, bool HasOwnTimes = false);

  /// The number of the thread's calls, as Call::Seq counts them.
  uint64_t calls() const;
  /// A cursor whose first call is numbered Seq or higher (Call::Seq).
  CallCursor fromCall(uint64_t Seq) const;
  /// A cursor whose first call ends at or after Time (seconds, as Call::Start), or a little earlier. The thread must
  /// have times. With own times the directory of their frames says where to look.
  CallCursor fromTime(double Time) const;
  /// A number (Call::Seq): calls with this one or a higher one that no callback made start at or after Time. UINT64_MAX
  /// if the thread may have none such. The first call behind Time does not say that: decoded starts may step back. With
  /// means they never do, and the number is 0.
  uint64_t over(double Time) const;

private:
  /// Totals over everything before a place.
  struct Amount {
    uint64_t Items = 0;     ///< as CallCursor::items()
    uint64_t Calls = 0;     ///< as Call::Seq counts them
    uint64_t Outermost = 0; ///< items that are not made by callbacks
    double Time = 0;        ///< seconds, from means
    uint64_t Timed = 0;     ///< items that have times of their own
    Amount &operator+=(const Amount &X);
    Amount operator-(const Amount &X) const {
      return {Items - X.Items, Calls - X.Calls, Outermost - X.Outermost, Time - X.Time, Timed - X.Timed};
    }
  };
  /// Whether a place with this amount before it precedes the place that is searched for.
  using IsBefore = std::function<bool(const Amount &)>;
  /// What an item of a signature adds.
  struct Weight {
    Amount Own;
    uint32_t Counted = UINT32_MAX; ///< stream that gives the number of calls the item stands for; UINT32_MAX: none
  };
  struct Event {
    Sequence Items;
    PassIndex Passes;
  };
  struct Node {
    std::optional<Sequence> Paths;
    std::optional<StreamIndex> Visits;
    uint32_t FirstEvent;
  };
  /// An activation that contains a place, and the position in it. All numbers count from the thread's begin.
  struct Level {
    uint32_t Node = 0;
    uint64_t Visit = 0, EndVisit = 0, Visits = 0;
    uint32_t Path = 0;
    size_t Passed = 0;              ///< events of the path, up to and including the place's
    uint32_t Event = 0;             ///< the place's
    uint64_t Item = 0, EndItem = 0; ///< Item: items begun before the place, including the one that contains it
    uint64_t ItemsAtBegin = 0, ItemsAtVisit = 0;
  };
  struct Place {
    std::vector<Level> Levels;
    Amount Before;
  };
  using Todo = std::vector<std::pair<uint32_t, uint64_t>>; ///< nodes and numbers of activations

  void addItems(uint32_t Event, uint64_t N, Amount &To, Todo &Below) const;
  void addVisits(uint32_t Node, uint64_t N, Amount &To, Todo &Below) const;
  Amount ofItems(uint32_t Event, uint64_t N) const;
  Amount ofVisits(uint32_t Node, uint64_t N) const;
  Amount below(Amount So, Todo &Below) const;
  std::vector<uint64_t> passes(uint32_t Node, uint64_t Visits) const;
  uint32_t eventAt(uint32_t Node, uint32_t Id) const;
  const Item &itemAt(const Level &L, uint64_t At) const;

  Place find(const IsBefore &F) const;
  bool findItem(Level &L, Amount &Before, const IsBefore &F) const;
  bool enter(Level &L, Amount &Before, const IsBefore &F) const;
  CallCursor at(const Place &P) const;
  void placeStreams(CallCursor &C, const std::vector<uint64_t> &Calls) const;
  CallCursor beginAt(const Place &P) const;
  CallCursor from(const IsBefore &F) const;
  CallCursor begin() const;
  std::shared_ptr<TimesCursor> timesFrom(uint64_t Timed) const;

  std::shared_ptr<const RankView> View;
  const CallTimes *Times = nullptr; ///< null: cursors give no own times
  std::vector<Node> Nodes;
  std::vector<Event> Events;
  std::vector<std::pair<uint32_t, uint32_t>> EventOf; ///< by event: node, and index there
  std::vector<StreamIndex> Streams;
  std::vector<Weight> Weights; ///< by signature
  bool HasInner = false;       ///< whether callbacks made calls
  bool HasArrays = false;      ///< whether calls have arrays as trace/model/RequestArray.h says
  bool IsMixed = false; ///< whether a slot is a list in some calls and not in others. The number of values taken is
                        ///< then unknown, and a cursor goes through the calls
};

} // namespace pilgrim

#endif
