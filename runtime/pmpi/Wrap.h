//===- Wrap.h - what generated wrappers are made of --------------*- C++ -*-===//
//
// CallScope: one traced call, from entry to return. RawWriter: its raw record. Lengths.h: how long arrays are.
// Completion.h: what wait and test calls completed.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_WRAP_H
#define PILGRIM_PMPI_WRAP_H

#include "pmpi/Constants.h"
#include "pmpi/Fortran.h"
#include "pmpi/Real.h"
#include "pmpi/State.h"
#include "verify/RawLog.h"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace pilgrim {

/// Records the innermost call under way, which did not return: a longjmp or an exception left it. Nothing is known of
/// its parameters any more.
void recordAbandoned(ThreadState &T);

/// Guards against recording what MPI calls inside itself, and knows the depth of calls made by user callbacks. The
/// thread keeps where its open scopes lie on the stack, and looks only at the addresses: one that lies below the
/// current frame was left by a longjmp or an exception, and what it held is gone.
class FixedWriter;
class RawWriter;
class CallScope {
public:
  CallScope(void *ReturnAddress, void *Frame) : ReturnAddress(ReturnAddress), Frame(Frame) {}
  ~CallScope() {
    if (T)
      T->NumOpen = Depth;
  }
  CallScope(const CallScope &) = delete;

  /// False if the call is not to be recorded.
  [[gnu::always_inline]] bool enter() {
    ThreadState *Current = CurrentThread;
    if (!Current) [[unlikely]] {
      Current = attachThread();
      if (!Current)
        return false;
    }
    if (!Current->P.Tracing.load(std::memory_order_relaxed)) [[unlikely]]
      return false;
    if (Current->NumOpen) [[unlikely]] {
      while (Current->NumOpen && Current->Open[Current->NumOpen - 1].Scope <= Frame)
        recordAbandoned(*Current);
      if (Current->NumOpen && (Current->NumOpen == ThreadState::MaxOpen || isInMpiLibrary(ReturnAddress)))
        return false;
    }
    T = Current;
    Site = programSite(ReturnAddress);
    Depth = T->NumOpen;
    T->Open[T->NumOpen++] = {Frame, 0, Site};
    return true;
  }
  void start() { Start = T->Timed ? ticks() : 0; }
  void stop() { End = T->Timed ? ticks() : 0; }
  /// The event that a call of Function is an item of. Site: what its record says.
  [[gnu::always_inline]] EventState &event(uint32_t Function, uint64_t &Site) {
    PilgrimFrame *Top = __pilgrim_top;
    if (!Top)
      return T->Calls.Tree.root();
    EventState *E = T->Calls.Tree.step(Top, reinterpret_cast<uintptr_t>(Frame));
    bool First = true;
    if (!E) [[unlikely]]
      E = &otherEvent(*T, Frame, First);
    // The structure says where the call stands: not its address, of which there may be several.
    if (First && E->Site == Function)
      Site = 0;
    return *E;
  }
  void commit(FixedWriter &F);
  void commit(FixedWriter &F, RawWriter &W);
  /// Which function is called. With --verify: where the call's plain copy goes; else null.
  [[gnu::always_inline]] RawCopy *copy(uint32_t Function) {
    T->Open[Depth].Function = Function;
    return T->Log ? beginCopy(*T, Function, Depth) : nullptr;
  }
  /// The scope ends before the function returns.
  void leave() {
    T->NumOpen = Depth;
    T = nullptr;
  }

  ThreadState &thread() const { return *T; }
  unsigned depth() const { return Depth; }
  uint64_t site() const { return Site; }

private:
  static EventState &otherEvent(ThreadState &T, void *Frame, bool &First);
  static RawCopy *beginCopy(ThreadState &T, uint32_t Function, unsigned Depth);
  void *ReturnAddress, *Frame;
  ThreadState *T = nullptr;
  unsigned Depth = 0;
  uint64_t Site = 0, Start = 0, End = 0;
};

/// What a status tells: of a completed request, also whether it was cancelled; else the bit may be garbage.
enum StatusKind { StatusOfMessage, StatusOfRequest, StatusOfFile };
/// The four words of a status, as trace/Signature.h says.
void statusWords(const MPI_Status &S, StatusKind K, bool WithError, uint64_t *Out);
enum : unsigned { SentinelStatusIgnore = 2, SentinelStatusesIgnore = 3 };

