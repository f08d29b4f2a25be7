//===- Contexts.h - where in the program's structure calls are ----*- C++ -*-===//
//
// The context tree of a thread, grown by the frames that markers keep (api/Markers.h). Everything is attached to (node,
// visit, last event): a call or an activation inside a frame is an item of the event that the frame entered last.
//
// Nothing here trusts frames to be complete. Whatever code is not instrumented, or left by a longjmp or an exception,
// calls become items of the innermost frame that is known to be open, in their order; a visit whose path number does
// not explain the events that had items gets the path that was seen. Structure makes a trace small, never right.
//
// Steady state: visits of a node that take the same path, each of its events with the same number of items, none or
// one, are a *run*. They are only counted. Where nothing can happen behind the last event, its call is the end of the
// visit, and the marker at the back edge has nothing to do.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_CORE_CONTEXTS_H
#define PILGRIM_CORE_CONTEXTS_H

#include "core/EventState.h"
#include "core/FunctionInfo.h"
#include "core/Structure.h"

#include <bit>
#include <functional>
#include <map>
#include <string_view>

namespace pilgrim {

/// What is foreseen: an event on a path that visit after visit takes, with its item; or what comes next outside of all
/// structure. One cache line is all that a call looks at.
struct alignas(64) Step {
  /// What no frame has in Node.
  static NodeState *noNode() { return reinterpret_cast<NodeState *>(uintptr_t(2)); }

  // As foresee() saw them.
  uint64_t Function = NoFunction; ///< of the item; NoFunction: no call is foreseen that easily
  NodeState *Sole = noNode();    ///< Node, if to be there is to be at this site, and nothing is to be done but to count
  uint64_t Site = 0;             ///< what the record says
  const uint64_t *Raw = nullptr; ///< the record
  EventItem *Item = nullptr;
  bool IsSite = false;    ///< the event says where Function is called
  bool Repeats = false;   ///< always with this item: visits are counted, and At learns of it later (settle())
  bool IsCounted = false; ///< IsWhole and Repeats: nothing is to be done but to count

  bool EndsVisit = false;     ///< nothing can happen behind it: this was the visit
  uint32_t Event = 0;         ///< what the frame says there
  NodeState *Node = noNode(); ///< noNode(): outside of all structure
  uint64_t Sum = 0;           ///< what the frame says there

  EventState *At = nullptr; ///< null behind the last
  uint64_t Known = 0;       ///< where it Repeats: how many of the run's visits At has learnt of
  bool IsWide = false;      ///< the event's number may be more than a byte
  bool IsWhole = false;     ///< it is all of a visit, whatever the frame's sum
  bool IsAlone = false;     ///< likewise, and the region has no other event
  /// To be called after each change of what At expects.
  void foresee() {
    Item = At->expected();
    Function = Item && !IsWide ? Item->Whole : NoFunction;
    Repeats = Function != NoFunction && At->repeatsOne();
    IsCounted = IsWhole && Repeats;
    if (Function == NoFunction)
      return;
    Raw = Item->Raw.get();
    Site = Raw[RawSite];
    if (Node == noNode())
      return;
    IsSite = At->Site == Function;
    if (IsSite && Site)
      Function = NoFunction;
    Sole = IsAlone && IsSite && IsCounted ? Node : noNode();
  }
  /// Tells At what it has not learnt yet, in a run of so many finished visits whose next step is Next.
  void settle(uint64_t Visits, const Step *Next) {
    if (Repeats)
      At->advance(passed(Visits, Next) - Known);
    know(Visits, Next);
  }
  /// At has learnt of all that happened.
  void know(uint64_t Visits, const Step *Next) { Known = passed(Visits, Next); }

private:
  uint64_t passed(uint64_t Visits, const Step *Next) const { return Visits + (this < Next); }
};

static_assert(std::endian::native == std::endian::little);

struct NodeState {
  // While it is open.
  PilgrimFrame *Frame = nullptr; ///< null: it is not
  Step *Next = nullptr;          ///< in a run that rests: among Steps
  uint64_t Alike = 0;            ///< in a run that rests: finished visits
  bool InRun = false;
  bool InVisit = false;
  uint32_t Event = 0; ///< as the frame said when it was last looked at: its memory may be gone when that matters
  uint64_t Sum = 0;   ///< likewise
  uint64_t NumVisits = 0;

