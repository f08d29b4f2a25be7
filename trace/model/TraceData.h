//===- TraceData.h - a trace in memory --------------------------*- C++ -*-===//
//
// Traces are merged, written and read in this form. There is one tree of context nodes per thread number. A node is a
// region of the program (a function body or a loop, as the compiler described it) in one calling context; node 0 is the
// thread itself. What happens in a node is attached to its *events*: a sequence
// of *items*, each a call or an activation of a node below. A thread without
// structure has node 0 alone, with all its calls at event 0.
//
// Ranks with the same sequence share it. Its calls may have variants for different ranks, and a variant's integers are
// functions of the rank. So everything that ranks have in common is stored once.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_TRACEDATA_H
#define PILGRIM_TRACE_MODEL_TRACEDATA_H

#include "trace/model/CallTimes.h"
#include "trace/model/Entry.h"
#include "trace/model/Measure.h"
#include "trace/model/Schema.h"
#include "trace/model/Signature.h"
#include "trace/ranks/RankFn.h"
#include "trace/ranks/RankSet.h"
#include "trace/ranks/RankedItems.h"
#include "trace/ranks/RankedStream.h"
#include "trace/sequences/Grammar.h"
#include "trace/sequences/IntStream.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pilgrim {

std::vector<uint32_t> packString(std::string_view S);
std::string unpackString(std::span<const uint32_t> Tokens);

/// Tables of a group. Their variants hold:
///   Strings     Tokens: length in bytes, then the bytes, four to a token
///   Sites       Tokens: string (module), site + 1 (that the caller was called
///               at) or 0; Words: offset of the return address in the module
///   Objects     Tokens: Kind, string + 1 (name of a predefined object) or 0
///               Words: Comm: id, own rank, size, smallest world rank of the
///               group, size of the remote group or -1
///                      Win, File: id, own rank, size;   Datatype: id, size in
///                      bytes
///   Signatures  Tokens as Signature.h says; Words: the slots' words
///   Paths       Tokens: events of a node's region, in the order of a visit
/// Strings, sites and objects have one variant. Signatures and paths belong to
/// one place of one sequence of items each; their contents may be shared in
/// memory (Entry.h).
enum class TableId : uint8_t { Strings, Sites, Objects, Signatures, Paths };
constexpr unsigned NumTables = 5;
/// Maximum length of a site's chain of callers.
constexpr unsigned MaxCallers = 255;
/// First value of a site in a file.
constexpr unsigned SiteAlone = 2, SiteWithCaller = 4;

/// Key of the values of a streamed slot: those of all signatures of one function at one site with a Stream in that
/// slot.
struct SlotStreamKey {
  uint32_t Function = 0;
  uint32_t Site = 0; ///< site + 1, 0: unknown
  uint32_t Slot = 0;
  uint32_t Column = 0;
  auto operator<=>(const SlotStreamKey &) const = default;
};

struct EventData {
  std::vector<RankedItems> Items; ///< disjoint sets of ranks
  /// The number of items at each pass of a visit over the event. It is the usual number, which starts at 0 for event 0
  /// and at 1 for others, and changes now and then. PassesToChange: from the previous change (or the begin) to this
  /// change. UsualItems: the usual number from this change on. Not used for node 0, where all items belong to the one
  /// visit. All ranks of one stream have the same numbers, as with numbers of visits.
  RankedStreams PassesToChange, UsualItems;
  std::map<SlotStreamKey, RankedStreams> Streams;
  // In a group with times:
  std::vector<Measure> Measures; ///< referred to by signatures
  std::map<MeasuredPlace, PlaceTimes> Places;
};

struct NodeData {
  uint32_t Parent = 0, Event = 0; ///< where it is activated; a node comes after its parent
  uint32_t Region = 0;            ///< into TraceData::Regions; not of node 0
  RankSet Ranks;
  std::vector<RankedItems> Paths; ///< of all visits
  RankedStreams Visits;           ///< number of visits of each activation
  std::map<uint32_t, EventData> Events;
  NodeTimes Times; ///< in a group with times
};

struct Group {
  uint32_t Thread = 0;
  std::vector<NodeData> Nodes{1};
  Table Tables[NumTables];
  bool Timed = false;           ///< whether signatures have measures
  std::vector<CallTimes> Times; ///< of ranks that kept the times of all calls, ascending

