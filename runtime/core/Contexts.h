//===- Contexts.h - where in the program's structure calls are ----*- C++ -*-===//
//
// The context tree of a thread, grown by the frames that markers keep (api/Markers.h). Everything is attached to (node,
// visit, last event): a call or an activation inside a frame is an item of the event that the frame entered last.
//
// Nothing here trusts frames to be complete. Whatever code is not instrumented, or left by a longjmp or an exception,
// calls become items of the innermost frame that is known to be open, in their order; a visit whose path number does
// not explain the events that had items gets the path that was seen. Structure makes a trace small, never right.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_CORE_CONTEXTS_H
#define PILGRIM_CORE_CONTEXTS_H

#include "core/EventState.h"
#include "core/Structure.h"

#include <functional>
#include <map>
#include <string_view>

namespace pilgrim {

struct NodeState {
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

  uint64_t Visit = 0;         ///< the current one; counts from 1
  uint64_t Turns = 0;         ///< events that had items in it
  EventState *Last = nullptr; ///< the last of them
  bool IsOpen = false;
};

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

  /// Event of calls outside of all structure.
  EventState &root() { return *Root; }
  /// Where a call is made whose thread's innermost frame is Top, and which stands itself at Stack: frames below that
  /// are dead. First: the event has had no item in this visit. Counts the item.
  EventState &enter(PilgrimFrame *Top, uintptr_t Stack, bool &First) {
    if (!Open.empty() && isInnermost(Top) && reinterpret_cast<uintptr_t>(Top) > Stack) [[likely]] {
      Activation &A = Open.back();
      if (!A.InVisit)
        beginVisit(A);
      return enterEvent(A, First);
    }
    return touch(Top, Stack, First);
  }
  /// The markers' calls.
  void endVisit(PilgrimFrame *Frame);
  void leave(PilgrimFrame *Frame);

  /// Number of events so far.
  uint32_t events() const { return NumEvents; }
  size_t memory() const;
  /// Closes what is open and writes nodes and regions. Items: writes the items of an event.
  void finish(TraceData &Out, Group &G, uint32_t Rank, const std::function<void(EventState &, EventData &)> &Items);

private:
  struct Activation {
    PilgrimFrame *Frame;
    NodeState *Node;
    uint64_t Visits;
    // As the frame said when it was last looked at: its memory may be gone when that matters.
    uint64_t Sum;
    uint32_t Event;
    bool InVisit;
  };

  EventState &enterEvent(Activation &A, bool &First) {
    PilgrimFrame *F = A.Frame;
    A.Sum = F->Sum;
    A.Event = F->Event;
    NodeState &N = *A.Node;
    EventState *E = A.Event < N.Events.size() ? N.Events[A.Event].get() : nullptr;
    if (!E) [[unlikely]]
      A.Event = (E = &makeEvent(N, A.Event))->Id;
    First = E->Visit != N.Visit;
    if (First && (E->Id || !N.Turns)) {
      E->Visit = N.Visit;
      E->Count = 1;
      E->Turn = ++N.Turns;
      N.Last = E;
    } else if (N.Last == E) [[likely]] {
      ++E->Count;
    } else {
      comeBack(A, *E); // what no path says: an event again, or the begin of the visit after another event
      First = false;
    }
    return *E;
  }
  /// Of a new activation in the same memory the markers would have cleared Node.
  bool isInnermost(const PilgrimFrame *F) const {
    const Activation &A = Open.back();
    return A.Frame == F && F->Node == A.Node;
  }
  static void beginVisit(Activation &A) {
    NodeState &N = *A.Node;
    ++N.Visit;
    N.Turns = 0;
    N.Last = nullptr;
    A.Frame->Touched = 1;
    A.InVisit = true;
    ++A.Visits;
  }
  EventState &touch(PilgrimFrame *Top, uintptr_t Stack, bool &First);
  bool open(PilgrimFrame *Frame);
  NodeState *child(EventState &At, NodeState *Parent, const PilgrimRegion *Key);
  EventState &makeEvent(NodeState &N, uint32_t Id);
  void comeBack(Activation &A, EventState &E);
  void finishVisit(Activation &A, uint32_t Cut, bool AsSeen);
  void close();
  bool find(PilgrimFrame *Frame);
  static uint32_t pathOf(NodeState &N, uint64_t Sum, uint32_t Cut);
  static bool explains(const NodeState &N, NodeState::Path &P);
  static uint32_t seenPath(NodeState &N);

  Surroundings &Around;
  std::unique_ptr<EventState> Root;
  std::vector<std::unique_ptr<NodeState>> Nodes;
  std::vector<Activation> Open;      // the innermost last
  std::vector<PilgrimFrame *> Fresh; // scratch of touch()
  Structure Regions;
  uint32_t NumEvents = 1;
};

} // namespace pilgrim

#endif
