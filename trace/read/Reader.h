//===- Reader.h - reading a trace call by call ------------------*- C++ -*-===//
//
// The one interface that every report, converter and check reads traces
// through. A Trace is opened once; a CallCursor streams the calls of one rank
// and thread in program order with memory for the open rules of the grammar
// only.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_READER_H
#define PILGRIM_TRACE_READ_READER_H

#include "trace/file/Format.h"
#include "trace/model/RequestArray.h"
#include "trace/read/RequestSlots.h"

#include <deque>
#include <memory>
#include <optional>

namespace pilgrim {

/// The value of one slot in one call of one rank. Never a Stream: values are
/// already taken from their streams.
struct Value {
  Tag T = Tag::Absent;
  uint32_t Ref = 0;               ///< Name, String, Data: index for RankView::string; Object:
                                  ///< for RankView::object
  std::span<const uint32_t> Refs; ///< Objects: indices for RankView::object
  std::span<const int64_t> Words; ///< as Signature.h says for the tag; of a String that is streamed, its bytes, and of
                                  ///< an Object that is streamed, its size
  static constexpr uint32_t NoRef = UINT32_MAX; ///< of a String that is streamed: RankView::text has it
};

/// A communicator, datatype, window or file as one rank knows it.
struct ObjectInfo {
  Kind K = Kind::Comm;
  std::string Name;        ///< predefined object: its constant; else empty
  int64_t Id = 0;          ///< number in its kind, reused after the object is freed
  int64_t Rank = 0;        ///< Comm, Win, File: own rank
  int64_t Size = 0;        ///< Comm, Win, File: number of processes (of the local
                           ///< group); Datatype: size in bytes
  int64_t Leader = 0;      ///< Comm: smallest world rank of the group
  int64_t RemoteSize = -1; ///< Comm: size of the remote group of an intercommunicator, else -1
};

/// The object of a slot, or number I of its objects, of which Known is what the table of objects has.
inline ObjectInfo withSizeOf(const Value &V, ObjectInfo Known, size_t I = 0) {
  if (I < V.Words.size())
    Known.Size = V.Words[I];
  return Known;
}

/// An object on one rank, from its words in the trace (TraceData.h). The name is not set.
ObjectInfo objectOn(uint32_t Rank, Kind K, const WordSpan &Words, uint32_t World);

struct SiteInfo {
  std::string Module; ///< base name of the executable or library that the call
                      ///< returns to
  int64_t Offset = 0; ///< of the return address in it
  uint32_t Caller =
      0; ///< where the function that makes the call was called: index for RankView::site + 1; 0: not known
};

/// One signature as one rank sees it, with the slots that do not change from
/// call to call.
struct ResolvedSignature {
  const FunctionSchema *Function = nullptr;
  uint32_t Site = 0; ///< index for RankView::site + 1; 0: not known
  uint32_t Depth = 0;
  uint32_t Node = 0, Event = 0;      ///< where in the structure: index into RankView::nodes(), event of its region
  uint64_t Calls = 0;                ///< with this signature
  const Measure *Measured = nullptr; ///< measure of these and of other ranks' calls; null: no times
  std::vector<Value> Slots;          ///< streamed slots have no words yet
  std::vector<int64_t> Words;
  struct StreamSlot {
    uint32_t Slot;
    Tag T;
    uint32_t FirstStream; ///< for RankView::stream
    uint32_t Columns;
  };
  std::vector<StreamSlot> Streams;
  std::optional<RequestSlots> Requests; ///< of a call that completes some of many requests
  // Where it stands in the trace.
  const Entry *Of = nullptr;
  const Variant *Content = nullptr; ///< of that entry; other entries may share it
  /// Whether all its calls have the same values.
  bool isConstant() const { return Streams.empty() && !Requests; }
};

/// What one rank does at an event of a node.
struct EventView {
  uint32_t Id = 0;
  const EventData *Data = nullptr;
  const RankedItems *Items = nullptr; ///< null: this rank has none
  const GrammarData *Order = nullptr; ///< of Items, for this rank
  std::vector<Item> Refs;             ///< of Items, as indices into RankView's signatures() and nodes()
  const IntStreamData *PassesToChange = nullptr, *UsualItems = nullptr;
};

/// A context node as one rank sees it.
struct NodeView {
  const NodeData *Data = nullptr;
  const Region *Structure = nullptr; ///< null: the thread itself
  const GrammarData *PathOrder = nullptr;
  std::vector<std::span<const uint32_t>> Paths;
  const IntStreamData *Visits = nullptr;
  std::vector<EventView> Events;
  std::vector<uint32_t> EventIndex; ///< by id: index into Events + 1, 0: this rank does nothing there
};

class TimesCursor;

/// Everything of one (rank, thread) that does not change from call to call.
/// Belongs to a Trace and must not outlive it.
class RankView {
public:
  uint32_t rank() const { return Rank; }
  uint32_t thread() const { return G->Thread; }
  const Group &group() const { return *G; }
  const std::vector<ResolvedSignature> &signatures() const { return Signatures; }
  const std::vector<NodeView> &nodes() const { return Nodes; }
  const std::string &string(uint32_t Ref) const { return Strings[Ref]; }
  /// Of a Name, a String or Data in a call.
  std::string text(const Value &V) const {
    return V.Ref == Value::NoRef ? std::string(V.Words.begin(), V.Words.end()) : Strings[V.Ref];
  }
  const ObjectInfo &object(uint32_t Ref) const { return Objects[Ref]; }
  /// The object of a slot, which may have its size from a stream.
  ObjectInfo object(const Value &V) const { return withSizeOf(V, Objects[V.Ref]); }
  /// One of several objects of a slot.
  ObjectInfo object(const Value &V, size_t I) const { return withSizeOf(V, Objects[V.Refs[I]], I); }
  const SiteInfo &site(uint32_t Ref) const { return Sites[Ref]; }
  /// The number of streams of this rank, one of them, and all ranks' streams of the same slot.
  uint32_t streams() const { return static_cast<uint32_t>(Streams.size()); }
  const IntStreamData &stream(uint32_t I) const { return *Streams[I]; }
  const RankedStreams &streamOfAll(uint32_t I) const { return *StreamsOfAll[I]; }
  /// The event of the structure that announced a call, for its line; null: no event did, or the call has a site of its
  /// own.
  const Region::Event *siteEvent(const ResolvedSignature &S) const;
  /// The times of its calls; null: they are not kept.
  const CallTimes *times() const { return Times; }

private:
  friend class Trace;
  friend class CallCursor;
  friend class ViewBuilder;
  uint32_t Rank = 0;
  const Group *G = nullptr;
  std::vector<ResolvedSignature> Signatures;
  std::vector<NodeView> Nodes;
  std::deque<GrammarData> Orders; ///< orders that only this rank has
  std::deque<IntStreamData> OwnStreams;
  std::vector<std::string> Strings;
  std::vector<ObjectInfo> Objects; // those that this rank uses
  std::vector<SiteInfo> Sites;
  std::vector<const IntStreamData *> Streams;
  std::vector<const RankedStreams *> StreamsOfAll;
  const CallTimes *Times = nullptr;
};

/// A region of the structure that a thread is in: an activation of its node.
struct Activation {
  uint32_t Node = 0;      ///< index into RankView::nodes()
  uint64_t Visits = 0;    ///< in the activation: iterations of a loop in which calls are made
  uint64_t Visit = 0;     ///< number of the current one, from 1
  uint64_t FirstItem = 0; ///< what CallCursor::items() was when it began
};

struct Call {
  const FunctionSchema *Function = nullptr;
  const RankView *View = nullptr;
  uint32_t Terminal = 0;
  uint64_t Seq = 0;   ///< number of the entry, from 0 in each rank and thread; calls that were not traced count too
  uint32_t Depth = 0; ///< of calls made by callbacks inside MPI calls: 1 and up
  uint32_t Site = 0;  ///< index for RankView::site + 1; 0: not known
  /// Times of this call, within the errors of its trace; or computed from means, which are neither this call's nor this
  /// rank's own.
  enum class Time : uint8_t { None, Mean, Own } Timed = Time::None;
  /// Seconds. Start: since the thread's first call; of own times since the first rank with its clock began.
  double Start = 0, Duration = 0;
  double StartError = 0;         ///< of an own time: by how much Start may be off, seconds
  std::span<const Value> Slots;  ///< as Function->Slots; valid until the next call of next()
  std::span<const Value> Stored; ///< the same as the trace has them: arrays of requests as model/RequestArray.h says
  int64_t result() const { return Slots[0].T == Tag::Word ? Slots[0].Words[0] : 0; }
};

/// Streams the calls of one rank and thread in the order in which they were
/// entered.
class CallCursor {
public:
  /// False at the end, or if the trace is damaged; error() then describes the damage.
  bool next(Call &C);
  const std::string &error() const { return Error; }
  const RankView &view() const { return *View; }
  /// Calls and other items read so far. It is ahead of next() while calls of callbacks are waiting.
  uint64_t items() const { return Emitted; }
  /// The regions that contain the last item read, from the outermost to the innermost.
  std::vector<Activation> activations() const;

