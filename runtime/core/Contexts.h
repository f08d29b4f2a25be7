//===- Contexts.h - where in the program's structure calls are ----*- C++ -*-===//
//
// The context tree of a thread. It is built from the frames that markers keep on the stack (api/Markers.h). A node is a
// region in its context; a *visit* is one pass through the region. A call, or the activation of an inner region, is an
// *item* of the event that the frame entered last.
//
// Frames may be incomplete: code may be uninstrumented, or may be left by a longjmp or an exception. Calls then become
// items of the innermost frame that is known to be open, in their order. If a visit's path number does not explain the
// events that had items, the visit gets the path that was seen. So correctness never depends on structure; only the
// trace's size does.
//
// Steady state: successive visits of a node that take the same path, with no item or one item at each of its events,
// are a *run*. They are only counted. If nothing can happen behind the last event, the call there ends the visit, and
// the marker at the back edge has nothing to do. If an activation ends between two visits of a run, the run stays, and
// the node's next activation goes on with it.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_CORE_CONTEXTS_H
#define PILGRIM_CORE_CONTEXTS_H

#include "core/EventState.h"
#include "core/FunctionInfo.h"
#include "core/Structure.h"
#include "platform/AddressRange.h"

#include <bit>
#include <functional>
#include <map>
#include <string_view>

namespace pilgrim {

/// A prediction: the next event with an item on the path that a run takes; or, outside of all structure, the next item.
/// A call in steady state reads only the first cache line.
struct alignas(64) Step {
  /// A value that no frame has in Node.
  static NodeState *noNode() { return reinterpret_cast<NodeState *>(uintptr_t(2)); }

  // Set by foresee().
  uint64_t Function = NoFunction; ///< word 0 of the predicted record; NoFunction: the fast comparison cannot be used
  NodeState *Sole = noNode(); ///< the node, if every call there is this one and only has to be counted; else noNode()
  uint64_t Site = 0;          ///< the return address in the predicted record
  const uint64_t *Raw = nullptr; ///< the predicted record
  EventItem *Item = nullptr;
  bool IsSite = false;    ///< the event itself says where Function is called
  bool IsPlain = false;   ///< IsSite, and a byte of the frame's Event tells which event it is
  bool Repeats = false;   ///< the item is always the same: only visits are counted, and settle() tells At later
  bool IsCounted = false; ///< IsWhole and Repeats: the call only has to be counted

  bool EndsVisit = false;     ///< nothing can happen behind this event, so its call ends the visit
  uint32_t Event = 0;         ///< the frame's Event at the predicted call
  NodeState *Node = noNode(); ///< noNode(): outside of all structure
  uint64_t Sum = 0;           ///< the frame's Sum at the predicted call

  EventState *At = nullptr; ///< null in the step behind the last
  uint64_t Known = 0;       ///< if it Repeats: how many of the run's visits At has been told of
  bool IsWide = false;      ///< the event's number may need more than a byte; markers write all of it then
  bool IsWhole = false;     ///< the visit consists of this event alone, whatever the frame's sum is
  bool IsAlone = false;     ///< IsWhole, and the region has no other event
  /// Predicts from what At expects. To be called after each change of that.
  void foresee() {
    Item = At->expected();
    Function = Item ? Item->Whole : NoFunction;
    Repeats = Function != NoFunction && At->repeatsOne();
    IsCounted = IsWhole && Repeats;
    if (Function == NoFunction)
      return;
    Raw = Item->Raw.get();
    Site = Raw[RawSite];
    if (Node == noNode())
      return;
    IsSite = At->Site == Function;
    IsPlain = IsSite && !IsWide;
    if (IsSite && Site)
      Function = NoFunction;
    Sole = IsAlone && IsSite && IsCounted ? Node : noNode();
  }
  /// Tells At of the visits that were only counted. Visits: finished ones of the run. Next: the run's next step.
  void settle(uint64_t Visits, const Step *Next) {
    if (Repeats)
      At->advance(passed(Visits, Next) - Known);
    know(Visits, Next);
  }
  /// Notes that At was told of all visits.
  void know(uint64_t Visits, const Step *Next) { Known = passed(Visits, Next); }

private:
  uint64_t passed(uint64_t Visits, const Step *Next) const { return Visits + (this < Next); }
};

static_assert(std::endian::native == std::endian::little);

struct alignas(64) NodeState {
  struct Path {
    uint64_t Sum = UINT64_MAX;
    uint32_t Cut = UINT32_MAX;
    uint32_t Last = 0;            ///< the event behind which nothing can happen; 0: none
    std::vector<uint32_t> Events; ///< arms included
    uint64_t Uses = 0;
    std::vector<EventState *> Known; ///< the events on the path that have had items, event 0 first
    uint32_t NumKnown = 0;           ///< the node's NumKnown when Known was made
  };
  /// What Steps were made for: while this is the same, another run has the same steps.
  struct StepsKey {
    uint32_t Path = UINT32_MAX;
    uint32_t NumKnown = 0;
    uint64_t NumChanges = 0;
    bool operator==(const StepsKey &) const = default;
  };

