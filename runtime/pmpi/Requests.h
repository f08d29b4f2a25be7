//===- Requests.h - names of requests ----------------------------*- C++ -*-===//
//
// A request gets the lowest free place in the pool of the call site that made it; places are numbered in order of first
// use. So a loop's requests are the same numbers in each iteration, in whatever order they complete. MPI may hand out
// one handle for several requests (completed sends, MPI_PROC_NULL): a handle leads to a queue, and a completion takes
// the request whose variable had this address, else the oldest. A queue may be as long as there are requests: those
// that were not among its first few when they were made can be found by their variables.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_REQUESTS_H
#define PILGRIM_PMPI_REQUESTS_H

#include "core/IdPool.h"
#include "pmpi/HandleMap.h"

#include <memory>
#include <vector>

namespace pilgrim {

enum : unsigned {
  RequestReceives = 1,      ///< its status tells of a message
  RequestWildcard = 2,      ///< source or tag was a wildcard
  RequestPersistent = 4,    ///< survives completion
  RequestTransfersFile = 8, ///< its status tells of bytes only
};

struct RequestRecord {
  uint64_t Handle = 0;
  const void *Variable = nullptr;
  uint32_t Number = 0; ///< the name
  uint32_t Pool = 0, Place = 0;
  // The queue of its handle, oldest first.
  uint32_t Next = HandleMap::None, Previous = HandleMap::None;
  // Of the oldest one: the youngest, how many there are, and where to begin, all before being Taken (if Searches is
  // ours).
  uint32_t Last = HandleMap::None, Count = 1, Begin = HandleMap::None, Searches = 0;
  // Of those that can be found by their variables: others with the same one; of the oldest: the youngest.
  uint32_t NextSame = HandleMap::None, PreviousSame = HandleMap::None, LastSame = HandleMap::None;
  uint16_t Traits = 0;
  bool Indexed = false;
  bool Taken = false; ///< already found by the completion call that is looking
};

class Requests {
public:
  /// Index of a new request's record.
  uint32_t made(uint32_t Function, uint64_t Site, uint64_t Handle, const void *Variable, unsigned Traits);
  /// Index of the record that a handle at an address means, or HandleMap::None. Skips Taken ones.
  uint32_t find(uint64_t Handle, const void *Variable);
  /// The same, for a call that leaves the request on the books: one that another thread waits for will do.
  uint32_t findAny(uint64_t Handle, const void *Variable);
  void retire(uint32_t Index);
  /// The completion call that took it did not complete it.
  void putBack(uint32_t Index) {
    Records[Index].Taken = false;
    ++Searches;
  }
  RequestRecord &operator[](uint32_t I) { return Records[I]; }

private:
  struct Pool {
    uint32_t Function;
    uint64_t Site;
    IdPool Places;
    std::vector<uint32_t> Numbers;
  };
  static constexpr uint32_t Few = 16; ///< of a queue, that are looked through
  uint32_t poolOf(uint32_t Function, uint64_t Site);
  void enqueue(uint32_t Index);
  uint32_t oldest(uint32_t Head);
  uint32_t findIndexed(uint64_t Handle, const void *Variable);
  static uint64_t keyOf(uint64_t Handle, const void *Variable) {
    return Handle * 0x9e3779b97f4a7c15ull ^ reinterpret_cast<uintptr_t>(Variable);
  }
  void index(uint32_t Index);
  void unindex(uint32_t Index);

  std::vector<RequestRecord> Records;
  std::vector<uint32_t> Free;
  HandleMap Oldest;     // by handle
  HandleMap ByVariable; // the oldest with a key
  uint32_t Searches = 0;
  std::vector<std::unique_ptr<Pool>> Pools;
  static constexpr unsigned CacheSize = 64;
  uint32_t Cache[CacheSize] = {}; // pool + 1, by site
  uint32_t NextNumber = 0;
};

} // namespace pilgrim

#endif
