//===- TraceData.h - a trace in memory --------------------------*- C++ -*-===//
//
// The form in which traces are merged, written and read: per thread number one
// tree of context nodes. A node is a region of the program (a function body or
// a loop, as the compiler described it) in one calling context; node 0 is the
// thread itself. What happens in a node is attached to its *events*: a sequence
// of *items*, each a call or an activation of a node below. A thread without
// structure has node 0 alone, with all its calls at event 0.
//
// Ranks for which a sequence is the same share it; the calls behind it may have
// variants for different ranks, and a variant's integers are functions of the
// rank, so everything that ranks have in common is there once.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_TRACEDATA_H
#define PILGRIM_TRACE_MODEL_TRACEDATA_H

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

/// One content of a table entry, for the ranks that have it.
struct Variant {
  RankSet Ranks;
  std::vector<uint32_t> Tokens;
  std::vector<RankFn> Words;
  /// Of a signature of a group with times: into the event's measures. Variants of one entry that have the same
  /// function, site and depth have the same measure.
  uint32_t Measure = NoMeasure;
};
using Entry = std::vector<Variant>;
using Table = std::vector<Entry>;

/// Tables of a group. What their variants hold:
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
/// one place of one sequence of items each.
enum class TableId : uint8_t { Strings, Sites, Objects, Signatures, Paths };
constexpr unsigned NumTables = 5;
/// Callers that a site may have, one above the other.
constexpr unsigned MaxCallers = 255;
/// What a site begins with in a file.
constexpr unsigned SiteAlone = 2, SiteWithCaller = 4;

/// Values of a slot that left its signature: of all signatures of one function
/// at one site with a Stream there.
struct SlotStreamKey {
  uint32_t Function = 0;
  uint32_t Site = 0; ///< site + 1, 0: unknown
  uint32_t Slot = 0;
  uint32_t Column = 0;
  auto operator<=>(const SlotStreamKey &) const = default;
};

struct EventData {
  std::vector<RankedItems> Items; ///< disjoint sets of ranks
  /// How many items there are at each pass of a visit over the event: the usual number, which is 0 for event 0 and 1
  /// for others at first, and changes now and then. Passes: passes since the last change (or the begin) up to this one;
  /// Counts: the usual number from there on. Not of node 0, where all items belong to the one visit.
  /// The same for all ranks of one stream, as numbers of visits are.
  RankedStreams Passes, Counts;
  std::map<SlotStreamKey, RankedStreams> Streams;
  std::vector<Measure> Measures; ///< of a group with times; what signatures refer to
};

struct NodeData {
  uint32_t Parent = 0, Event = 0; ///< where it is activated; a node comes after its parent
  uint32_t Region = 0;            ///< into TraceData::Regions; not of node 0
  RankSet Ranks;
  std::vector<RankedItems> Paths; ///< of all visits
  RankedStreams Visits;           ///< number of visits of each activation
  std::map<uint32_t, EventData> Events;
};

struct Group {
  uint32_t Thread = 0;
  std::vector<NodeData> Nodes{1};
  Table Tables[NumTables];
  bool Timed = false; ///< whether signatures have measures

  const RankSet &ranks() const { return Nodes[0].Ranks; }
  Table &table(TableId T) { return Tables[static_cast<unsigned>(T)]; }
  const Table &table(TableId T) const { return Tables[static_cast<unsigned>(T)]; }
  /// The variant of an entry that is Rank's; null: it has none.
  const Variant *find(TableId T, uint32_t Index, uint32_t Rank) const;
  /// The same, where it is known that there is one.
  const Variant &variant(TableId T, uint32_t Index, uint32_t Rank) const;
  std::string string(uint32_t Index) const { return unpackString(table(TableId::Strings)[Index][0].Tokens); }
  /// Rank and size in the communicator, window or file that a signature belongs
  /// to; else those in the world.
  RankContext context(std::span<const uint32_t> SignatureTokens, uint32_t Rank, uint32_t World) const;
  /// The same for any rank; valid as long as the tables are not changed.
  RankFn::ContextFn contexts(std::span<const uint32_t> SignatureTokens, uint32_t World) const;
  /// Calls F(const NodeData &, uint32_t Event, const EventData &) for all events of all nodes.
  template <typename Fn> void forEachEvent(Fn &&F) const {
    for (const NodeData &N : Nodes)
      for (const auto &[Id, E] : N.Events)
        F(N, Id, E);
  }
};

/// What the compiler said of a function body (Index 0) or one of its loops.
struct Region {
  enum Kind : uint8_t { Site, Call, Loop, Arm, Unknown }; ///< of an event, as api/Markers.h numbers them
  /// Whether another region is what mostly follows.
  static bool activates(Kind K) { return K == Call || K == Loop; }
  struct Event {
    Kind K = Unknown;    ///< Unknown: no rank of the trace came by it
    uint32_t Line = 0;   ///< 0: not known
    uint32_t Arm = 0;    ///< the event of kind Arm in which it stands; 0: none
    uint32_t Number = 0; ///< Loop: index of its region in the function; Arm: which successor of the branch
    std::string Name;    ///< Site, Call: linkage name of the callee; empty: not known
    bool operator==(const Event &) const = default;
  };
  uint64_t Function = 0; ///< id of the function
  uint32_t Index = 0, Line = 0;
  std::string Name, File;
  std::vector<Event> Events; ///< event 1 is the first
  bool operator==(const Region &) const = default;
};

/// What a module of sites was, among what a trace says of its run: under this and the base name the first bytes of its
/// build id, as so many hexadecimal digits, a blank, and its path. Unclear: ranks had different ones.
constexpr std::string_view ModuleKey = "module ", UnclearModule = "?";
constexpr size_t ModuleIdDigits = 16;

/// What else a trace says of its run, as the process that wrote it saw it: seconds from MPI_Init to MPI_Finalize; the
/// program's arguments, a 0 behind each.
constexpr std::string_view ElapsedKey = "elapsed", ArgumentsKey = "arguments";

struct TraceData {
  uint32_t World = 0; ///< number of ranks of the program's world
  RankSet Ranks;      ///< the ranks that are in this trace
  std::map<std::string, std::string> Meta;
  std::map<uint32_t, FunctionSchema> Functions; ///< by id; those that occur
  NameTable Names;
  std::vector<Region> Regions;
  std::vector<Group> Groups; ///< one for each thread number, ascending
  /// The order between the threads of a rank that has several: whose turn it is, and how many items of that thread
  /// (calls, or calls that were not traced) follow each other then. The same ranks have both.
  RankedStreams TurnThreads, TurnLengths;

  /// Those that were traced.
  uint64_t calls() const;
  /// Whether the function of that id is one that programs call.
  bool isCall(uint32_t Function) const {
    auto It = Functions.find(Function);
    return It == Functions.end() || pilgrim::isCall(It->second);
  }
  /// Whether its calls tell how many calls are missing.
  bool isUntraced(uint32_t Function) const {
    auto It = Functions.find(Function);
    return It != Functions.end() && pilgrim::isUntraced(It->second);
  }
};

} // namespace pilgrim

#endif