  NodeState *Parent = nullptr;
  EventState *At = nullptr; ///< event of the parent
  uint32_t Item = 0;        ///< among the items of At
  uint32_t Index = 0;       ///< of all nodes
  const PilgrimRegion *Key = nullptr;
  RegionInfo *Info = nullptr;
  std::vector<std::unique_ptr<EventState>> Events; ///< by id; null: had no item yet
  size_t NumKnown = 0;                             ///< that are not null

  struct Path {
    uint64_t Sum = UINT64_MAX;
    uint32_t Cut = UINT32_MAX;
    uint32_t Last = 0;            ///< the event that nothing can happen behind; 0: none
    std::vector<uint32_t> Events; ///< arms included
    uint64_t Uses = 0;
    std::vector<EventState *> Known; ///< those that have had items, event 0 first
    size_t NumKnown = 0;             ///< events of the node when Known was made
  };
  std::vector<Path> Paths;
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> PathOf; ///< by sum and cut
  std::map<std::vector<uint32_t>, uint32_t> SeenPaths;      ///< of visits that no path of the graph explains
  uint32_t LastPath = 0;
  Grammar PathOrder;
  IntStream Visits;
  std::vector<Step> Steps; ///< of LastPath, and one behind

  uint64_t Visit = 0;         ///< the current one; counts from 1
  uint64_t Turns = 0;         ///< events that had items in it
  EventState *Last = nullptr; ///< the last of them
};

/// What stands for the cut of a path that has none.
constexpr uint32_t CompletePath = UINT32_MAX;

class Contexts {
public:
  /// What the tree asks of its surroundings.
  class Surroundings {
  public:
    /// The traced function that a symbol names (MPI_Send, mpi_send_), or NoFunction.
    virtual uint32_t functionNamed(std::string_view Symbol) = 0;
    /// Whether R is a region of a loaded module, and not what a frame that is gone left on the stack.
    virtual bool isRegion(const PilgrimRegion *R) = 0;

  protected:
    ~Surroundings() = default;
  };
  explicit Contexts(Surroundings &Around);
  ~Contexts();
  static constexpr uint32_t MaxNodes = 32768;
  /// The thread has no frames from this address on.
  void limitStack(uintptr_t End) { StackEnd = End; }

  /// Event of calls outside of all structure.
  EventState &root() {
    settleRoot();
    return Root;
  }
  /// Where a call is made whose thread's innermost frame is Top, and which stands itself at Stack: frames below that
  /// are dead. First: the event has had no call in this visit. Counts the item. Not IsCall: it stands before a call
  /// that will be an item of the same visit, and is no step of a run.
  EventState &enter(PilgrimFrame *Top, uintptr_t Stack, bool &First, bool IsCall = true);
  /// Whether a call of Function is foreseen there, with Site as its address: next(). Else enter() has to be asked.
  /// Changes nothing.
  bool foresees(const PilgrimFrame *Top, uintptr_t Stack, uint32_t Function, uint64_t Site) const {
    const Step &S = *Running.Next;
    if (S.Function != Function)
      return false;
    if (!Top)
      return S.Node == Step::noNode() && S.Site == Site;
    if (Top->Node != S.Sole) [[unlikely]] {
      // The marker has just written a byte. Reading more would wait until that is in the cache.
      if (Top != Running.Frame || Top->Node != S.Node ||
          *reinterpret_cast<const volatile uint8_t *>(&Top->Event) != S.Event)
        return false;
      if (!S.IsSite && S.Site != Site)
        return false;
    }
    return isAbove(Top, Stack);
  }
  const Step &next() const { return *Running.Next; }
  /// It happened.
  [[gnu::always_inline]] void follow() {
    if (!Running.Next->IsCounted)
      return followOther();
    ++Running.Alike;
  }
  /// To be called whenever E, which enter() gave, has got its item. IsWithin: the call that the event is about is still
  /// to come.
  void learn(const EventState &E, bool IsWithin);
  /// The markers' calls.
  void endVisit(PilgrimFrame *Frame) {
    Run &R = Running;
    if (R.Frame == Frame && Frame->Node == R.Next->Node && !R.Next->At && Frame->Sum == R.Sum) [[likely]] {
      R.Next = R.First;
      ++R.Alike;
      Frame->Touched = 0;
    } else {
      endOtherVisit(Frame);
    }
  }
  void leave(PilgrimFrame *Frame);
  /// The thread ended; another one goes on, with a stack that ends there.
  void leaveAll(uintptr_t End) {
    settleRoot();
    while (!Open.empty())
      close();
    limitStack(End);
  }

