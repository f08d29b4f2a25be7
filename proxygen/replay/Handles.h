//===- Handles.h - the objects of a replay by their names in the trace -*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_REPLAY_HANDLES_H
#define PILGRIM_PROXYGEN_REPLAY_HANDLES_H

#include "proxygen/replay/Arena.h"
#include "proxygen/replay/Users.h"
#include "trace/model/RequestName.h"
#include "trace/model/Schema.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mpi.h>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace pilgrim {

/// A handle as a number (MPICH's are integers, Open MPI's pointers), and what goes with it.
struct LiveHandle {
  uint64_t Raw = 0;
  std::shared_ptr<Arena> Kept{}; ///< arrays that the call which made it needs until it completes
  bool IsPersistent = false;
  bool IsGiven = false; ///< of a persistent request: a call gave it, and it was not started again
  bool IsEarly = false; ///< the same, and in the recorded run that call gave nothing
  uint64_t Serial = 0;  ///< of the object: another one may get the same handle and the same number
  uint32_t Times = 1;   ///< how often the program has it: some calls give what it has already, and each is freed
  std::thread::id Maker{};
  bool IsLeaving = false; ///< a call frees it: MPI may give the handle to another thread before that has ended
};

/// Memory for requests by their numbers in Handles.
class RequestPlaces {
public:
  static constexpr size_t Most = size_t(1) << 20; ///< of one thread; what is not used takes no memory
  /// The places of a thread, from 0 on; null: there is no memory.
  MPI_Request *of(uint32_t Thread);

private:
  std::map<uint32_t, MPI_Request *> OfThreads;
  std::mutex Lock;
};

/// All threads of a replay share their objects, as those of the program do. A thread that needs what another one is
/// about to make waits for it.
///
/// Calls of several threads may overlap here that came one after the other in the recorded run. So an object that one
/// thread makes may get its number while another thread still has an object of this number. Each thread then means its
/// own.
class Handles {
public:
  /// The number of a request in the table.
  static int64_t request(int64_t Word, uint32_t Thread) {
    const RequestName R = RequestName::of(Word, Thread);
    return static_cast<int64_t>(uint64_t(R.Thread) << 32 | R.Number);
  }
  /// The object; nullopt: there is none, and no other thread makes it within a minute.
  std::optional<LiveHandle> get(Kind K, int64_t Number);
  /// Without waiting.
  std::optional<LiveHandle> find(Kind K, int64_t Number);
  void set(Kind K, int64_t Number, LiveHandle H);
  /// A call changed the handle of a request, or completed it. Serial: of the request that was passed; if another thread
  /// has made the next one of this number meanwhile, that one stays.
  void change(Kind K, int64_t Number, uint64_t Serial, uint64_t Raw, bool IsGone);
  /// A call gave a persistent request, or started it.
  void setGiven(int64_t Number, bool Is);
  void setEarly(int64_t Number, bool Is);
  /// A call of a thread takes over a request of another one, until it gives it back. A number is given to the next
  /// request when calls that took over the last one have ended.
  void takeRequest(int64_t Number) { Taken.acquire(static_cast<uint64_t>(Number)); }
  void giveRequestBack(int64_t Number) { Taken.release(static_cast<uint64_t>(Number)); }
  void waitUntilNotTaken(int64_t Number) {
    if (Waits)
      Taken.wait(static_cast<uint64_t>(Number));
  }
  /// A call gave the program this object, which it may have already.
  void give(Kind K, int64_t Number, LiveHandle H);
  /// The object is gone, unless another one has its number by now.
  void erase(Kind K, int64_t Number, uint64_t Raw);
  /// A call of a thread uses the object until release().
  void acquire(uint64_t Raw);
  void release(uint64_t Raw);
  /// A program may free an object while calls of other threads use it, which MPI allows once they have begun. Here
  /// these may have begun later than in the recorded run: they get some time. Not where the program has the object
  /// several times, and keeps it. leave() comes first: calls that begin later do not mean this object.
  void leave(Kind K, int64_t Number, uint64_t Raw);
  void letUsersBegin(Kind K, int64_t Number, uint64_t Raw);
  /// Whether anything has to be waited for at all.
  void expectThreads(bool Several) { Waits = Several; }

private:
  using Key = std::pair<Kind, int64_t>;
  // With the lock; null: there is none.
  LiveHandle *meant(const Key &Of);
  LiveHandle *withHandle(const Key &Of, uint64_t Raw, bool IsLeaving);
  std::map<Key, std::vector<LiveHandle>> Live; ///< the oldest one first
  uint64_t LastSerial = 0;
  Users InUse; ///< by handle
  Users Taken; ///< requests by number
  std::mutex Lock;
  std::condition_variable Made;
  bool Waits = false;
};

} // namespace pilgrim

#endif
