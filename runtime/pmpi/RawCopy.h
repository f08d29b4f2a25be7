//===- RawCopy.h - writing plain copies of MPI calls -------------*- C++ -*-===//
//
// With --verify, generated wrappers copy what a call was given and what it gave back (verify/CallCopies.h). The values
// are taken from the MPI library as they are, apart from the raw record that the same wrapper writes. Which object a
// handle means, and what a status tells, is looked up in books of this room's own (verify/Books.h).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_RAWCOPY_H
#define PILGRIM_PMPI_RAWCOPY_H

#include "pmpi/Constants.h"
#include "verify/Books.h"
#include "verify/CallLog.h"

#include <cstring>

namespace pilgrim {

/// What a status belongs to, for a copy.
enum class CopiedStatus : uint8_t { Message, File, Nothing };

/// The module that holds an address, looked up for a copy alone: what is compared with it asks by other means.
struct CopiedModule {
  bool IsFound = false;
  int64_t Offset = 0;    ///< of the address in the file's own numbers
  int64_t FromBegin = 0; ///< from the page where the module begins
  const char *Path = ""; ///< empty: the program's. Valid while the module is loaded
  static CopiedModule of(uintptr_t Address);
};

class RawCopy final : public CallCopy {
public:
  /// The call has returned. To be called first.
  void returns(int Code) { CallLog::returned(*this, Code); }

  void absent(unsigned Slot) { put(Slot, RawType::Absent); }
  void number(unsigned Slot, int64_t V) { put(Slot, RawType::Number, {V}); }
  template <typename N> void numbers(unsigned Slot, const N *P, int64_t Count) {
    if (!begin(Slot, RawType::Numbers, P, Count, 0, 1))
      return;
    for (int64_t I = 0; I < Count; ++I)
      word(static_cast<int64_t>(P[I]));
  }

  // Handles.
  template <typename H> void handle(unsigned Slot, Kind K, H V) {
    head(Slot, RawType::Handle, 1 + HandleWords);
    word(static_cast<int64_t>(K));
    putHandle(K, rawHandle(V), true);
  }
  template <typename H> void handles(unsigned Slot, Kind K, const H *P, int64_t Count) {
    putHandles(Slot, K, P, Count, false);
  }
  /// The call made the object. IsKnown: it may be one that was there. IsLate: MPI cannot be asked about it yet.
  template <typename H> void made(unsigned Slot, Kind K, H V, bool IsKnown, bool IsLate) {
    enter(K, rawHandle(V), IsKnown);
    head(Slot, RawType::Handle, 1 + HandleWords);
    word(static_cast<int64_t>(K));
    putHandle(K, rawHandle(V), !IsLate);
  }
  template <typename H> void madeHandles(unsigned Slot, Kind K, const H *P, int64_t Count) {
    putHandles(Slot, K, P, Count, true);
  }
  /// The call may free the object; ended() tells.
  template <typename H> void leaves(Kind K, H V) {
    LeavingKind = K;
    LeavingRaw = rawHandle(V);
    Leaving = verifyBooks().Objects.leaving(K, LeavingRaw);
  }
  void ended(bool IsFreed) { verifyBooks().Objects.left(LeavingKind, LeavingRaw, Leaving, IsFreed, Begin); }

  // Requests. Variable: the program's own variable, or null.
  void request(unsigned Slot, MPI_Request R, const MPI_Request *Variable);
  void requests(unsigned Slot, const MPI_Request *P, int64_t Count);
  void madeRequest(unsigned Slot, const MPI_Request *R, unsigned Traits);
  /// The call frees a request; requestEnded() tells.
  void takesRequest(unsigned Slot, const MPI_Request *R);
  void requestEnded(bool IsFreed);
  /// The call completes requests.
  void takesRequests(unsigned Slot, const MPI_Request *P, int64_t Count, bool IsArray);
  /// What such a call did. Given: the program's statuses. Passed: those that MPI got. HasMany: they are an array. Any:
  /// something has completed. Count: of statuses. Places: of the requests that they belong to; null: all in order.
  void completed(unsigned Slot, unsigned Matched, const MPI_Request *P, const MPI_Status *Given,
                 const MPI_Status *Passed, bool HasMany, bool Any, int64_t Count, const int *Places);

