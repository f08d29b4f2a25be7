//===- Reader.h - reading a trace call by call ------------------*- C++ -*-===//
//
// The one interface that every report, converter and check reads traces
// through. A Trace is opened once; a CallCursor streams the calls of one rank
// and thread in program order with memory for the open rules of the grammar
// only.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READER_H
#define PILGRIM_TRACE_READER_H

#include "trace/Format.h"

#include <memory>

namespace pilgrim {

/// The value of one slot in one call of one rank. Never a Stream: values are
/// already taken from their streams.
struct Value {
  Tag T = Tag::Absent;
  uint32_t Ref = 0;               ///< Name, String, Data: index for RankView::string; Object:
                                  ///< for RankView::object
  std::span<const uint32_t> Refs; ///< Objects: indices for RankView::object
  std::span<const int64_t> Words; ///< as Signature.h says for the tag
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

struct SiteInfo {
  std::string Module; ///< base name of the executable or library that the call
                      ///< returns to
  int64_t Offset = 0; ///< of the return address in it
};

/// One signature as one rank sees it, with the slots that do not change from
/// call to call.
struct ResolvedSignature {
  const FunctionSchema *Function = nullptr;
  uint32_t Site = 0; ///< index for RankView::site + 1; 0: not known
  uint32_t Depth = 0;
  double MeanDuration = 0, MeanGap = 0; ///< seconds; of a group with times
  std::vector<Value> Slots; ///< streamed ones have no words yet
  std::vector<int64_t> Words;
  struct StreamSlot {
    uint32_t Slot;
    Tag T;
    uint32_t FirstStream; ///< into the cursor's streams
    uint32_t Columns;
  };
  std::vector<StreamSlot> Streams;
};

/// Everything of one (rank, thread) that does not change from call to call.
/// Belongs to a Trace and must not outlive it.
class RankView {
public:
  uint32_t rank() const { return Rank; }
  uint32_t thread() const { return G->Thread; }
  const Group &group() const { return *G; }
  const std::vector<ResolvedSignature> &signatures() const { return Signatures; }
  const std::string &string(uint32_t Ref) const { return Strings[Ref]; }
  const ObjectInfo &object(uint32_t Ref) const { return Objects[Ref]; }
  const SiteInfo &site(uint32_t Ref) const { return Sites[Ref]; }

private:
  friend class Trace;
  friend class CallCursor;
  uint32_t Rank = 0;
  const Group *G = nullptr;
  std::vector<ResolvedSignature> Signatures;
  std::vector<std::string> Strings;
  std::vector<ObjectInfo> Objects;
  std::vector<SiteInfo> Sites;
  std::vector<const IntStreamData *> Streams;
};

struct Call {
  const FunctionSchema *Function = nullptr;
  const RankView *View = nullptr;
  uint32_t Terminal = 0;
  uint64_t Seq = 0;   ///< counts entries, from 0 in each rank and thread
  uint32_t Depth = 0; ///< of calls made by callbacks inside MPI calls: 1 and up
  uint32_t Site = 0;  ///< index for RankView::site + 1; 0: not known
  bool Timed = false;
  double Start = 0, Duration = 0; ///< seconds, Start since the thread's first
                                  ///< call; where the trace has times
  std::span<const Value> Slots;   ///< as Function->Slots; valid until the next call of next()
  int64_t result() const { return Slots[0].T == Tag::Word ? Slots[0].Words[0] : 0; }
};

/// Streams the calls of one rank and thread in the order in which they were
/// entered.
class CallCursor {
public:
  /// False at the end, or where the trace turned out to be damaged: then
  /// error() says how.
  bool next(Call &C);
  const std::string &error() const { return Error; }
  const RankView &view() const { return *View; }

private:
  friend class Trace;
  explicit CallCursor(std::shared_ptr<const RankView> View);
  struct Record {
    uint32_t Terminal;
    std::vector<int64_t> Streamed;
    std::vector<uint32_t> Lengths; // words of each streamed slot
  };
  bool read(Record &R);
  void present(const Record &R, Call &C);
  void orderPending();

  std::shared_ptr<const RankView> View;
  GrammarData::Cursor Terminals;
  std::vector<IntStreamData::Cursor> Streams;
  Record Current;
  std::vector<Record> Pending; // calls of callbacks, until the call that they
                               // are part of has been read
  std::vector<size_t> Ready;   // indices into Pending, in the order of entry
  size_t NextReady = 0;
  size_t PendingWords = 0;
  std::vector<Value> Slots;
  uint64_t Seq = 0;
  double Clock = 0;
  std::string Error;
};

class Trace {
public:
  /// Opens and validates a trace file. The error has no file name in it.
  static std::expected<Trace, TraceError> open(const std::string &Path);
  static std::expected<Trace, TraceError> fromBytes(std::span<const uint8_t> File);

  const TraceData &data() const { return *Data; }
  const std::vector<SectionInfo> &sections() const { return Sections; }
  uint64_t fileBytes() const { return FileBytes; }
  /// Threads of a rank, ascending.
  std::vector<uint32_t> threads(uint32_t Rank) const;
  /// What a rank's signatures, objects and strings are; null if the trace has
  /// no such rank and thread.
  std::shared_ptr<const RankView> view(uint32_t Rank, uint32_t Thread) const;
  static CallCursor calls(std::shared_ptr<const RankView> View) { return CallCursor(std::move(View)); }
  /// Name of a value under a Names key of the schema, or null.
  const std::string *constantName(const std::string &Names, int64_t Value) const;

private:
  std::shared_ptr<const TraceData> Data;
  std::vector<SectionInfo> Sections;
  uint64_t FileBytes = 0;
};

/// The Names key of predefined handles of a kind that is not in the object
/// table ("op", "group", ...).
const char *handleNames(Kind K);

} // namespace pilgrim

#endif