  /// Number of events so far.
  uint32_t events() const { return NumEvents; }
  size_t memory() const;
  /// Closes what is open and writes nodes and regions. Items: writes the items of an event.
  void finish(TraceData &Out, Group &G, uint32_t Rank, const std::function<void(EventState &, EventData &)> &Items);

private:
  /// Of a new activation in the same memory the markers would have cleared Node.
  bool isInnermost(const PilgrimFrame *F) const {
    return !Open.empty() && Open.back()->Frame == F && F->Node == Open.back();
  }
  static bool isAbove(const PilgrimFrame *F, uintptr_t Stack) { return reinterpret_cast<uintptr_t>(F) > Stack; }
  bool isOnStack(const PilgrimFrame *F, uintptr_t Stack) const {
    return isAbove(F, Stack) && reinterpret_cast<uintptr_t>(F) < StackEnd;
  }
  bool isNext(const PilgrimFrame *Top, uintptr_t Stack) const {
    return Top->Node == Running.Next->Node && isAbove(Top, Stack) && Top->Event == Running.Next->Event;
  }
  void settleRoot();
  void step();
  void followOther();
  EventState &enterInnermost(uintptr_t Stack, bool &First, bool IsCall);
  EventState &enterEvent(NodeState &N, bool &First);
  static void beginVisit(NodeState &N);
  bool open(PilgrimFrame *Frame);
  NodeState *child(EventState &At, NodeState *Parent, const PilgrimRegion *Key);
  EventState &makeEvent(NodeState &N, uint32_t Id);
  void comeBack(NodeState &N, EventState &E);
  void finishVisit(NodeState &N, uint32_t Cut, bool AsSeen);
  void endOtherVisit(PilgrimFrame *Frame);
  void startRun(NodeState &N);
  void endRun(NodeState &N);
  void rest();
  void resume();
  void close();
  void pop();
  bool find(PilgrimFrame *Frame);
  static uint32_t pathOf(NodeState &N, uint64_t Sum, uint32_t Cut);
  static bool explains(const NodeState &N, NodeState::Path &P);
  static uint32_t seenPath(NodeState &N);

  Surroundings &Around;
  EventState Root{nullptr, 0, 0};
  std::vector<std::unique_ptr<NodeState>> Nodes;
  std::vector<NodeState *> Open; // the innermost last
  Step Nothing, OfRoot;
  /// The run of the innermost activation, if it is in one; outside of all structure what the thread's own event
  /// expects, whose every item is a visit.
  struct Run {
    Step *Next;                    // among the node's, or OfRoot, or Nothing
    PilgrimFrame *Frame = nullptr; // null: not of an activation
    Step *First = nullptr;
    uint64_t Alike = 0;
    uint64_t Sum = 0; // of the path
  } Running{&Nothing};
  Step *Passed = nullptr;            // the one that enter() gave the event of
  std::vector<PilgrimFrame *> Fresh; // scratch of enter()
  Structure Regions;
  uint32_t NumEvents = 1;
  uintptr_t StackEnd = UINTPTR_MAX;
};

} // namespace pilgrim

#endif
