//===- RawLog.h - plain copies of calls, for --verify ------------*- C++ -*-===//
//
// What a program passed to MPI and got back, kept as it was: no ids, no signatures, no compression, nothing of the
// recorder. Verify.h compares it with what the finished trace decodes to.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_VERIFY_RAWLOG_H
#define PILGRIM_VERIFY_RAWLOG_H

#include "pmpi/Constants.h"

#include <cstring>
#include <memory>
#include <vector>

namespace pilgrim {

/// What an item of a copy is. Items are a head (slot | type << 8 | number of words << 16) and words.
enum class RawType : uint8_t {
  Absent,  ///< must not have a value
  Numbers, ///< an array
  Number,
  Handle,     ///< words: kind, raw
  MadeHandle, ///< the same, made by this call
  Handles,    ///< words: kind, raws
  MadeHandles,
  Request, ///< raw
  MadeRequest,
  Requests, ///< raws
  Address,  ///< address, number of segments released so far
  String,   ///< bytes, one a word
  Sentinel, ///< characters of the name
  Status,   ///< source, tag, bytes, cancelled
  Statuses,
  IgnoredStatus,
};

class RawCopy {
public:
  uint32_t Function = 0;
  uint32_t Depth = 0;
  bool IsTraced = true; ///< else it is only counted in the trace
  bool Returned = false;
  bool Abandoned = false; ///< left by a longjmp or an exception: recorded without parameters
  int Ret = 0;
  uint64_t Turn = 0;  ///< that the call was made in
  unsigned Owner = 0; ///< counts the threads that had this number
  std::vector<int64_t> Items;

  void absent(unsigned Slot) { head(Slot, RawType::Absent, 0); }
  void number(unsigned Slot, int64_t V) { one(Slot, RawType::Number, V); }
  template <typename N> void numbers(unsigned Slot, const N *P, int64_t Count) {
    Count = P && Count > 0 ? Count : 0;
    head(Slot, RawType::Numbers, Count);
    for (int64_t I = 0; I < Count; ++I)
      Items.push_back(static_cast<int64_t>(P[I]));
  }
  template <typename H> void handle(unsigned Slot, Kind K, H V, bool Made) {
    head(Slot, Made ? RawType::MadeHandle : RawType::Handle, 2);
    Items.push_back(static_cast<int64_t>(K));
    Items.push_back(static_cast<int64_t>(rawHandle(V)));
  }
  template <typename H> void handles(unsigned Slot, Kind K, const H *P, int64_t Count, bool Made) {
    Count = P && Count > 0 ? Count : 0;
    head(Slot, Made ? RawType::MadeHandles : RawType::Handles, Count + 1);
    Items.push_back(static_cast<int64_t>(K));
    for (int64_t I = 0; I < Count; ++I)
      Items.push_back(static_cast<int64_t>(rawHandle(P[I])));
  }
  void request(unsigned Slot, MPI_Request R, bool Made) {
    one(Slot, Made ? RawType::MadeRequest : RawType::Request, static_cast<int64_t>(rawHandle(R)));
  }
  void requests(unsigned Slot, const MPI_Request *P, int64_t Count) {
    Count = P && Count > 0 ? Count : 0;
    head(Slot, RawType::Requests, Count);
    for (int64_t I = 0; I < Count; ++I)
      Items.push_back(static_cast<int64_t>(rawHandle(P[I])));
  }
  void address(unsigned Slot, const volatile void *P);
  template <typename R, typename... A> void address(unsigned Slot, R (*F)(A...)) {
    address(Slot, reinterpret_cast<const void *>(F));
  }
  template <typename R, typename... A> void address(unsigned Slot, R (*F)(A..., ...)) {
    address(Slot, reinterpret_cast<const void *>(F));
  }
  /// Before noteRelease().
  void freed(unsigned Slot, const void *Base);
  void string(unsigned Slot, const char *S, int64_t Room) {
    size_t N = S ? strnlen(S, Room < 0 ? std::strlen(S) : static_cast<size_t>(Room)) : 0;
    if (!S)
      return;
    characters(Slot, RawType::String, S, N);
  }
  void sentinel(unsigned Slot, const char *Name) { characters(Slot, RawType::Sentinel, Name, std::strlen(Name)); }
  /// Completes: the status is of a request; only then it tells whether that was cancelled.
  void status(unsigned Slot, const MPI_Status *S, bool Completes) {
    if (S == MPI_STATUS_IGNORE)
      return head(Slot, RawType::IgnoredStatus, 0);
    head(Slot, RawType::Status, 4);
    putStatus(*S);
    if (!Completes)
      Items.back() = 0;
  }
  void statuses(unsigned Slot, const MPI_Status *S, int64_t Count) {
    if (S == MPI_STATUSES_IGNORE)
      return head(Slot, RawType::IgnoredStatus, 0);
    Count = Count > 0 ? Count : 0;
    head(Slot, RawType::Statuses, Count * 4);
    for (int64_t I = 0; I < Count; ++I)
      putStatus(S[I]);
  }

private:
  void head(unsigned Slot, RawType T, int64_t Words) {
    Items.push_back(static_cast<int64_t>(Slot | static_cast<unsigned>(T) << 8) | Words << 16);
  }
  void one(unsigned Slot, RawType T, int64_t V) {
    head(Slot, T, 1);
    Items.push_back(V);
  }
  void characters(unsigned Slot, RawType T, const char *S, size_t N) {
    head(Slot, T, static_cast<int64_t>(N));
    for (size_t I = 0; I < N; ++I)
      Items.push_back(static_cast<unsigned char>(S[I]));
  }
  void putStatus(const MPI_Status &S);
};

/// The copies of one thread, in the order in which calls were entered.
class RawLog {
public:
  std::vector<std::unique_ptr<RawCopy>> Calls;
  unsigned Owner = 0;
  RawCopy *begin(uint32_t Function, uint32_t Depth, bool IsTraced, uint64_t Turn) {
    Calls.push_back(std::make_unique<RawCopy>());
    Calls.back()->Function = Function;
    Calls.back()->Depth = Depth;
    Calls.back()->IsTraced = IsTraced;
    Calls.back()->Turn = Turn;
    Calls.back()->Owner = Owner;
    return Calls.back().get();
  }
};

/// Starts to note which segments of memory are released; their ids may then stand for others.
void watchReleases();
/// One is; does nothing before watchReleases().
void noteRelease(uint32_t Id);
/// Ids of the segments released so far, in order.
const std::vector<uint32_t> &releases();

} // namespace pilgrim

#endif
