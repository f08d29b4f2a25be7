//===- RawWriter.h - the raw record of a call --------------------*- C++ -*-===//
//
// Generated wrappers write the arguments and results of a call into the thread's buffer, slot by slot. FixedWriter
// writes the slots before the first one whose length varies. RawWriter writes the rest.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_RAWWRITER_H
#define PILGRIM_PMPI_RAWWRITER_H

#include "pmpi/State.h"

#include <algorithm>
#include <cstring>

namespace pilgrim {

/// The forms that a wrapper is compiled in: the fast one, the same without timing, and the general one (WrapperForm).
enum class CallForm : uint8_t { Usual, Untimed, Other };
template <CallForm Form> class CallScope;
constexpr size_t MaxFixedWords = 64;           ///< of the slots before the first one whose length varies
extern const uint64_t NoRecord[MaxFixedWords]; ///< a record that equals no real one: all of its slots are absent

/// What a status belongs to. Only that of a request tells whether something was cancelled; in others the bit may be
/// garbage. That of a file operation tells a size only.
/// What a status says: a message; that or that it was cancelled; a size alone; nothing that is recorded.
enum StatusKind { StatusOfMessage, StatusOfRequest, StatusOfFile, StatusOfNothing };
/// Writes the four words of a status, as trace/model/Signature.h says.
void statusWords(const MPI_Status &S, StatusKind K, bool WithError, uint64_t *Out);
enum : unsigned { SentinelStatusIgnore = 2, SentinelStatusesIgnore = 3 };

/// Writes the first slots of a call's raw record into the thread's buffer, and compares them with the predicted record.
class FixedWriter {
public:
  template <CallForm Form>
  [[gnu::always_inline]] FixedWriter(const CallScope<Form> &S, uint32_t Function, int Ret)
      : T(S.thread()), Buffer(T.Buffer.data()), At(Buffer + RawHead), Begin(S.expected()), As(Begin + RawHead) {
    // A prediction implies function and depth; record() fills in the site.
    Buffer[RawFunction] = Function | static_cast<uint64_t>(S.depth()) << 32;
    number(Ret);
  }
  [[gnu::always_inline]] void word(uint64_t V) {
    *At++ = V;
    Differs |= *As++ ^ V;
  }
  void number(int64_t V) { word(static_cast<uint64_t>(V)); }
  template <typename H> void handle(H V) { word(rawHandle(V)); }
  void address(const volatile void *P) { word(reinterpret_cast<uintptr_t>(P)); }
  template <typename R, typename... A> void address(R (*F)(A...)) { word(reinterpret_cast<uintptr_t>(F)); }
  template <typename R, typename... A> void address(R (*F)(A..., ...)) { word(reinterpret_cast<uintptr_t>(F)); }
  [[gnu::always_inline]] void absent(unsigned Slot) {
    Absent |= uint64_t(1) << Slot;
    word(0);
  }

private:
  template <CallForm> friend class CallScope;
  friend class RawWriter;
  ThreadState &T;
  uint64_t *Buffer, *At;
  const uint64_t *Begin, *As;
  uint64_t Differs = 0, Absent = 0;
};

/// Writes the slots from the first one whose length varies.
class RawWriter {
public:
  explicit RawWriter(FixedWriter &F) : T(F.T), Buffer(F.Buffer), At(F.At) { Buffer[RawAbsent] = F.Absent; }
  uint64_t *begin() { return Buffer; }
  size_t size() const { return static_cast<size_t>(At - Buffer); }

  void word(uint64_t V) { *At++ = V; }
  void number(int64_t V) { word(static_cast<uint64_t>(V)); }
  template <typename H> void handle(H V) { word(rawHandle(V)); }
  void address(const volatile void *P) { word(reinterpret_cast<uintptr_t>(P)); }
  template <typename R, typename... A> void address(R (*F)(A...)) { word(reinterpret_cast<uintptr_t>(F)); }
  template <typename R, typename... A> void address(R (*F)(A..., ...)) { word(reinterpret_cast<uintptr_t>(F)); }
  void absent(unsigned Slot) {
    Buffer[RawAbsent] |= uint64_t(1) << Slot;
    word(0);
  }
  void state(int64_t S) { number(S); }
  void vectorAbsent() { state(AbsentState); }
  void sentinel(unsigned I) { state(SentinelState - static_cast<int64_t>(I)); }

  template <typename N> void numbers(const N *P, int64_t Count) {
    if (!begin(P, Count))
      return;
    for (int64_t I = 0; I < Count; ++I)
      number(static_cast<int64_t>(P[I]));
  }
  template <typename H> void handles(const H *P, int64_t Count) {
    if (!begin(P, Count))
      return;
    for (int64_t I = 0; I < Count; ++I)
      handle(P[I]);
  }
  void string(const char *S) { stringOut(S, S ? static_cast<int64_t>(std::strlen(S)) : 0); }
  /// At most Room bytes, up to a NUL.
  void stringOut(const char *S, int64_t Room) {
    if (!S)
      return state(NullState);
    text(S, strnlen(S, static_cast<size_t>(std::max<int64_t>(Room, 0))));
  }
  /// A vector of strings. Count below zero: up to a null pointer.
  void strings(const char *const *P, int64_t Count);
  void stringss(char ***P, int64_t Count);
  void status(const MPI_Status *P, bool Valid, StatusKind K) {
    if (P == MPI_STATUS_IGNORE)
      return sentinel(SentinelStatusIgnore);
    if (!Valid)
      return vectorAbsent();
    number(1);
    putStatus(*P, K, false);
  }
  void givenStatus(const MPI_Status *P, StatusKind K) {
    if (P == MPI_STATUS_IGNORE)
      return sentinel(SentinelStatusIgnore);
    number(1);
    if (K == StatusOfNothing)
      noStatus();
    else
      putStatus(*P, K, false);
  }
  /// The status of a request that the call does not complete. That of a send means nothing and is left out.
  void statusOf(MPI_Request Request, const MPI_Status *P, bool Valid);
  void putStatus(const MPI_Status &S, StatusKind K, bool WithError) {
    ensure(4);
    statusWords(S, K, WithError, At);
    At += 4;
  }
  void noStatus() {
    ensure(4);
    number(NoStatus);
    number(0);
    number(0);
    number(0);
  }
  /// Makes room for N more words, and for all scalar slots of a function behind them.
  void ensure(int64_t N) {
    if (static_cast<size_t>(At - Buffer) + static_cast<size_t>(N) + Slack > T.Buffer.size()) [[unlikely]]
      grow(static_cast<size_t>(N));
  }
  static constexpr size_t Slack = MaxFixedWords;

private:
  void grow(size_t N) {
    size_t Used = size();
    T.Buffer.resize((Used + N + Slack) * 2);
    Buffer = T.Buffer.data();
    At = Buffer + Used;
  }
  bool begin(const void *P, int64_t &Count) {
    if (Count < 0)
      Count = 0;
    if (!P && Count > 0) {
      state(NullState);
      return false;
    }
    ensure(Count + 1);
    number(Count);
    return true;
  }
  void text(const char *S, size_t N) {
    size_t W = (N + 7) / 8;
    ensure(static_cast<int64_t>(W) + 1);
    number(static_cast<int64_t>(N));
    if (W)
      At[W - 1] = 0;
    std::memcpy(At, S, N);
    At += W;
  }

  ThreadState &T;
  uint64_t *Buffer, *At;
};

} // namespace pilgrim

#endif
