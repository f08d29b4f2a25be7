//===- Wrap.cpp - what generated wrappers are made of ---------------------===//
#include "pmpi/Wrap.h"
#include "memory/Segments.h"
#include "platform/Generation.h"
#include "platform/Stacks.h"
#include "pmpi/Markers.h"

#include <sched.h>
#include <utility>

namespace pilgrim {

void BookLock::pause() { sched_yield(); }

static_assert(RawAbsent == 2);
const uint64_t NoRecord[MaxFixedWords] = {0, 0, ~uint64_t(0)};

EventState &place(ThreadState &T, const void *Frame, bool &First, bool IsCall) {
  PilgrimFrame *Top = __pilgrim_top;
  First = false;
  if (!Frame || !Top || !T.P.Structured)
    return T.Calls.Tree.root();
  First = true;
  return T.Calls.Tree.enter(Top, reinterpret_cast<uintptr_t>(Frame), First, IsCall);
}

/// Finds where the gap before the innermost call begins. Before the first call inside of another one there is none, and
/// that of the call around it begins where the calls before that one ended.
static void placeGap(ThreadState &T, uint64_t Start) {
  constexpr uint64_t NoGap = UINT64_MAX;
  const unsigned Own = T.NumOpen - 1;
  if (const uint64_t Begin = std::exchange(T.GapBegin[Own], 0))
    T.Calls.beginGap(Begin == NoGap ? Start : Begin);
  bool IsFirst = false;
  for (unsigned I = 0; I < Own; ++I)
    if (!T.GapBegin[I]) {
      T.GapBegin[I] = IsFirst ? NoGap : T.Calls.gapBegin();
      IsFirst = true;
    }
  if (IsFirst)
    T.Calls.beginGap(Start);
}

/// Records the program's own call if the resting run of a node goes on with it, in a new activation. False: it does
/// not, and nothing was recorded.
static bool followInside(ThreadState &T, const void *Frame, const uint64_t *Words, size_t N, uint64_t Start,
                         uint64_t End) {
  Contexts &Tree = T.Calls.Tree;
  PilgrimFrame *Top = __pilgrim_top;
  const auto Stack = reinterpret_cast<uintptr_t>(Frame);
  if (!Top || !T.P.Structured || T.NumOpen != 1 || !Tree.openKnown(Top, Stack) ||
      !Tree.foresees(Top, Stack, static_cast<uint32_t>(Words[RawFunction]), T.Open[0].Site))
    return false;
  // While the words are equal, the lengths among them are: no more is read than the predicted record has.
  const uint64_t *Raw = Tree.next().Raw;
  for (size_t I = RawAbsent; I < N; ++I)
    if (Words[I] != Raw[I])
      return false;
  T.IsPredictionValid = true;
  if (!T.Timed)
    return T.Calls.follow();
  placeGap(T, Start);
  uint8_t More;
  return T.Calls.follow(Start, End, More);
}

/// Whether a frame lies inside of the call of which Scope is a part of the stack.
static bool isInside(const void *Scope, const PilgrimFrame *Frame) {
  return Frame && reinterpret_cast<uintptr_t>(Frame) < reinterpret_cast<uintptr_t>(Scope);
}

void record(ThreadState &T, const void *Frame, uint64_t *Words, size_t N, uint64_t Start, uint64_t End) {
  if (!T.P.Tracing.load(std::memory_order_relaxed)) [[unlikely]]
    return; // the trace has ended during the call
  if (T.Skipped.Number | T.Skipped.Since || !T.Freed.empty() || T.P.HasOrphans.load(std::memory_order_relaxed))
    recordBetween(T, Frame); // what happened inside of this call
  else if (followInside(T, Frame, Words, N, Start, End))
    return;
  const auto Function = static_cast<uint32_t>(Words[RawFunction]);
  // A call of a callback without markers stands before the call that the event is about.
  const bool IsAside = T.NumOpen > 1 && !isInside(T.Open[T.NumOpen - 2].Scope, __pilgrim_top);
  bool First;
  EventState &E = place(T, Frame, First, !IsAside);
  // The event already names the line, so the address is dropped: one line may have several addresses.
  Words[RawSite] = First && !IsAside && E.Site == Function ? 0 : T.Open[T.NumOpen - 1].Site;
  T.IsPredictionValid = T.NumOpen == 1;
  if (T.Timed)
    placeGap(T, Start);
  for (unsigned I = 0; I + 1 < T.NumOpen; ++I)
    T.Open[I].FunctionAndFlags |= ThreadState::OpenCall::HasRecords;
  // A callback's call is what an event is about if the callback has markers: then its frame is inside of the call.
  const bool IsWithin = T.NumOpen > 1 && !T.Calls.Tree.isInside(T.Open[T.NumOpen - 2].Scope);
  T.Calls.record(E, Words, N, Start, End, IsWithin);
}

[[gnu::cold]] RawCopy *currentCopy(ThreadState &T) { return static_cast<RawCopy *>(T.Log->Current); }

[[gnu::cold]] void logTimes(ThreadState &T, uint64_t Start, uint64_t End) {
  if (CallCopy *C = T.Log->innermost()) {
    C->StartTicks = Start;
    C->EndTicks = End;
  }
}

/// Whether one of the calls under way will be recorded.
static bool isInItem(const ThreadState &T) {
  return std::any_of(T.Open, T.Open + T.NumOpen, [](const ThreadState::OpenCall &C) { return C.isItem(); });
}

void takeTurn(ThreadState &T) {
  if (isInItem(T))
    return;
  if (uint64_t Turn = T.P.Turn.take(T.Index)) [[unlikely]] {
    T.Encoder.Who.Turn = Turn;
    // What was freed becomes items yet, behind one for skipped calls. Without it, that one begins the turn.
    T.Turns.note(Turn, T.Calls.calls() + (T.Freed.empty() ? 0 : (T.Skipped.Number != 0) + T.Freed.size()));
  }
}

void endTurn(ThreadState &T) {
  const bool WasItem = T.Open[--T.NumOpen].isItem() && !isInItem(T);
  ++T.NumOpen;
  if (!WasItem)
    return;
  if (uint64_t Last = T.P.Turn.end(T.Index)) [[unlikely]]
    T.Turns.ended(Last);
}

uint64_t beginUsual(ThreadState &T, const void *Return) {
  if (T.P.HasTurns.load(std::memory_order_relaxed))
    takeTurn(T);
  return programSite(Return);
}

void ThreadState::takeOver() {
  // The thread ended inside of MPI, by pthread_exit in a callback.
  while (NumOpen)
    recordAbandoned(*this, nullptr);
  IsPredictionValid = true;
  Tid = threadId();
  const uintptr_t End = stackEnd();
  learnStack();
  Calls.Tree.leaveAll(FrameStack);
  Calls.startClock(Timed ? clockTicks() : 0);
  if (End != StackEnd)
    newGeneration(Renewal::Fleeting); // names of stack addresses count from the stack's end
  StackEnd = End;
  if (Stacks)
    Stacks->limitStack(End);
  if (Log)
    Log->takeOver();
}

/// Depth: how many calls Call is inside of. Now: when it was over; 0: calls are not timed.
static void recordWithoutParameters(ThreadState &T, const void *Frame, unsigned Depth, uint64_t Now) {
  recordBetween(T, Frame);
  const ThreadState::OpenCall &Call = T.Open[Depth];
  const FunctionInfo F = T.Encoder.function(Call.function());
  // Without lengths, each slot takes one word.
  std::vector<uint64_t> Raw{Call.function() | static_cast<uint64_t>(Depth) << 32, Call.Site, 0};
  for (size_t I = 0; I < F.Slots.size(); ++I) {
    if (F.Slots[I].L == Layout::Word)
      Raw[RawAbsent] |= uint64_t(1) << I;
    Raw.push_back(F.Slots[I].L == Layout::Word ? 0 : static_cast<uint64_t>(int64_t(AbsentState)));
  }
  bool First;
  EventState &E = place(T, Frame, First, false);
  // As for other calls, if the frames are those around this one.
  if (First && Frame == Call.Scope && E.Site == Call.function())
    Raw[RawSite] = 0;
  T.Calls.record(E, Raw.data(), Raw.size(), Now, Now, true);
}

void recordAbandoned(ThreadState &T, const void *Frame) {
  if (T.P.HasTurns.load(std::memory_order_relaxed))
    endTurn(T);
  const unsigned Depth = --T.NumOpen;
  T.GapBegin[Depth] = 0;
  T.IsPredictionValid = false;
  if (T.Open[Depth].isTraced())
    recordWithoutParameters(T, Frame, Depth, T.Timed ? clockTicks() : 0);
  else
    countSkipped(T, Frame, Depth);
}

void recordUnderWay(ThreadState &T) {
  const bool IsOwn = &T == CurrentThread;
  PilgrimFrame *const Top = __pilgrim_top;
  for (unsigned Depth = T.NumOpen; Depth-- > 0;) {
    const ThreadState::OpenCall &Call = T.Open[Depth];
    if (!Call.isTraced() || Call.FunctionAndFlags & ThreadState::OpenCall::Recorded)
      continue;
    if (IsOwn)
      dropFramesBelow(reinterpret_cast<uintptr_t>(Call.Scope)); // of callbacks inside the call
    // It is not known when it began, so no time counts: neither in it nor before it.
    recordWithoutParameters(T, IsOwn ? Call.Scope : nullptr, Depth, T.Timed ? T.Calls.gapBegin() : 0);
  }
  __pilgrim_top = Top;
}

void statusWords(const MPI_Status &S, StatusKind K, bool WithError, uint64_t *Out) {
  int64_t Bytes;
  int Cancelled = 0;
#if defined(MPICH_NUMVERSION)
  // The same as MPI_Get_count, without the call.
  Bytes = static_cast<int64_t>(static_cast<uint64_t>(static_cast<unsigned>(S.count_hi_and_cancelled) >> 1) << 32 |
                               static_cast<unsigned>(S.count_lo));
  Cancelled = S.count_hi_and_cancelled & 1;
#else
  MPI_Count N = 0;
  Real.MPI_Get_elements_x(&S, MPI_BYTE, &N);
  Bytes = N;
  Real.MPI_Test_cancelled(&S, &Cancelled);
#endif
  if (K != StatusOfRequest)
    Cancelled = 0;
  int Class = 0;
  if (WithError && S.MPI_ERROR != MPI_SUCCESS)
    Real.MPI_Error_class(S.MPI_ERROR, &Class);
  // A file operation leaves source and tag as they were, and one that was cancelled the size, too.
  const bool IsMessage = K != StatusOfFile && !Cancelled;
  Out[0] = Cancelled ? 0 : static_cast<uint64_t>(IsMessage ? int64_t(S.MPI_SOURCE) : SizeAlone);
  Out[1] = IsMessage ? static_cast<uint64_t>(static_cast<int64_t>(S.MPI_TAG)) : 0;
  Out[2] = Cancelled ? 0 : static_cast<uint64_t>(Bytes);
  Out[3] = static_cast<uint64_t>(Class) << 1 | static_cast<uint64_t>(Cancelled != 0);
}

void RawWriter::strings(const char *const *P, int64_t Count) {
  if (!P)
    return state(NullState);
  std::string All;
  for (int64_t I = 0; Count < 0 ? P[I] != nullptr : I < Count; ++I) {
    All += P[I] ? P[I] : "";
    All.push_back('\0');
  }
  text(All.data(), All.size());
}

void RawWriter::stringss(char ***P, int64_t Count) {
  if (!P)
    return state(NullState);
  std::string All;
  for (int64_t I = 0; I < Count; ++I) {
    for (char **A = P[I]; A && *A; ++A) {
      All += *A;
      All.push_back('\0');
    }
    All.push_back('\0'); // an empty string ends each vector
  }
  text(All.data(), All.size());
}

void objectMadeRaw(Kind K, uint64_t Raw, bool Ref) {
  Process &P = CurrentThread->P;
  std::lock_guard<BookLock> L(P.Books);
  P.Handles.made(K, Raw, Ref);
}

void commDuplicated(MPI_Comm Parent, MPI_Comm Comm) {
  Process &P = CurrentThread->P;
  std::lock_guard<BookLock> L(P.Books);
  P.Handles.duplicated(rawHandle(Parent), rawHandle(Comm));
}

uint32_t objectLeaving(Kind K, uint64_t Raw) {
  Process &P = CurrentThread->P;
  if (!P.Books.Needed)
    return HandleMap::None;
  std::lock_guard<BookLock> L(P.Books);
  return P.Handles.leaving(K, Raw);
}

void objectLeft(ThreadState &T, bool IsFreed) {
  const void *Memory = nullptr;
  {
    std::lock_guard<BookLock> L(T.P.Books);
    Memory = T.P.Handles.left(T.Leaving, IsFreed);
  }
  T.Leaving = {};
  if (Memory)
    memory::released(Memory);
}

void memoryHandedOut(const void *Base, int64_t Bytes) {
  if (Base && Bytes >= 0 && memory::enabled())
    memory::allocated(Base, static_cast<size_t>(Bytes));
}

void memoryHandedOut(const void *Base, int64_t Bytes, MPI_Win *Win) {
  if (!Base || Bytes <= 0) // of no bytes the address may be that of another rank's memory
    return;
  memoryHandedOut(Base, Bytes);
  Process &P = CurrentThread->P;
  std::lock_guard<BookLock> L(P.Books);
  P.Handles.setWindowMemory(rawHandle(*Win), Base);
}

void memoryTakenBack(const void *Base) {
  if (Base)
    memory::released(Base);
}

} // namespace pilgrim
