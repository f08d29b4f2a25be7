//===- State.h - the tracer of one process and of one thread -----*- C++ -*-===//
//
// All state of the runtime hangs off one Process; the accessors below are the only globals. Virtual ranks swap them.
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
#include "pmpi/SiteModules.h"
#include "pmpi/Mpi.h"
#include "pmpi/Objects.h"
#include "pmpi/Requests.h"
#include "pmpi/SymbolEncoder.h"

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace pilgrim {

class CallLog;

/// A lock for the books that threads share; no operation at all in programs that cannot have two threads in MPI.
class BookLock {
public:
  bool Needed = true; // until MPI_Init has told the thread level
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

/// Calls that ended since the last one that was recorded, and were not traced. They become an item before the next one.
struct SkippedCalls {
  uint64_t Number = 0, Since = 0;
  unsigned Depth = 0; ///< the least of them
};

/// A block of memory that MPI has used was freed. It becomes an item likewise (Freed.h).
struct FreedMemory {
  int64_t Segment; ///< a SegmentName
  const void *Base;
  unsigned Depth; ///< of the calls that it was freed in
};

struct ThreadState {
  ThreadState(Process &P, unsigned Index);
  ~ThreadState();
  Process &P;
  unsigned Index; ///< also of the threads that had it before and ended
  bool Timed;     ///< as P.Timed
  SymbolEncoder Encoder;
  Recorder Calls;
  /// A call under way.
  struct OpenCall {
    const void *Scope; // where it lies on the stack
    uint64_t FunctionAndFlags;     // the function, and what follows: one word, so that the usual form writes it at once
    uint64_t Site;     // a return address, or a chain of them (CallStacks)
    static constexpr uint64_t NotTraced = uint64_t(1) << 32;  // tracing was off when it was entered
    static constexpr uint64_t HasRecords = uint64_t(1) << 33; // calls were recorded inside of it
    uint32_t function() const { return static_cast<uint32_t>(FunctionAndFlags); }
    bool isTraced() const { return !(FunctionAndFlags & NotTraced); }
  };
  static constexpr unsigned MaxOpen = 16; // calls inside calls: deeper ones are not recorded
  OpenCall Open[MaxOpen] = {};            // outermost first
  unsigned NumOpen = 0;
  bool IsPredictionValid = true; ///< no call was recorded inside the outermost one
  uint64_t Site = 0;       // of the call being recorded
  LeavingObject Leaving;   // that this call frees
  SkippedCalls Skipped;
  std::vector<FreedMemory> Freed; ///< since the last call that was recorded
  std::vector<uint64_t> Buffer;
  std::vector<uint32_t> RequestBuffer;
  std::vector<MPI_Status> StatusBuffer;
  std::unique_ptr<CallLog> Log;       // with --verify
  std::unique_ptr<CallStacks> Stacks; // with --callstack
  TurnNotes Turns;
  uint64_t Turn = 0;      ///< the thread's last one
  uintptr_t StackEnd = 0; ///< the thread has no frames from here on

  /// The calling thread goes on where another one ended.
  void takeOver();
};

struct Process {
  Process();
  ~Process();
  void trace(bool On);
  /// What the program asks for: calls that are entered while it is off are only counted.
  void switchTracing(bool On);
  /// Adds to the orphans (locked by the caller), or moves all of them to T.
  void addOrphan(const FreedMemory &F);
  void adopt(ThreadState &T);
  /// Of Threads, Ended, what was freed (until Tracing is false) and what is switched; not on the path of calls.
  void lock() {
    while (ThreadsLock.test_and_set(std::memory_order_acquire))
      BookLock::pause();
  }
  void unlock() { ThreadsLock.clear(std::memory_order_release); }
  Options Opts;
  std::atomic<bool> Tracing{false}; ///< else nothing of the tracer is at work
  std::atomic<bool> IsOff{false};   ///< switched off by the program, for a while
  bool Timed = true;
  bool Structured = true; ///< whether the frames of instrumented code are looked at
  bool ToldMachine = false;
  BookLock Books;
  Objects Handles;
  Requests Pending;
  std::atomic_flag ThreadsLock = ATOMIC_FLAG_INIT;
  std::vector<std::unique_ptr<ThreadState>> Threads;
  std::set<unsigned> Ended;         ///< threads whose number the next one gets
  std::vector<FreedMemory> Orphans; ///< by threads that make no MPI calls: the next one that does records them
  std::atomic<bool> HasOrphans{false};
  std::atomic<bool> HasTurns{false}; ///< more than one thread was there
  TurnWord Turn;
  int Rank = -1, Size = 0;
  uint64_t StartTicks = 0, StartNano = 0;
  std::string Folder;        ///< where the program was started
  bool IsSpawned = false;    ///< by another world of ours, with MPI_Comm_spawn
  SiteModules Modules;        ///< that sites are in; guarded by Books
  bool IsVirtual = false;    ///< one of many ranks in one process
  void (*Finish)(Process &) = nullptr; ///< what MPI_Finalize does with the calls

private:
  void chooseForm();
};

/// The process's tracer, or null before it is there.
extern Process *CurrentProcess;
extern constinit thread_local ThreadState *CurrentThread; // constinit: no call to an initialiser at each use
/// The same while the thread is in no traced call and has none missing, or null. Wrappers begin with this one and
/// ActiveForm, and nothing else: a clock is read next, which waits for what was loaded before.
extern constinit thread_local ThreadState *IdleThread;
/// Usual: the process's calls are traced, with timing and without --verify, and tracing is not switched off.
/// UsualAfterPrologue: likewise, and there is more to do at their beginning (beginUsual()).
enum class WrapperForm : uint8_t { Other, Usual, UsualAfterPrologue };
extern std::atomic<WrapperForm> ActiveForm;

/// Makes P (or nothing) what calls are recorded in from now on: for virtual ranks, whose single thread calls this.
void setCurrentProcess(Process *P);
/// The calling thread's state, made at its first call; null where nothing is traced.
ThreadState *attachThread();

/// After an internal failure: one line, and the program goes on untraced.
void stopTracing(const char *Why);

} // namespace pilgrim

#endif