  /// Limits on the memory of one call, whatever its streams claim: values from streams, and calls inside it.
  static constexpr uint64_t MaxWords = uint64_t(1) << 25;
  static constexpr size_t MaxPending = size_t(1) << 22;

private:
  friend class Trace;
  friend class CallIndex;
  friend class TimesCursor;
  explicit CallCursor(std::shared_ptr<const RankView> View);
  struct Record {
    uint32_t Terminal;
    std::vector<int64_t> Streamed;
    std::vector<uint32_t> Lengths; // words of each streamed slot
    std::vector<int64_t> Requests; // the array of a call that completes some of many
    bool AreUnknown = false;       // the cursor did not begin early enough to tell them
    CallTime Time{};
    uint64_t StartError = 0; // ticks
  };
  // An activation of a node, in which the next call is looked for.
  struct Frame {
    uint32_t Node = 0;
    uint64_t VisitsLeft = 0, ItemsLeft = 0;
    std::span<const uint32_t> Path; // the rest of the path
    uint32_t Event = 0;             // index into the states of events
    uint64_t FirstCall = 0;         // of this visit
    uint64_t Visits = 0, Begin = 0; // of the activation: number of visits, and its first call
  };
  struct NodeState {
    std::optional<GrammarData::Cursor> Paths;
    std::optional<IntStreamData::Cursor> Visits;
    uint32_t FirstEvent; // state of its first event
  };
  struct EventState {
    std::optional<GrammarData::Cursor> Items;
    std::optional<IntStreamData::Cursor> PassesToChange, UsualItems;
    uint64_t Usual, UntilChange; // items of a pass; passes until that changes
  };
  static constexpr uint64_t Never = UINT64_MAX;