  // Members that are used at the same time stand in the same cache line. An activation in which a resting run goes on
  // needs the first two lines.
  // While the node is open. A run rests while an activation inside of it is the innermost (Contexts::Running).
  PilgrimFrame *Frame = nullptr; ///< null: the node is not open
  Step *Next = nullptr;          ///< of a resting run: its next step, among Steps
  Step *First = nullptr;         ///< of a run: the first of Steps
  uint64_t Alike = 0;            ///< of a resting run: its finished visits, those of earlier activations included
  uint64_t PathSum = 0;          ///< of a run: the sum of its path
  uint64_t Visit = 0;            ///< the current visit; counts from 1, without those that the run has counted
  uint64_t Before = 0;           ///< Visit + Alike when the activation began
  uint32_t Item = 0;             ///< index of this node among the items of At
  bool InRun = false;            ///< a run between two visits stays while the node is not open
  bool InVisit = false;
  const void *Needed[3] = {};         ///< what the run's first step needed last
  const PilgrimRegion *Key = nullptr; ///< null: it may be gone
  IntStream Visits;

  uint32_t Event = 0; ///< the frame's Event when it was last read: the frame's memory may be gone when this is needed
  uint64_t Sum = 0;   ///< the frame's Sum, likewise
  uint64_t Turns = 0; ///< how many events had items in the current visit
  EventState *Last = nullptr; ///< the last event that had one
  RegionInfo *Info = nullptr;
  EventState *At = nullptr;                        ///< the parent's event that the region is activated at
  std::vector<std::unique_ptr<EventState>> Events; ///< by id; null: the event had no item yet
  uint32_t NumKnown = 0;                           ///< how many of Events are not null
  uint32_t LastPath = 0;
  uint64_t NumChanges = 0; ///< how often the usual number of items changed at an event

  std::vector<Path> Paths;
  std::vector<Step> Steps; ///< of a run on a path, and one step behind the last
  StepsKey StepsFor;

  Grammar PathOrder;
  NodeState *Parent = nullptr;
  uint32_t Index = 0; ///< among all nodes, from 1
  /// Where to find paths. Most nodes have a few, and need neither.
  struct PathMaps {
    std::map<std::pair<uint64_t, uint32_t>, uint32_t> Of; ///< by sum and cut; without the first few of Paths
    std::map<std::vector<uint32_t>, uint32_t> Seen;       ///< for visits that no path of the graph explains
  };
  Owned<PathMaps> Maps; ///< null: both are empty
  PathMaps &maps() {
    if (!Maps)
      Maps.reset(new PathMaps);
    return *Maps;
  }
};

/// The cut of a path that was not cut short.
constexpr uint32_t CompletePath = UINT32_MAX;

class Contexts {
public:
  /// What the tree asks whoever uses it.
  class Surroundings {
  public:
    /// The traced function that a symbol names (MPI_Send, mpi_send_), or NoFunction.
    virtual uint32_t functionNamed(std::string_view Symbol) = 0;
    /// Whether R is a region of a loaded module. It may be garbage: what a dead frame left on the stack.
    virtual bool isRegion(const PilgrimRegion *R) = 0;
    /// A number that changes when code was unloaded. From then on the address of a region or of a call may be
    /// another's. A new generation begins then, too, so that records are compared anew.
    virtual uint64_t unloads() { return 0; }