  // Addresses.
  void address(unsigned Slot, const volatile void *P);
  template <typename R, typename... A> void address(unsigned Slot, R (*F)(A...)) {
    function(Slot, reinterpret_cast<const void *>(F));
  }
  template <typename R, typename... A> void address(unsigned Slot, R (*F)(A..., ...)) {
    function(Slot, reinterpret_cast<const void *>(F));
  }
  /// A number that may be an address.
  void addressNumber(unsigned Slot, int64_t V) { address(Slot, reinterpret_cast<const void *>(V)); }
  /// The block at Base was freed. To be called before noteRelease().
  void freed(unsigned Slot, const void *Base);

  // Texts.
  /// At most Room bytes; Room below zero: up to the NUL.
  void string(unsigned Slot, const char *S, int64_t Room);
  void sentinel(unsigned Slot, const char *Name) { characters(Slot, RawType::Sentinel, Name, std::strlen(Name)); }
  /// Count below zero: up to a null pointer.
  void strings(unsigned Slot, const char *const *P, int64_t Count);
  void stringss(unsigned Slot, char ***P, int64_t Count);

  // Statuses.
  void status(unsigned Slot, const MPI_Status *S, CopiedStatus K);
  /// Of a request that the call does not complete.
  void statusOf(unsigned Slot, MPI_Request R, const MPI_Status *S);
  /// What matched a wildcard, where the program ignores the status.
  void matched(unsigned Slot, const MPI_Status &S);

  /// Keeps a number from before the call.
  void keep(unsigned I, int64_t V) { Kept[I] = V; }
  int64_t kept(unsigned I) const { return Kept[I]; }

private:
  /// Begins an item of Count times Each words and First more. A null pointer or a count below zero makes it empty;
  /// false: it is written, as a null pointer.
  bool begin(unsigned Slot, RawType T, const void *P, int64_t &Count, int64_t First, int64_t Each) {
    Count = Count > 0 ? Count : 0;
    if (!P && Count > 0) {
      put(Slot, RawType::Null);
      return false;
    }
    head(Slot, T, First + Count * Each);
    return true;
  }
  template <typename H> void putHandles(unsigned Slot, Kind K, const H *P, int64_t Count, bool AreMade) {
    if (!begin(Slot, RawType::Handles, P, Count, 1, HandleWords))
      return;
    word(static_cast<int64_t>(K));
    for (int64_t I = 0; I < Count; ++I) {
      if (AreMade)
        enter(K, rawHandle(P[I]), true);
      putHandle(K, rawHandle(P[I]), true);
    }
  }
  void enter(Kind K, uint64_t Raw, bool IsKnown);
  void putHandle(Kind K, uint64_t Raw, bool MayAsk);
  void function(unsigned Slot, const void *F);
  void putAddress(unsigned Slot, const void *P, Origin O, int64_t Offset, const char *Name);
  void characters(unsigned Slot, RawType T, const char *S, size_t N);
  void putStatus(const MPI_Status &S, bool IsFile, bool TellsCancelled, bool TellsError);
  void putNoStatus();
  void putStatuses(unsigned Slot, const MPI_Status *From, bool HasMany, int64_t Count, const int *Places,
                   unsigned Wanted, bool TellErrors);
  unsigned traitsOf(int64_t I, const int *Places) const;

  Kind LeavingKind = {};
  uint64_t LeavingRaw = 0;
  int64_t Leaving = UnknownObject;
  std::vector<RequestBook::Request> Taken; ///< the requests that the call may complete
  int64_t Kept[4] = {};
};

} // namespace pilgrim

#endif
