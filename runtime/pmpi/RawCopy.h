//===- RawCopy.h - writing plain copies of MPI calls -------------*- C++ -*-===//
//
// With --verify, generated wrappers copy what a call was given and what it gave back (verify/CallCopies.h). The values
// are taken from the MPI library as they are, apart from the raw record that the same wrapper writes.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_RAWCOPY_H
#define PILGRIM_PMPI_RAWCOPY_H

#include "pmpi/Constants.h"
#include "verify/CallCopies.h"

#include <cstring>

namespace pilgrim {

class RawCopy final : public CallCopy {
public:
  void absent(unsigned Slot) { head(Slot, RawType::Absent, 0); }
  void number(unsigned Slot, int64_t V) { put(Slot, RawType::Number, {V}); }
  template <typename N> void numbers(unsigned Slot, const N *P, int64_t Count) {
    Count = P && Count > 0 ? Count : 0;
    head(Slot, RawType::Numbers, Count);
    for (int64_t I = 0; I < Count; ++I)
      word(static_cast<int64_t>(P[I]));
  }
  /// Made: the call made the object.
  template <typename H> void handle(unsigned Slot, Kind K, H V, bool Made) {
    put(Slot, Made ? RawType::MadeHandle : RawType::Handle, {static_cast<int64_t>(K), rawWord(V)});
  }
  template <typename H> void handles(unsigned Slot, Kind K, const H *P, int64_t Count, bool Made) {
    Count = P && Count > 0 ? Count : 0;
    head(Slot, Made ? RawType::MadeHandles : RawType::Handles, Count + 1);
    word(static_cast<int64_t>(K));
    for (int64_t I = 0; I < Count; ++I)
      word(rawWord(P[I]));
  }
  void request(unsigned Slot, MPI_Request R, bool Made) {
    put(Slot, Made ? RawType::MadeRequest : RawType::Request, {rawWord(R)});
  }
  void requests(unsigned Slot, const MPI_Request *P, int64_t Count) {
    Count = P && Count > 0 ? Count : 0;
    head(Slot, RawType::Requests, Count);
    for (int64_t I = 0; I < Count; ++I)
      word(rawWord(P[I]));
  }
  void address(unsigned Slot, const volatile void *P);
  template <typename R, typename... A> void address(unsigned Slot, R (*F)(A...)) {
    address(Slot, reinterpret_cast<const void *>(F));
  }
  template <typename R, typename... A> void address(unsigned Slot, R (*F)(A..., ...)) {
    address(Slot, reinterpret_cast<const void *>(F));
  }
  /// The block at Base was freed. To be called before noteRelease().
  void freed(unsigned Slot, const void *Base);
  /// At most Room bytes; Room below zero: up to the NUL.
  void string(unsigned Slot, const char *S, int64_t Room) {
    size_t N = S ? strnlen(S, Room < 0 ? std::strlen(S) : static_cast<size_t>(Room)) : 0;
    if (!S)
      return;
    characters(Slot, RawType::String, S, N);
  }
  void sentinel(unsigned Slot, const char *Name) { characters(Slot, RawType::Sentinel, Name, std::strlen(Name)); }
  /// Completes: the status is that of a request. Other statuses do not tell whether something was cancelled.
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
  template <typename H> static int64_t rawWord(H V) { return static_cast<int64_t>(rawHandle(V)); }
  void characters(unsigned Slot, RawType T, const char *S, size_t N) {
    head(Slot, T, static_cast<int64_t>(N));
    for (size_t I = 0; I < N; ++I)
      word(static_cast<unsigned char>(S[I]));
  }
  void putStatus(const MPI_Status &S);
};

} // namespace pilgrim

#endif