  protected:
    ~Surroundings() = default;
  };
  /// Chunks: takes what is sealed.
  Contexts(Surroundings &Around, ChunkStore &Chunks);
  ~Contexts();
  static constexpr uint32_t MaxNodes = 32768;
  /// Frames are only looked at where the thread's own stack lies. Nothing that is open has its frame elsewhere.
  void limitStack(AddressRange Stack) { Within = Stack; }

  /// The event of calls outside of all structure. What is open did not end as its markers would say (a fiber went to
  /// another thread); if it goes on, that is another activation, as it comes behind the call.
  EventState &root() {
    settleRoot();
    if (!Open.empty()) [[unlikely]]
      closeAll();
    return Root;
  }
  /// The Region of a frame that stands for the frames of the thread that started a team (api/Markers.h). Node is the
  /// PilgrimFork then.
  static const PilgrimRegion TeamRegion;
  /// Finds the event of a call and counts an item there. Top: the thread's innermost frame. Stack: where the call
  /// itself stands on the stack; frames below are dead. If that is not the thread's own stack, the call stands where
  /// that was left. First: set if the event has had no call in this visit. Not IsCall: the item is no call but stands
  /// before one of the same visit, and is no step of a run.
  EventState &enter(PilgrimFrame *Top, uintptr_t Stack, bool &First, bool IsCall = true);
  /// Makes Top an open activation if it is a new one, directly inside of the innermost one, of a node that is known and
  /// in whose run it goes on. Stack: as for enter().
  bool openKnown(PilgrimFrame *Top, uintptr_t Stack);
  /// Whether next() predicts a call of Function there with Site as its return address. If not, enter() has to be asked.
  /// Changes nothing.
  bool foresees(const PilgrimFrame *Top, uintptr_t Stack, uint32_t Function, uint64_t Site) const {
    const Step &S = *Running.Next;
    if (S.Function != Function)
      return false;
    if (!Top)
      return S.Node == Step::noNode() && S.Site == Site;
    if (Top != Running.Frame || !isAbove(Top, Stack)) [[unlikely]]
      return false; // a frame of a coroutine may be gone
    if (Top->Node != S.Sole) [[unlikely]] {
      // Mostly, the marker has just written one byte. A wider read would wait until that byte is in the cache.
      if (Top->Node != S.Node ||
          *reinterpret_cast<const volatile uint8_t *>(&Top->Event) != static_cast<uint8_t>(S.Event))
        return false;
      if (!S.IsPlain && ((S.IsWide && Top->Event != S.Event) || (!S.IsSite && S.Site != Site)))
        return false;
    }
    return true;
  }
  const Step &next() const { return *Running.Next; }
  /// Records that what next() predicts has happened.
  [[gnu::always_inline]] void follow() {
    if (!Running.Next->IsCounted)
      return followOther();
    ++Running.Alike;
  }
  /// To be called when E, which enter() returned, has got its item. IsWithin: the item is not the call that the event
  /// is about; that call is still to come.
  void learn(const EventState &E, bool IsWithin);
  /// Whether the innermost activation began inside of what lies on the stack at Place.
  bool isInside(const void *Place) const {
    return !Open.empty() && reinterpret_cast<uintptr_t>(Open.back()->Frame) < reinterpret_cast<uintptr_t>(Place);
  }
  /// A marker's call: a visit of the frame's region ends.
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
  /// A marker's call: an activation ends.
  void leave(PilgrimFrame *Frame);
  /// The thread ended. Another one goes on with this tree, and has this stack.
  void leaveAll(AddressRange Stack) {
    settleRoot();
    closeAll();
    limitStack(Stack);
  }

