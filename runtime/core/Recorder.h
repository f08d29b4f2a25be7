//===- Recorder.h - the calls of one thread, compressed ----------*- C++ -*-===//
//
// Takes raw call records and keeps them as sequences of signatures, one sequence for each event of the context tree.
// There is one recorder per rank and thread. It knows no MPI and has no globals and no locks.
//
// Steady state: the event's grammar predicts the next item. The raw record is compared with the record that was seen
// last for that item. If they are equal, the prediction moves on by one, without a hash or an allocation. Otherwise a
// cache of raw records is asked, and only then the encoder and the signature table.
//
// If a site gets more and more signatures, the slots that differ leave them: their values go to integer streams, and
// the signature says so (Tag::Stream).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_CORE_RECORDER_H
#define PILGRIM_CORE_RECORDER_H

#include "core/Contexts.h"
#include "core/Encoder.h"
#include "core/InternTable.h"
#include "core/Spool.h"
#include "core/TimeLog.h"
#include "trace/model/TraceData.h"
#include "trace/sequences/SlotStream.h"
#include "trace/sequences/TextStream.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <set>

namespace pilgrim {

/// One function called from one place, at one event.
struct CallSite {
  CallSite(const FunctionInfo &F, uint32_t Event, uint32_t Token) : Function(F), Event(Event), Token(Token) {}
  FunctionInfo Function;
  uint32_t Event;                                      ///< number of the event
  uint32_t Token;                                      ///< local site + 1
  uint64_t StreamMask = 0;                             ///< slots that left the signature
  std::vector<uint32_t> Signatures;                    ///< its signatures
  size_t NextLook = 48;                                ///< with so many signatures, slots that differ are looked for
  std::map<uint32_t, std::vector<SlotStream>> Streams; ///< by slot: one per column
  std::map<uint32_t, TextStream> Texts;                ///< by slot of strings: column 1
};

class Recorder {
public:
  /// Generation: as platform/Generation.h says.
  Recorder(Encoder &Enc, const std::atomic<uint64_t> &Generation);
  ~Recorder();

  /// Records one call at event E of the tree. Words: N words as FunctionInfo.h says; Start and End in clock ticks, both
  /// 0 without timing, and of what takes no time. IsWithin: as for Contexts::learn().
  void record(EventState &E, const uint64_t *Words, size_t N, uint64_t Start, uint64_t End, bool IsWithin);
  /// Records one call outside of all structure.
  void record(const uint64_t *Words, size_t N, uint64_t Start, uint64_t End) {
    record(Tree.root(), Words, N, Start, End, false);
  }
  /// What there is to do behind each call, apart from totals.
  enum : uint8_t {
    KeepsMore = 1, ///< times or histograms
    HasTurns = 2,  ///< there are other threads, which may have begun a call
  };
  /// Also says HasTurns from now on. Any thread may call this.
  void takeTurns() { More.fetch_or(HasTurns, std::memory_order_relaxed); }
  uint8_t more() const { return More.load(std::memory_order_relaxed); }

  /// Records the call that Tree predicts, whose record is that of the step. False: the prediction is of an earlier
  /// generation, and nothing was recorded. More: what more() was.
  [[gnu::always_inline]] bool follow(uint64_t Start, uint64_t End, uint8_t &More) {
    EventItem &Item = *Tree.next().Item;
    if (!follow()) [[unlikely]]
      return false;
    More = note(Item, Start, End);
    return true;
  }
  /// The same without timing.
  [[gnu::always_inline]] bool follow() {
    if (!Tree.next().Item->isOf(generation())) [[unlikely]]
      return false;
    Tree.follow();
    ++NumCalls;
    return true;
  }

private:
  // A call in steady state uses these.
  Encoder &Enc;
  const std::atomic<uint64_t> &Generation;
  uint64_t LastEnd = 0, LastItem = 0,
           NumCalls = 0; ///< LastItem: the key of the last call; below 2^32: the thread has begun
  std::unique_ptr<TimeLog> Times;
  uint32_t LastPlace = TimeLog::NoPlace, Begins = 0;
  std::atomic<uint8_t> More{0};
  const uint64_t Id; ///< from 1: no other recorder of the process has it

  ChunkKeeper Chunks; // before what puts something in

public:
  /// Finds where in the program's structure calls are.
  Contexts Tree;

  /// For whatever else the thread has that may not repeat.
  ChunkStore &chunks() { return Chunks; }

