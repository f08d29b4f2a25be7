//===- State.h - the tracer of one process and of one thread -----*- C++ -*-===//
//
// All state of the runtime belongs to one Process. The variables at the end of this file are the only globals. Virtual
// ranks exchange them when they go from rank to rank.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_STATE_H
#define PILGRIM_PMPI_STATE_H

#include "api/Options.h"
#include "core/Recorder.h"
#include "core/Turns.h"
#include "platform/Clock.h"
#include "platform/Tell.h"
#include "pmpi/CallStacks.h"
#include "pmpi/Mpi.h"
#include "pmpi/Objects.h"
#include "pmpi/RequestArrays.h"
#include "pmpi/SiteModules.h"
#include "pmpi/SymbolEncoder.h"
#include "trace/model/RequestArray.h"

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace pilgrim {

class CallLog;

/// A lock for the books that threads share. It does nothing in programs that cannot have two threads in MPI at a time.
class BookLock {
public:
  bool Needed = true; ///< MPI_Init tells the thread level, and may clear this
  void lock() {
    if (!Needed)
      return;
    while (Flag.exchange(true, std::memory_order_acquire))
      pause();
  }
  void unlock() {
    if (Needed)
      Flag.store(false, std::memory_order_release);
  }
  static void pause();

private:
  std::atomic<bool> Flag{false};
};

struct Process;

/// Calls that were not traced and ended since the last recorded one. Their number becomes an item before the next
/// recorded call (Switching.h).
struct SkippedCalls {
  uint64_t Number = 0;
  uint64_t Since = 0; ///< when the first one began, in ticks
  unsigned Depth = 0; ///< the least depth of them
};

/// A block of memory that MPI has used was freed. That becomes an item, too (Freed.h).
struct FreedMemory {
  int64_t Segment; ///< a SegmentName as a word
  const void *Base;
  unsigned Depth; ///< how many calls were open when it was freed
  bool IsHeld;    ///< nobody may have its number until this is recorded, outside of all calls
};

struct ThreadState {
  ThreadState(Process &P, unsigned Index, unsigned MadeBefore);
  ~ThreadState();
  Process &P;
  unsigned Index;      ///< into P.Threads; threads that ended may have had it before
  unsigned Number;     ///< of the thread in the trace: Index until the end (numberThreads)
  unsigned MadeBefore; ///< threads, when the first one with this state called first; 0: not known
  bool Timed;          ///< as P.Timed
  /// What was predicted when the outermost call began still holds: nothing was recorded inside of it.
  bool IsPredictionValid = true;
  unsigned NumOpen = 0;
  std::vector<uint64_t> Buffer;
  uint64_t Site = 0; ///< of the call that is being recorded
  /// A call under way.
  struct OpenCall {
    const void *Scope;         ///< where its CallScope lies on the stack
    uint64_t FunctionAndFlags; ///< the function's id, and the flags below: one word, so that one store sets it
    uint64_t Site;             ///< a return address, or a chain of them (CallStacks)
    static constexpr uint64_t NotTraced = uint64_t(1) << 32;  ///< tracing was off when the call was entered
    static constexpr uint64_t HasRecords = uint64_t(1) << 33; ///< calls were recorded inside of the call
    static constexpr uint64_t Recorded = uint64_t(1) << 34;   ///< it is, and MPI may be asked yet what it has done
    uint32_t function() const { return static_cast<uint32_t>(FunctionAndFlags); }
    bool isTraced() const { return !(FunctionAndFlags & NotTraced); }
    /// Whether the call becomes an item, as one around others does that is not traced itself.
    bool isItem() const { return isTraced() || FunctionAndFlags & HasRecords; }
  };
  static constexpr unsigned MaxOpen = 16; ///< calls inside calls: deeper ones are not recorded
  OpenCall Open[MaxOpen] = {};            ///< outermost first
  /// With timing: when the gap before an open call in which others were recorded began; else 0.
  uint64_t GapBegin[MaxOpen] = {};
  SymbolEncoder Encoder;
  Recorder Calls;
  LeavingObject Leaving; ///< the object that this call frees
  SkippedCalls Skipped;
  std::vector<FreedMemory> Freed;    ///< since the last recorded call
  std::vector<uint32_t> HeldNumbers; ///< of blocks whose end was recorded inside of a call
  std::vector<uint32_t> RequestBuffer;
  std::vector<int64_t> RequestNames;
  FoundArrays FoundRequests;
  ArrayHistory Arrays;
  std::vector<MPI_Status> StatusBuffer;
  std::unique_ptr<CallLog> Log;       ///< only with --verify
  std::unique_ptr<CallStacks> Stacks; ///< only with --callstack
  TurnNotes Turns;
  uintptr_t StackEnd = 0; ///< the thread has no frames at this address and above
  int Tid = 0;            ///< the system's number of the thread
  int FirstTid = 0;       ///< of the first one with this state
  /// The handle that MPI was asked about last, and when that was seen to be allowed (Lengths.cpp).
  struct {
    Kind K = Kind::Comm;
    uint64_t Raw = 0, Generation = ~uint64_t(0);
  } Asked;
  std::atomic<uint8_t> Answer{0}; ///< to the question whether it is recording (finish/Quiet.h)

  /// The calling thread takes over the state of a thread that ended.
  void takeOver();
};

struct Process {
  Process();
  ~Process();
  void trace(bool On);
  /// The program switches tracing on or off. Calls that are entered while it is off are only counted.
  void switchTracing(bool On);
  /// Adds to Orphans. The caller holds the lock.
  void addOrphan(const FreedMemory &F);
  /// Moves all Orphans to T.
  void adopt(ThreadState &T);
  /// The state for a thread that calls for the first time: a new one, or that of a thread that ended, if there is any;
  /// best of one with as many threads made before. Second: it is new. The caller holds the lock.
  std::pair<ThreadState *, bool> stateFor(unsigned MadeBefore);
  /// Gives threads the numbers that they have in the trace. Those do not depend on which called first: the first one is
  /// 0, and the others follow in the order in which they were made. Not if numbers are in calls already.
  void numberThreads();
  /// Locks Threads, Ended, Orphans, what threads freed (until Tracing is false) and switching. Calls in steady state do
  /// not need this lock.
  void lock() {
    while (ThreadsLock.test_and_set(std::memory_order_acquire))
      BookLock::pause();
  }
  void unlock() { ThreadsLock.clear(std::memory_order_release); }
  /// False if the lock is not to be had in so many nanoseconds: who has it may wait for what the caller interrupted.
  bool lockWithin(uint64_t Limit) {
    const uint64_t Begin = nanoseconds();
    while (ThreadsLock.test_and_set(std::memory_order_acquire)) {
      if (nanoseconds() - Begin >= Limit)
        return false;
      BookLock::pause();
    }
    return true;
  }
  Options Opts;
  std::atomic<bool> Tracing{false}; ///< false before the trace begins and after it ended
  std::atomic<bool> IsOff{false};   ///< the program has switched tracing off, for a while
  bool Timed = true;
  bool Structured = true; ///< the frames of instrumented code are used
  bool ToldMachine = false;
  BookLock Books;
  Objects Handles;
  Requests Pending;
  std::atomic_flag ThreadsLock = ATOMIC_FLAG_INIT;
  std::vector<std::unique_ptr<ThreadState>> Threads;
  std::set<unsigned> Ended;         ///< indices of threads that ended
  std::vector<FreedMemory> Orphans; ///< freed by threads that make no MPI calls; the next thread that does records them
  std::atomic<bool> HasOrphans{false};
  std::atomic<bool> HasTurns{false}; ///< there has been more than one thread
  TurnWord Turn;
  int Rank = -1, Size = 0;
  uint64_t StartTicks = 0, StartNano = 0;
  bool KeepsTimes = false;             ///< of single calls
  ComparedClock Clock;                 ///< where this rank compared it
  pilgrim::TimeErrors TimeErrors;      ///< then, in ticks
  double NanoPerTick = 0;              ///< good to a percent; only where histograms are kept
  double TotalNanoPerTick = 0;         ///< of the whole run; known when the rank's trace was made
  std::string Folder;                  ///< where the program was started
  std::string Run;                     ///< nameOfRun()
  std::string Library;                 ///< what the MPI library says that it is, one line
  bool IsSpawned = false;              ///< another traced world started this one with MPI_Comm_spawn
  SiteModules Modules;                 ///< the modules that sites are in; guarded by Books
  bool IsVirtual = false;              ///< one of many ranks in one process
  void (*Finish)(Process &) = nullptr; ///< what MPI_Finalize does with the calls

private:
  void chooseForm();
};

/// The process's tracer, or null before it is there.
extern Process *CurrentProcess;
extern constinit thread_local ThreadState *CurrentThread; // constinit: no call to an initialiser at each use
/// The same while the thread is in no traced call and has nothing to record before the next one; else null. Wrappers
/// read this and ActiveForm first and nothing else: they read the clock next, and that waits for earlier loads.
extern constinit thread_local ThreadState *IdleThread;
/// The form of the wrappers that calls take.
enum class WrapperForm : uint8_t {
  Other,              ///< the general form, for all runs and calls that are not usual
  Usual,              ///< the fast forms: calls are traced without --verify, and tracing is not switched off
  UsualAfterPrologue, ///< the fast forms after beginUsual()
};
extern std::atomic<WrapperForm> ActiveForm;

/// From now on calls are recorded in P; null: nowhere. For virtual ranks, whose only thread calls this.
void setCurrentProcess(Process *P);
/// The calling thread's state. It is made at the thread's first call. Null if nothing is traced.
ThreadState *attachThread();

/// After an internal failure: one line, and the program goes on untraced.
void stopTracing(const char *Why);

} // namespace pilgrim

#endif
