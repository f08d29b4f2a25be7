//===- CallCopies.h - plain copies of calls, for --verify --------*- C++ -*-===//
//
// What a program passed to MPI and got back, kept as it was: no names, no signatures, no compression. The recorder has
// no part in it. Verify.h compares the copies with what the finished trace decodes to.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_VERIFY_CALLCOPIES_H
#define PILGRIM_VERIFY_CALLCOPIES_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace pilgrim {

/// The type of an item of a copy, and the words that follow the item's head.
enum class RawType : uint8_t {
  Absent, ///< no words: the trace must not have a value
  Null,   ///< no words: a null pointer in the place of an array or a string
  Number,
  Numbers,  ///< an array
  Handle,   ///< kind, HandleWords words
  Handles,  ///< kind, HandleWords words of each
  Request,  ///< serial number (Books.h), or NoRequest
  Requests, ///< the same of each
  Address,  ///< the address, how many segments of memory had been released by then, an Origin, its offset, and the
            ///< characters of its name
  String,   ///< bytes, one a word
  Sentinel, ///< characters of the name, one a word
  Status,   ///< StatusWords words, as in a trace
  Statuses, ///< the same of each
};

/// The words of a handle: raw value, serial number, then for communicators, windows and files the own rank, the size,
/// the smallest world rank and the size of the remote group; for datatypes the size as the second of these.
enum : unsigned { HandleRaw, HandleSerial, HandleRank, HandleSize, HandleLeader, HandleRemote, HandleWords };
constexpr int64_t NotMeasured = INT64_MIN; ///< in the place of a rank or size: MPI was not asked
constexpr int64_t NoRequest = -1;          ///< in the place of a serial number: MPI_REQUEST_NULL

/// Where an address lies, as the copy has found out for itself.
enum class Origin : uint8_t {
  Unclear,
  Stack,    ///< the calling thread's
  Module,   ///< name: the module's; offset: from its load bias
  Symbol,   ///< of a function; name: the symbol
  Mapped,   ///< other memory
  Unmapped, ///< no memory
};

/// The copy of one call: an item for each parameter. An item is a head (parameter | type << 8 | number of words << 16)
/// and its words.
class CallCopy {
public:
  virtual ~CallCopy() = default;

  uint32_t Function = 0;
  uint32_t Depth = 0;
  bool IsTraced = true; ///< if not, the trace only counts the call
  bool Returned = false;
  bool IsLate = false;    ///< returned after the end of the trace had begun: the trace may lack it
  bool Abandoned = false; ///< left by a longjmp or an exception: recorded without parameters
  bool hasEnded() const { return Returned || Abandoned; } ///< else it was under way when the trace was written
  bool mustBeInTrace() const { return hasEnded() && !IsLate; }
  bool isTimed() const { return Returned && EndTicks; }
  int Ret = 0;
  uint64_t StartTicks = 0, EndTicks = 0;  ///< when it was made; 0: not timed
  uint64_t Begin = 0, End = ~uint64_t(0); ///< tickets: what ended before another call began has a lower one
  unsigned Owner = 0;                     ///< how many threads had this number before
  const char *SiteModule = nullptr;       ///< the file that the call returns to; null: not known. Lives for ever
  int64_t SiteOffset = 0;                 ///< of the return address in it
  std::vector<int64_t> Items;

  void put(unsigned Slot, RawType T, std::initializer_list<int64_t> Words = {}) {
    head(Slot, T, static_cast<int64_t>(Words.size()));
    Items.insert(Items.end(), Words.begin(), Words.end());
  }

protected:
  /// Begins an item; so many words have to follow.
  void head(unsigned Slot, RawType T, int64_t Words) {
    Items.push_back(static_cast<int64_t>(Slot | static_cast<unsigned>(T) << 8) | Words << 16);
  }
  void word(int64_t V) { Items.push_back(V); }
};

/// A segment of memory that was released. Its number may then stand for another segment.
struct ReleasedSegment {
  uint32_t Id;
  uint64_t Base; ///< its address
};
/// Starts to note which segments of memory are released.
void watchReleases();
/// Notes that a segment was released. Does nothing before watchReleases().
void noteRelease(uint32_t Id, uint64_t Base);
/// How many segments were released so far.
size_t countReleases();
/// The segments that were released so far, in order. To be called when nobody notes releases any more.
const std::vector<ReleasedSegment> &releases();

} // namespace pilgrim

#endif