  const RankSet &ranks() const { return Nodes[0].Ranks; }
  Table &table(TableId T) { return Tables[static_cast<unsigned>(T)]; }
  const Table &table(TableId T) const { return Tables[static_cast<unsigned>(T)]; }
  /// The variant of an entry that Rank has; null: none.
  const Variant *find(TableId T, uint32_t Index, uint32_t Rank) const;
  /// The same, for a rank that is known to have one.
  const Variant &variant(TableId T, uint32_t Index, uint32_t Rank) const;
  std::string string(uint32_t Index) const { return unpackString(table(TableId::Strings)[Index][0].Tokens); }
  /// Rank and size in the communicator, window or file of a signature; in the world if it has none.
  RankContext context(std::span<const uint32_t> SignatureTokens, uint32_t Rank, uint32_t World) const;
  /// The object that says rank and size, if it is the same for all ranks; null: the world does.
  const Variant *contextObject(std::span<const uint32_t> SignatureTokens) const;
  /// Rank and size for any rank; valid as long as the tables are not changed.
  RankFn::ContextFn contexts(std::span<const uint32_t> SignatureTokens, uint32_t World) const;
  /// Calls F(const NodeData &, uint32_t Event, const EventData &) for all events of all nodes.
  template <typename Fn> void forEachEvent(Fn &&F) const {
    for (const NodeData &N : Nodes)
      for (const auto &[Id, E] : N.Events)
        F(N, Id, E);
  }
};

/// A function body (Index 0) or one of its loops, as the compiler described it.
struct Region {
  enum Kind : uint8_t { Site, Call, Loop, Arm, Unknown }; ///< of an event, as api/Markers.h numbers them
  /// Whether an event of this kind mostly activates another region.
  static bool activates(Kind K) { return K == Call || K == Loop; }
  /// The number of arms that are critical sections. Only these have a name of their own.
  static constexpr uint32_t CriticalArm = 7;
  struct Event {
    Kind K = Unknown;    ///< Unknown: no rank of the trace passed it
    uint32_t Line = 0;   ///< 0: not known
    uint32_t Arm = 0;    ///< the event of kind Arm that contains it; 0: none
    uint32_t Number = 0; ///< Loop: index of its region in the function; Arm: its name, as docs/format.md numbers them
    std::string Name;    ///< Site, Call: linkage name of the callee; empty: not known. CriticalArm: its own, or empty
    bool operator==(const Event &) const = default;
  };
  uint64_t Function = 0; ///< id of the function
  uint32_t Index = 0, Line = 0;
  std::string Name, File;
  std::vector<Event> Events; ///< event 1 is the first
  bool operator==(const Region &) const = default;
};

/// Identity of a module of sites, in TraceData::Meta. The key is ModuleKey and the base name. The value is the first
/// bytes of the module's build id, as ModuleIdDigits hexadecimal digits, a blank, and its path. UnclearModule: ranks
/// had different ones.
constexpr std::string_view ModuleKey = "module ", UnclearModule = "?";
constexpr size_t ModuleIdDigits = 16;

/// Other keys in TraceData::Meta, as the writing process saw the run. ElapsedKey: seconds from MPI_Init to
/// MPI_Finalize. ArgumentsKey: the program's arguments, each followed by a 0 byte.
constexpr std::string_view ElapsedKey = "elapsed", ArgumentsKey = "arguments";
/// Of a run that did not come to MPI_Finalize: which rank ended it and how.
constexpr std::string_view EndedKey = "ended";
/// Of a part of a trace: what tells its run from others, where the launcher says that.
constexpr std::string_view RunKey = "run";

struct TraceData {
  uint32_t World = 0; ///< number of ranks of the program's world
  RankSet Ranks;      ///< the ranks that are in this trace
  std::map<std::string, std::string> Meta;
  std::map<uint32_t, FunctionSchema> Functions; ///< by id; those that occur
  NameTable Names;
  std::vector<Region> Regions;
  std::vector<Group> Groups; ///< one for each thread number, ascending
  /// The order between the threads of a rank with several. TurnThreads: the thread of each turn. TurnLengths: a
  /// TurnLength as a word. The same ranks have both.
  RankedStreams TurnThreads, TurnLengths;
  ComparedClocks Clocks; ///< of the times of single calls

  /// The number of traced calls, over all ranks.
  uint64_t calls() const;
  /// Whether programs call the function of that id, so that it is not one of the tracer's own.
  bool isCall(uint32_t Function) const {
    auto It = Functions.find(Function);
    return It == Functions.end() || pilgrim::isCall(It->second);
  }
  /// Whether items of that function give the number of missing calls.
  bool isUntraced(uint32_t Function) const {
    auto It = Functions.find(Function);
    return It != Functions.end() && pilgrim::isUntraced(It->second);
  }
};

/// Adds up what all ranks of a group spent in each node and all below it, in nanoseconds.
class NodeSums {
public:
  struct Sum {
    uint64_t InMpi = 0, Outside = 0;
  };
  /// Both must live as long as this.
  NodeSums(const TraceData &T, const Group &G) : T(T), G(G), Own(G.Nodes.size()) {}
  /// M: a measure of an event of that node.
  void add(uint32_t Node, const Measure &M);
  /// By node.
  std::vector<Sum> take();

private:
  const TraceData &T;
  const Group &G;
  std::vector<Sum> Own;
};

/// Sets the times of places and nodes of a group that is Rank's alone, from its measures.
void sumUpTimes(const TraceData &T, Group &G, uint32_t Rank);

} // namespace pilgrim

#endif