  /// The number of events so far.
  uint32_t events() const { return NumEvents; }
  size_t memory() const;
  /// Where an event is: the index of its node, 0 outside of all structure; its number in the node's region.
  struct EventPlace {
    uint32_t Node = 0, Id = 0;
  };
  /// By number.
  std::vector<EventPlace> eventPlaces() const;
  /// Whether what was recorded is still needed when it is written.
  enum class After : bool { Keep, Free };
  /// Closes the open nodes, and writes nodes and regions for world rank Rank to Out and G. Items: writes an event's
  /// items. After::Free: nothing is recorded any more in any thread, and each node is gone as soon as it is written,
  /// so that only one form of it takes memory.
  void finish(TraceData &Out, Group &G, uint32_t Rank, After What,
              const std::function<void(EventState &, EventData &)> &Items);

private:
  /// A new activation in the same memory is not mistaken for the old one: its markers have cleared Node.
  static bool isWhole(const NodeState &N) { return N.Frame->Node == &N; }
  bool isInnermost(const PilgrimFrame *F) const {
    return !Open.empty() && Open.back()->Frame == F && isWhole(*Open.back());
  }
  static bool isAbove(const PilgrimFrame *F, uintptr_t Stack) { return reinterpret_cast<uintptr_t>(F) > Stack; }
  bool isOnStack(const PilgrimFrame *F, uintptr_t Stack) const {
    return isAbove(F, Stack) && reinterpret_cast<uintptr_t>(F) <= Within.End - sizeof *F;
  }
  bool isNext(const PilgrimFrame *Top, uintptr_t Stack) const {
    return Top->Node == Running.Next->Node && isAbove(Top, Stack) && Top->Event == Running.Next->Event;
  }
  void settleRoot();
  void step();
  void followOther();
  EventState &enterElsewhere(bool &First, bool IsCall);
  EventState &enterInnermost(uintptr_t Stack, bool &First, bool IsCall);
  EventState &enterEvent(NodeState &N, bool &First);
  static void beginVisit(NodeState &N);
  bool open(PilgrimFrame *Frame);
  static NodeState *findAmongMany(const EventState &At, const PilgrimRegion *Key);
  void activate(NodeState *Outer, EventState &At, bool IsStep, NodeState &N, PilgrimFrame *Frame);
  void forgetRegions();
  NodeState *child(EventState &At, NodeState *Parent, const PilgrimRegion *Key);
  EventState &makeEvent(NodeState &N, uint32_t Id);
  void comeBack(NodeState &N, EventState &E);
  void finishVisit(NodeState &N, uint32_t Cut, bool AsSeen);
  void endOtherVisit(PilgrimFrame *Frame);
  static bool makeSteps(NodeState &N);
  void startRun(NodeState &N);
  void endRun(NodeState &N);
  bool endsInRun(NodeState &N);
  void rest();
  void resume();
  void close();
  void closeAll() {
    while (!Open.empty())
      close();
    NumMirrors = 0;
  }
  void pop();
  size_t openMirrors(const PilgrimFork &Fork);
  size_t openUpTo(const PilgrimFrame *Mirror) const;
  void findAround(const PilgrimFork &Fork);
  bool find(PilgrimFrame *Frame);
  uint32_t pathOf(NodeState &N, uint64_t Sum, uint32_t Cut);
  static bool explains(const NodeState &N, NodeState::Path &P);
  static uint32_t seenPath(NodeState &N);

  /// The run that calls are compared with now: that of the innermost activation; or, outside of all structure, the
  /// items of the thread's own event, each of which counts as a visit.
  struct Run {
    Step *Next;                    ///< a step of the node, or OfRoot; Nothing: there is no run
    PilgrimFrame *Frame = nullptr; ///< null: outside of all structure, or no run
    Step *First = nullptr;
    uint64_t Alike = 0; ///< finished visits
    uint64_t Sum = 0;   ///< of the path
  } Running{&Nothing};
  Step *Passed = nullptr; ///< the step whose event enter() returned
  Surroundings &Around;
  ChunkStore &Chunks;
  Step OfRoot, Nothing;
  EventState Root{nullptr, 0, 0};
  std::vector<NodeState *> Open; ///< the innermost last
  std::vector<std::unique_ptr<NodeState>> Nodes;
  std::vector<PilgrimFrame *> Fresh; ///< scratch of enter()
  /// A frame of another thread, as it was when it was last looked at. If it has a node here, that is among the
  /// outermost ones of Open.
  struct Mirror {
    PilgrimFrame Frame; ///< Parent is not used
    const PilgrimFrame *Of = nullptr;
    uint32_t Visit = 0; ///< the number of its visit
  };
  std::vector<std::unique_ptr<Mirror>> Mirrors; ///< outermost first; without those from NumMirrors on
  size_t NumMirrors = 0;
  std::vector<const PilgrimFrame *> Outside; ///< scratch of openMirrors()
  std::vector<uint32_t> Decoded;             ///< scratch of pathOf()
  Structure Regions;
  uint64_t Unloads = 0; ///< as Around had it
  uint32_t NumEvents = 1;
  AddressRange Within{0, UINTPTR_MAX};
};

} // namespace pilgrim

#endif
