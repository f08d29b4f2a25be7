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
#include <memory>
#include <vector>

namespace pilgrim {

/// The type of an item of a copy, and the words that follow the item's head.
enum class RawType : uint8_t {
  Absent,  ///< no words: the trace must not have a value
  Numbers, ///< an array
  Number,
  Handle,     ///< kind, raw value
  MadeHandle, ///< the same of an object that this call made
  Handles,    ///< kind, raw values
  MadeHandles,
  Request, ///< raw value
  MadeRequest,
  Requests, ///< raw values
  Address,  ///< the address, and how many segments of memory had been released by then
  String,   ///< bytes, one a word
  Sentinel, ///< characters of the name, one a word
  Status,   ///< source, tag, bytes, whether it was cancelled
  Statuses,
  IgnoredStatus, ///< no words
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
  bool Abandoned = false; ///< left by a longjmp or an exception: recorded without parameters
  int Ret = 0;
  uint64_t Turn = 0;  ///< the turn that the call was made in
  unsigned Owner = 0; ///< how many threads had this number before
  std::vector<int64_t> Items;

  void put(unsigned Slot, RawType T, std::initializer_list<int64_t> Words) {
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

/// The copies of one thread's calls, in the order in which the calls were entered.
class CallLog {
public:
  std::vector<std::unique_ptr<CallCopy>> Calls;
  unsigned Owner = 0;
  /// Adds a copy of type Copy, a CallCopy that knows how to write the values of an MPI.
  template <typename Copy> Copy *begin(uint32_t Function, uint32_t Depth, bool IsTraced, uint64_t Turn) {
    auto New = std::make_unique<Copy>();
    Copy *C = New.get();
    C->Function = Function;
    C->Depth = Depth;
    C->IsTraced = IsTraced;
    C->Turn = Turn;
    C->Owner = Owner;
    Calls.push_back(std::move(New));
    return C;
  }
};

/// Starts to note which segments of memory are released. Their numbers may then stand for other segments.
void watchReleases();
/// Notes that a segment was released. Does nothing before watchReleases().
void noteRelease(uint32_t Id);
/// How many segments were released so far.
size_t countReleases();
/// Numbers of the segments that were released so far, in order. To be called when nobody notes releases any more.
const std::vector<uint32_t> &releases();

} // namespace pilgrim

#endif
