//===- Requests.h - names of requests ----------------------------*- C++ -*-===//
//
// A request gets the lowest free place in the pool of the call site and thread that made it. Places are numbered in
// order of first use by the thread. So a loop's requests have the same numbers in each iteration, in whatever order
// they complete, and in each thread that does the same.
//
// MPI may hand out one handle for several requests (completed sends, MPI_PROC_NULL). So a handle leads to a queue. A
// completion takes the request that this variable was given last, else the oldest of this thread, else the oldest.
// Queues may be long: a request that was not among the first few when it was made is also found by a hash of handle and
// variable.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_REQUESTS_H
#define PILGRIM_PMPI_REQUESTS_H

#include "core/IdPool.h"
#include "pmpi/HandleMap.h"
#include "trace/model/RequestName.h"

#include <memory>
#include <vector>

namespace pilgrim {

enum : unsigned {
  RequestReceives = 1,      ///< its status describes a message
  RequestWildcard = 2,      ///< source or tag was a wildcard
  RequestPersistent = 4,    ///< it survives completion
  RequestTransfersFile = 8, ///< its status has a size only
};

/// Of a call site and a thread.
struct RequestPool {
  uint32_t Thread, Function;
  uint64_t Site;
  bool is(uint32_t ByThread, uint32_t By, uint64_t At) const {
    return Site == At && Function == By && Thread == ByThread;
  }
  RequestPool *Next; ///< with the same key in PoolBySite
  IdPool Places;
  std::vector<uint32_t> Numbers;
};

struct RequestRecord {
  uint64_t Handle = 0;
  const void *Variable = nullptr;
  RequestName Name{0, 0};
  RequestPool *Pool = nullptr;
  uint32_t Place = 0;
  // The queue of its handle, oldest first.
  uint32_t Next = HandleMap::None, Previous = HandleMap::None;
  // Only in the queue's head: tail, length, and the first entry that is not Taken. The latter holds if Searches equals
  // that of Requests.
  uint32_t Last = HandleMap::None, Count = 1, Begin = HandleMap::None, Searches = 0;
  uint64_t Variables = 0; ///< likewise: bits of all variables that those in the queue were made in
  // If Indexed: the list of requests with the same handle and variable. LastSame: only in its head.
  uint64_t Serial = 0; ///< of this request among all that there are and were; 0: it is retired
  uint32_t NextSame = HandleMap::None, PreviousSame = HandleMap::None, LastSame = HandleMap::None;
  uint16_t Traits = 0;
  bool Indexed = false; ///< in ByVariable
  bool Taken = false;   ///< the completion call under way has found it already
};

class Requests {
public:
  /// Enters a new request. Returns the index of its record.
  uint32_t made(uint32_t Thread, uint32_t Function, uint64_t Site, uint64_t Handle, const void *Variable,
                unsigned Traits);
  /// The index of the request that a handle in a variable stands for in a thread, or HandleMap::None. Skips those that
  /// are Taken.
  uint32_t find(uint32_t Thread, uint64_t Handle, const void *Variable) {
    const uint32_t *Head = Oldest.find(Handle);
    if (!Head)
      return HandleMap::None;
    const RequestRecord &First = Records[*Head];
    return First.Variable == Variable && !First.Taken ? *Head : findBehind(*Head, Thread, Handle, Variable);
  }
  /// The same for a call that does not complete the request. A request that another thread waits for will do.
  uint32_t findAny(uint32_t Thread, uint64_t Handle, const void *Variable);
  /// The request is complete or freed.
  void retire(uint32_t Index);
  /// The completion call that took the request did not complete it.
  void putBack(uint32_t Index) {
    Records[Index].Taken = false;
    ++Searches;
  }
  RequestRecord &operator[](uint32_t I) { return Records[I]; }
  /// What stands for a request in a call of a thread.
  int64_t nameIn(uint32_t Caller, uint32_t Index) {
    const RequestName &Name = Records[Index].Name;
    return Name.Thread == Caller ? static_cast<int64_t>(Name.Number) : nameOfOther(Caller, Name);
  }
  /// Whether a call has named another thread's request, by that thread's number.
  bool namesOthers() const { return NamesOthers; }
  /// How many requests were made and retired so far.
  uint64_t changes() const { return Changes; }

private:
  static constexpr uint32_t Few = 16;    ///< how many requests of a queue are looked through
  static constexpr uint32_t Many = 1024; ///< likewise, where those of other threads are before the caller's
  int64_t nameOfOther(uint32_t Caller, RequestName Name);
  RequestPool *findPool(uint32_t Thread, uint32_t Function, uint64_t Site);
  void numberPlace(RequestPool &P, uint32_t Place);
  void enqueueBehind(uint32_t Head, uint32_t Index);
  uint32_t findBehind(uint32_t Head, uint32_t Thread, uint64_t Handle, const void *Variable);
  uint32_t oldest(uint32_t Head);
  uint32_t findIndexed(uint64_t Handle, const void *Variable);
  /// The variable of a request that is in a queue is given to another one.
  void overwrite(uint32_t Head, const void *Variable);
  static uint64_t bitOf(const void *Variable) {
    return uint64_t(1) << (reinterpret_cast<uintptr_t>(Variable) >> 2 & 63);
  }
  static uint64_t keyOf(uint64_t Handle, const void *Variable) {
    return Handle * 0x9e3779b97f4a7c15ull ^ reinterpret_cast<uintptr_t>(Variable);
  }
  void index(uint32_t Index);
  void unindex(uint32_t Index);

  std::vector<RequestRecord> Records;
  uint64_t Changes = 0;
  bool NamesOthers = false;
  std::vector<uint32_t> Free;
  HandleMap Oldest;      ///< the head of each handle's queue
  HandleMap ByVariable;  ///< the oldest request by keyOf(), which may be that of others
  uint32_t Searches = 0; ///< changes when a request is put back
  std::vector<std::unique_ptr<RequestPool>> Pools;
  HandleMap PoolBySite;
  static constexpr unsigned CacheSize = 64;
  RequestPool *Cache[CacheSize] = {}; ///< by site
  std::vector<uint32_t> NextNumber;   ///< by thread
};

} // namespace pilgrim

#endif