  /// Number of calls recorded so far.
  uint64_t calls() const { return NumCalls; }
  struct TickOrigin {
    uint64_t Begin = 0; ///< when the trace began, in ticks
    uint64_t Clock = 0; ///< as CallTimes has it
  };
  /// Moves everything into a group in Out for world rank Rank. TicksToNano: nanoseconds per tick, 0 without timing.
  /// To be called once. What: see Contexts::finish().
  void finish(TraceData &Out, uint32_t Rank, uint32_t Thread, double TicksToNano, TickOrigin Origin,
              Contexts::After What);
  /// Bytes of heap memory in use, roughly.
  size_t memory() const;
  /// The file, if any, that does not have any more what was put there: what was recorded cannot be read.
  std::string lostFile() const { return Chunks.lostFile(); }
  /// A thread begins: it has made no call.
  void startClock(uint64_t Now) {
    LastEnd = Now;
    LastItem = ++Begins;
  }
  /// Also keeps start and end of each call. To be called before the first one.
  void keepTimes(const TimeErrors &Errors) {
    Times = std::make_unique<TimeLog>(Errors, Chunks, Errors.Coding.blockCalls());
    More |= KeepsMore;
  }
  /// Also keeps histograms. Error: of their bins, in millionths, as TimeHistogram allows. IsByPath: gaps have one for
  /// each path. To be called before the first call.
  void keepHistograms(uint32_t Error, bool IsByPath, double NanoPerTick) {
    Histograms = std::make_unique<HistogramLog>(TimeBins({Error, 0}), NanoPerTick, IsByPath, std::deque<ItemBins>());
    More |= KeepsMore;
  }
  /// When the next gap begins: at the end of the last call, if nothing else was said.
  uint64_t gapBegin() const { return LastEnd; }
  void beginGap(uint64_t At) { LastEnd = At; }

private:
  uint64_t generation() const { return Generation.load(std::memory_order_acquire); }
  struct StreamValue {
    uint32_t Slot, Column;
    int64_t Value;
  };
  struct StreamText {
    uint32_t Slot;
    std::string_view Text; ///< in the raw record
  };
  class Builder;
  // Slots with so many different values are streamed. Strings that come again cost less in a table.
  static constexpr size_t DistinctToStream = 32, SizesToStream = 64, TextsToStream = 1024;
  /// Where one site has so many signatures, slots of fewer values are streamed, too, if there are few combinations of
  /// the others. The more signatures all sites have, the fewer are enough: the product of both decides.
  static constexpr size_t CombinationsToStream = 3072;

  [[gnu::always_inline]] uint8_t note(EventItem &I, uint64_t Start, uint64_t End) {
    I.Durations.add(End - Start);
    TickGap *P = I.Path;
    if (!P || P->Lately != LastItem) [[unlikely]]
      P = &findPath(I);
    ++P->Count;
    const uint64_t Gap = Start > LastEnd ? Start - LastEnd : 0; // clocks of two processors may differ a little
    P->Gaps.add(Gap);
    LastEnd = End;
    LastItem = I.Key;
    const uint8_t Now = more();
    if (!Now) [[likely]]
      return 0;
    if (Times) {
      Times->add(I.TimePlace, P->Context, Start, End);
      LastPlace = I.TimePlace;
    } else if (Now & KeepsMore) {
      count(I, *P, Gap, End - Start);
    }
    return Now;
  }
  /// Adds to histograms.
  void count(EventItem &I, const TickGap &P, uint64_t Gap, uint64_t Duration);
  TickGap &findPath(EventItem &I);
  /// What an event's items have measured, of world rank Rank.
  class TimeResult;

  EventItem &findItem(EventState &E, const uint64_t *Words, size_t N);
  CallSite *siteOf(const EventState &E, const uint64_t *Words);
  CallSite *findSite(const EventState &E, const uint64_t *Words);
  void encode(CallSite &S, const uint64_t *Words, size_t N);
  /// IsStreamed: the size of a datatype becomes a word, and what values are called is known already.
  void encodeSlot(const SlotInfo &Slot, const uint64_t *At, bool Absent, bool IsStreamed = false);
  void moveToStream(uint32_t Slot, size_t FirstToken, size_t FirstWord);
  void lookForStreams(CallSite &S);
  void lookForSizes(CallSite &S);
  void moveToStreams(CallSite &S, uint32_t Slot);
  bool isStill(const CallSite &S, EventItem &Item, const uint64_t *Words);
  bool canonical(CallSite &S, const uint64_t *Words, size_t N);
  void canonicalTypes(uint32_t Slot, bool IsArray, std::span<const uint64_t> Handles);
  void remember(EventState &E, uint32_t Item, std::span<const uint64_t> Key, uint64_t Hash);
  void pushStreams(CallSite &S);
  void noteNames(const SlotInfo &Slot, int64_t Value);
  uint32_t stringRef(std::string_view Text);

  struct ItemBins {
    TimeHistogram Durations, Gaps;
    std::vector<TimeHistogram> OfPaths; ///< as EventItem::Paths
  };
  struct HistogramLog {
    TimeBins Bins; ///< of nanoseconds
    double NanoPerTick;
    bool IsByPath;
    std::deque<ItemBins> Items; ///< by EventItem::TimePlace
    size_t Room = MostBins;     ///< bins that all histograms together may still get
    static constexpr size_t MostBins = size_t(1) << 19;
  };
  std::unique_ptr<HistogramLog> Histograms;

  struct CachedItem {
    EventState *Event;
    uint32_t Item;
  };
  std::vector<CachedItem> RawCache; // by the hash of a raw record, two places for each
  std::vector<std::unique_ptr<CallSite>> Sites;
  struct KnownSite {
    uint64_t Function, Address, Unloads;
    uint32_t Event;
    CallSite *Site;
    bool isSame(const KnownSite &O) const {
      return Function == O.Function && Address == O.Address && Unloads == O.Unloads && Event == O.Event;
    }
  };
  KnownSite KnownSites[64] = {}; // those last looked up, by their address
  std::vector<CallSite *> SiteByAddress;
  InternTable AddressIndex, SiteIndex, Strings, SiteTable, Objects, Signatures;
  InternTable ItemIndex;           // of (event, signature)
  std::vector<uint32_t> ItemPlace; // by ItemIndex: index into the event's items
  NameTable Names;
  std::set<std::pair<const char *, int64_t>> NamesSeen;
  std::pair<const char *, int64_t> NamesLately[64] = {}; // those last looked up

  // Scratch of the slow path.
  std::vector<uint32_t> Tokens;
  std::vector<int64_t> Words;
  std::vector<uint64_t> Canonical;
  std::vector<StreamValue> Streamed;
  std::vector<StreamText> StreamedTexts;
  bool MayKeep = true; ///< what was encoded: equal records mean the same
};

} // namespace pilgrim

#endif
