//===- Wrap.h - what generated wrappers are made of --------------*- C++ -*-===//
//
// Generated wrappers use CallScope (one traced call, from entry to return), the writers of raw records (RawWriter.h),
// the lengths of arrays (Lengths.h) and what wait and test calls completed (Completion.h).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_WRAP_H
#define PILGRIM_PMPI_WRAP_H

#include "platform/Jumps.h"
#include "pmpi/Constants.h"
#include "pmpi/Fortran.h"
#include "pmpi/Freed.h"
#include "pmpi/LoggedCall.h"
#include "pmpi/RawWriter.h"
#include "pmpi/Real.h"

#include <algorithm>
#include <mutex>

namespace pilgrim {

/// Records the innermost call under way without its parameters. It did not return: a longjmp or an exception left it.
void recordAbandoned(ThreadState &T, const void *Frame);
/// Records the calls under way without their parameters, as the trace ends before they return. They stay under way. T
/// is the calling thread, or one that is not recording: where that is in the program is not looked at.
void recordUnderWay(ThreadState &T);
/// Records the innermost call under way; Frame as in its CallPlace.
void record(ThreadState &T, const void *Frame, uint64_t *Words, size_t N, uint64_t Start, uint64_t End);
/// Notes when the innermost call under way was made, with --verify.
void logTimes(ThreadState &T, uint64_t Start, uint64_t End);
/// The copy of the call that has just been entered, or null.
RawCopy *currentCopy(ThreadState &T);
/// Finds the event where the program is. Frame: as in the CallPlace; null: the program is in no call. First and IsCall:
/// as for Contexts::enter().
EventState &place(ThreadState &T, const void *Frame, bool &First, bool IsCall);

/// Takes the thread's turn, if another thread has it (core/Turns.h). To be called at the beginning of a call that will
/// be recorded, in processes with several threads. A call inside of another one belongs to the outer one's turn.
void takeTurn(ThreadState &T);
/// The innermost call of T is over, in a process with several threads: notes whether calls of others began meanwhile.
void endTurn(ThreadState &T);
/// The prologue of UsualAfterPrologue. Returns the call's site.
uint64_t beginUsual(ThreadState &T, const void *Return);

#define PILGRIM_CALL_PLACE CallPlace{__builtin_return_address(0), static_cast<const char *>(__builtin_dwarf_cfa()) - 1}

/// One call, from entry to return. It does not record what MPI calls inside itself, and it knows the depth of calls
/// that user callbacks make. The thread keeps the stack addresses of its open scopes. A scope below the current frame
/// was left by a longjmp or an exception; its memory is not read, as it may be reused. The fast forms record only the
/// program's own calls, not those inside other calls.
template <CallForm Form> class CallScope {
  static constexpr bool Usual = Form != CallForm::Other;

public:
  explicit CallScope(CallPlace Place) : Place(Place) {}
  ~CallScope() {
    if (T)
      close();
  }
  CallScope(const CallScope &) = delete;

  /// False if the call is not to be recorded; of the fast form: if the other form has to be asked.
  [[gnu::always_inline]] bool enter() {
    if constexpr (Usual) {
      const WrapperForm Run = ActiveForm.load(std::memory_order_relaxed);
      T = IdleThread;
      if (!T) [[unlikely]]
        return false;
      Site = reinterpret_cast<uintptr_t>(Place.Return);
      if (Run != WrapperForm::Usual) [[unlikely]] {
        if (Run == WrapperForm::Other) {
          T = nullptr;
          return false;
        }
        Site = beginUsual(*T, Place.Return);
      }
      IdleThread = nullptr;
    } else {
      ThreadState *Current = CurrentThread;
      if (!Current && !(Current = attachThread()))
        return false;
      if (!Current->P.Tracing.load(std::memory_order_relaxed))
        return false;
      while (Current->NumOpen && Current->Open[Current->NumOpen - 1].Scope <= Place.Frame)
        recordAbandoned(*Current, Place.Frame);
      if (Current->NumOpen) {
        if (isInMpiLibrary(Place.Return))
          return false;
        if (Current->NumOpen == ThreadState::MaxOpen) {
          countTooDeep(*Current);
          return false;
        }
      }
      T = Current;
      Depth = Current->NumOpen;
      Site = programSite(Place.Return);
      IsTraced = !T->P.IsOff.load(std::memory_order_relaxed);
      if (IsTraced && T->P.HasTurns.load(std::memory_order_relaxed))
        takeTurn(*T);
      if (IsTraced || !T->Skipped.Since)
        enterOther();
    }
    T->Open[depth()] = {Place.Frame, 0, Site};
    T->NumOpen = depth() + 1;
    return true;
  }
  /// Whether a call of Function only has to be counted: tracing is off.
  bool isPassedOn(uint32_t Function) {
    if (IsTraced)
      return false;
    T->Open[depth()].FunctionAndFlags = Function | ThreadState::OpenCall::NotTraced;
    return true;
  }
  void passedOn() { countSkipped(*T, Place.Frame, depth()); }
  [[gnu::always_inline]] void start() {
    PILGRIM_LEFT_BY_EXCEPTIONS;
    Start = now();
  }
  void stop() {
    End = now();
    if (!Usual && T->Log)
      logTimes(*T, Start, End);
  }
  /// Finds the record that a call of Function will have if the prediction is right.
  [[gnu::always_inline]] void expect(uint32_t Function) {
    T->Open[depth()].FunctionAndFlags = Function | (isTraced() ? 0 : ThreadState::OpenCall::NotTraced);
    if constexpr (Usual)
      look(Function, Site);
    else
      lookOther(Function);
  }
  void commit(FixedWriter &F);
  void commit(FixedWriter &F, RawWriter &W);
  /// The plain copy of the call to write, with --verify; else null.
  [[gnu::always_inline]] RawCopy *copy() { return !Usual && T->Log ? currentCopy(*T) : nullptr; }
  /// Ends the scope before the wrapper returns.
  void leave() {
    close();
    T = nullptr;
  }

  ThreadState &thread() const { return *T; }
  unsigned depth() const { return Usual ? 0 : Depth; }
  uint64_t site() const { return Site; }
  /// Whether the call is recorded. It is not while the program has switched tracing off.
  bool isTraced() const { return Usual || IsTraced; }
  /// The predicted record. If a call was recorded inside this one, the prediction may be invalid.
  const uint64_t *expected() const { return T->IsPredictionValid ? Raw : NoRecord; }

private:
  /// At: the call's site.
  [[gnu::always_inline]] void look(uint32_t Function, uint64_t At) {
    const Contexts &Tree = T->Calls.Tree;
    if (Tree.foresees(__pilgrim_top, reinterpret_cast<uintptr_t>(Place.Frame), Function, At)) [[likely]]
      Raw = Tree.next().Raw;
  }
  /// Records the call if the prediction was right. Same: the records are equal.
  [[gnu::always_inline]] bool follow(bool Same) {
    return Same && (Form == CallForm::Untimed ? T->Calls.follow() : T->Calls.follow(Start, End, More));
  }
  /// expect() of the other form. It is not inlined: small wrappers matter more there.
  [[gnu::noinline]] void lookOther(uint32_t Function) {
    if (Depth == 0 && IsTraced)
      look(Function, Site);
    if (T->Stacks && IsTraced)
      lookUp(Function);
  }
  /// Finds the chain of callers, unless the structure says where the call is made.
  void lookUp(uint32_t Function) {
    if (Raw != NoRecord && T->Calls.Tree.next().IsSite)
      return;
    Raw = NoRecord;
    const uint64_t Chain = T->Open[Depth].Site = T->Stacks->site(Site, Place.Frame);
    if (Depth == 0)
      look(Function, Chain);
  }
  [[gnu::noinline]] bool followOther(bool Same) { return follow(Same); }
  [[gnu::always_inline]] void commit(bool Same, uint64_t *Words, size_t N) {
    const bool Followed = Usual ? follow(Same) : followOther(Same);
    if (!Followed) [[unlikely]]
      record(*T, Place.Frame, Words, N, Start, End);
    if (!Usual || !Followed)
      T->Open[depth()].FunctionAndFlags |= ThreadState::OpenCall::Recorded;
    if constexpr (Usual) {
      if (Form == CallForm::Untimed || !Followed)
        More = T->Calls.more();
      if (More) [[unlikely]]
        if (More & Recorder::HasTurns)
          endTurn(*T);
    }
  }
  /// Records what stands before the call, or notes when calls began to be skipped.
  [[gnu::noinline]] void enterOther() {
    recordBetween(*T, Place.Frame);
    if (!IsTraced)
      T->Skipped.Since = T->Timed ? clockTicks() : 1;
  }
  void close() {
    if (!Usual && T->P.HasTurns.load(std::memory_order_relaxed))
      endTurn(*T);
    T->NumOpen = depth();
    if (!Usual && depth() == 0 && !T->HeldNumbers.empty()) [[unlikely]]
      releaseHeld(*T);
    if (depth() == 0)
      IdleThread = Usual || (!T->Skipped.Number && T->Freed.empty()) ? T : nullptr;
  }
  uint64_t now() const {
    if (Form == CallForm::Other)
      return T->Timed && IsTraced ? clockTicks() : 0;
    return Form == CallForm::Usual ? ticks() : 0;
  }
  CallPlace Place;
  ThreadState *T = nullptr;
  unsigned Depth = 0;
  bool IsTraced = true;
  uint64_t Site = 0, Start = 0, End = 0;
  uint8_t More = 0;               ///< Recorder::more() when the call was over
  const uint64_t *Raw = NoRecord; ///< the predicted record
};

template <CallForm Form> [[gnu::always_inline]] inline void CallScope<Form>::commit(FixedWriter &F) {
  if (!isTraced())
    return countSkipped(*T, Place.Frame, depth());
  F.Buffer[RawAbsent] = F.Absent;
  commit(!(F.Differs | (F.Begin[RawAbsent] ^ F.Absent)), F.Buffer, static_cast<size_t>(F.At - F.Buffer));
}
template <CallForm Form> [[gnu::always_inline]] inline void CallScope<Form>::commit(FixedWriter &F, RawWriter &W) {
  if (!isTraced())
    return countSkipped(*T, Place.Frame, depth());
  uint64_t *Words = W.begin();
  size_t N = W.size(), Fixed = static_cast<size_t>(F.At - F.Buffer);
  commit(!(F.Differs | (F.Begin[RawAbsent] ^ Words[RawAbsent])) && T->Calls.Tree.next().Item->RawSize == N &&
             std::equal(Words + Fixed, Words + N, F.Begin + Fixed),
         Words, N);
}

/// The status to pass to MPI: the program's; or our own, if the program ignores the status of a wildcard receive, which
/// must tell what matched.
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
/// A call frees an object. objectLeaving() is called before the call; its result goes to ThreadState::Leaving when the
/// call is recorded. objectLeft() is called after that. With threads, another object may get the handle before this
/// call is recorded.
uint32_t objectLeaving(Kind K, uint64_t Raw);
void objectLeft(ThreadState &T, bool IsFreed);
void memoryHandedOut(const void *Base, int64_t Bytes);
void memoryHandedOut(const void *Base, int64_t Bytes, MPI_Win *Win);
void memoryTakenBack(const void *Base);

// Ends of the run (Life.cpp).
void initializing();
void initialized();
#if MPI_VERSION >= 4
void sessionBegun(MPI_Session S);
void sessionEnded(MPI_Session S);
#endif
/// Calls MPI_Finalize. Record is called once, when its call is to be recorded: as a rule before it is made.
int finalize(void (*Record)(void *Call, int Ret), void *Call);
template <typename Fn> int finalize(Fn Record) {
  return finalize([](void *Call, int Ret) { (*static_cast<Fn *>(Call))(Ret); }, &Record);
}
void aborting(int Code);
/// In a process that is not traced, or no longer.
void abortingUntraced();

} // namespace pilgrim

#include "pmpi/Completion.h"
#include "pmpi/Lengths.h"

#endif