/// Writes the first slots of a call's raw record, up to one whose length varies, into the thread's buffer, and sees
/// whether they are what is expected.
class FixedWriter {
public:
  [[gnu::always_inline]] FixedWriter(CallScope &S, uint32_t Function, int Ret)
      : T(S.thread()), Buffer(T.Buffer.data()), At(Buffer) {
    uint64_t Site = S.site();
    Event = &S.event(Function, Site);
    Item = T.Calls.expected(*Event, Function);
    As = Begin = Item ? Event->expectedRaw() : Nothing;
    word(Function | static_cast<uint64_t>(S.depth()) << 32);
    word(Site);
    ++At, ++As;
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
  static constexpr size_t MaxWords = 64;

private:
  friend class CallScope;
  friend class RawWriter;
  static const uint64_t Nothing[MaxWords]; // what no record begins with
  ThreadState &T;
  EventState *Event;
  EventItem *Item;
  uint64_t *Buffer, *At;
  const uint64_t *Begin, *As;
  uint64_t Differs = 0, Absent = 0;
};

/// Writes the rest.
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
  /// A vector of strings; Count below zero: up to a null pointer.
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
  void givenStatus(const MPI_Status *P) {
    if (P == MPI_STATUS_IGNORE)
      return sentinel(SentinelStatusIgnore);
    number(1);
    putStatus(*P, StatusOfMessage, false);
  }
  /// The status of a request that the call does not complete. Sends have none that means anything.
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
  /// Room for N more words, and for what a function's scalar slots take.
  void ensure(int64_t N) {
    if (static_cast<size_t>(At - Buffer) + static_cast<size_t>(N) + Slack > T.Buffer.size()) [[unlikely]]
      grow(static_cast<size_t>(N));
  }
  static constexpr size_t Slack = FixedWriter::MaxWords;

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

[[gnu::always_inline]] inline void CallScope::commit(FixedWriter &F) {
  F.Buffer[RawAbsent] = F.Absent;
  if (!(F.Differs | (F.Begin[RawAbsent] ^ F.Absent))) [[likely]]
    T->Calls.accept(*F.Event, *F.Item, Start, End);
  else
    T->Calls.recordOther(*F.Event, F.Buffer, static_cast<size_t>(F.At - F.Buffer), Start, End);
}
[[gnu::always_inline]] inline void CallScope::commit(FixedWriter &F, RawWriter &W) {
  const uint64_t *Words = W.begin();
  size_t N = W.size(), Fixed = static_cast<size_t>(F.At - F.Buffer);
  if (!(F.Differs | (F.Begin[RawAbsent] ^ Words[RawAbsent])) && F.Item->RawSize == N &&
      std::equal(Words + Fixed, Words + N, F.Begin + Fixed)) [[likely]]
    T->Calls.accept(*F.Event, *F.Item, Start, End);
  else
    T->Calls.recordOther(*F.Event, Words, N, Start, End);
}

/// The program's status, or one of our own where a wildcard receive must tell what matched and the program ignores it.
class OwnStatus {
public:
  OwnStatus(MPI_Status *Given, bool Wildcard) : Given(Given), Wildcard(Wildcard) {}
  MPI_Status *status() { return ignored() ? &Own : Given; }
  void validIf(bool V) { Valid = V; }
  void matched(RawWriter &W, bool Ok) {
    if (!Ok || !Valid || !ignored())
      return W.vectorAbsent();
    W.number(1);
    W.putStatus(Own, StatusOfMessage, false);
  }

private:
  bool ignored() const { return Wildcard && Given == MPI_STATUS_IGNORE; }
  MPI_Status *Given;
  bool Wildcard, Valid = true;
  MPI_Status Own;
};

// Books of objects.
void objectMadeRaw(Kind K, uint64_t Raw, bool Ref);
template <typename H> void objectMade(Kind K, H Handle, bool Ref) { objectMadeRaw(K, rawHandle(Handle), Ref); }
template <typename H> void arrayMade(Kind K, const H *P, int64_t N) {
  for (int64_t I = 0; P && I < N; ++I)
    objectMadeRaw(K, rawHandle(P[I]), true);
}
void commDuplicated(MPI_Comm Parent, MPI_Comm Comm);
void objectFreed(Kind K, uint64_t Raw);
void memoryHandedOut(const void *Base, int64_t Bytes);
void memoryHandedOut(const void *Base, int64_t Bytes, MPI_Win *Win);
void memoryTakenBack(const void *Base);

// Ends of the run (Life.cpp).
void initialized();
void finalizing();
void aborting(int Code);

} // namespace pilgrim

#include "pmpi/Completion.h"
#include "pmpi/Lengths.h"

#endif