  bool read(Record &R);
  bool nextTerminal(uint32_t &Terminal);
  bool enterNode(uint32_t Node);
  bool enterVisit(Frame &F);
  bool enterEvent(Frame &F, uint32_t Id);
  bool loadChange(EventState &E);
  bool bad(const char *What);
  void resolveRequests(Record &R, const RequestSlots &Q);
  void present(const Record &R, Call &C);
  void orderPending();

  std::shared_ptr<const RankView> View;
  std::vector<NodeState> Nodes;
  std::vector<EventState> Events;
  std::vector<Frame> Stack;
  uint64_t Emitted = 0;
  std::vector<IntStreamData::Cursor> Streams;
  ArrayHistory Arrays;
  Record Current;
  std::vector<Record> Pending; // calls of callbacks, until the call around them has been read
  std::vector<size_t> Ready;   // indices into Pending, in the order of entry
  size_t NextReady = 0;
  size_t PendingWords = 0;
  std::vector<Value> Slots, WithRequests;
  uint64_t Seq = 0;
  double Clock = 0;
  std::shared_ptr<TimesCursor> Times; ///< null: the times of calls are not known
  std::string Error;
};

class Trace {
public:
  /// Opens and validates a trace file. The error does not contain the file name. CheckUnknown: also reads sections that
  /// this program does not know, and compares their checksums.
  static std::expected<Trace, TraceError> open(const std::string &Path, bool CheckUnknown = false);
  static std::expected<Trace, TraceError> fromBytes(std::span<const uint8_t> File);
  static std::expected<Trace, TraceError> fromFile(FileBytes &File, bool CheckUnknown = false);

  uint32_t world() const { return Data->World; }       ///< ranks of the run
  const RankSet &ranks() const { return Data->Ranks; } ///< in this trace
  uint64_t calls() const { return Data->calls(); }     ///< traced calls of all ranks
  /// What the tracer noted about the run, by name.
  const std::map<std::string, std::string> &meta() const { return Data->Meta; }
  const std::map<uint32_t, FunctionSchema> &functions() const { return Data->Functions; } ///< by id
  const NameTable &names() const { return Data->Names; }
  /// The trace as it is stored, for merging and checking. Reports use Walk and CallCursor.
  const TraceData &data() const { return *Data; }
  /// Moves the data out. This trace, its copies and their views must not be used afterwards.
  TraceData take() && { return std::move(*Data); }
  const std::vector<SectionInfo> &sections() const { return Sections; }
  uint64_t fileBytes() const { return Bytes; }
  /// Threads of a rank, ascending.
  std::vector<uint32_t> threads(uint32_t Rank) const;
  /// A rank's signatures, objects and strings; null if the trace has no such rank and thread.
  std::shared_ptr<const RankView> view(uint32_t Rank, uint32_t Thread) const;
  static CallCursor calls(std::shared_ptr<const RankView> View) { return CallCursor(std::move(View)); }
  /// The same, with the calls' own times where they are kept.
  static CallCursor timedCalls(std::shared_ptr<const RankView> View);
  /// Name of a value under a Names key of the schema, or null.
  const std::string *constantName(const std::string &Names, int64_t Value) const;

private:
  std::shared_ptr<TraceData> Data;
  std::vector<SectionInfo> Sections;
  uint64_t Bytes = 0; ///< of the file
};

} // namespace pilgrim

#endif
